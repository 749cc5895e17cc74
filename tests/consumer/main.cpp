// What another program does with Prehend: a hand over an object falls for a tenth of a second in
// the engine, and both are written for any viewer.  consumer OBJECT FILE.glb
#include <cstdio>

#include "prehend/core/hand_builder.h"
#include "prehend/core/version.h"
#include "prehend/io/glb.h"
#include "prehend/io/mesh_file.h"
#include "prehend/physics/state.h"

int main(int, char** argv) {
  const auto loaded = prehend::io::load_object(argv[1]);
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.message().c_str()), 2;
  prehend::physics::HandSetup setup;
  setup.hand = std::make_shared<const prehend::Hand>(prehend::build_hand().value());
  setup.root = prehend::physics::RootMotion::kFree;
  prehend::physics::State state(prehend::physics::World::build({&setup, 1}, {}).value());
  state.step(50);

  prehend::Clip clip{.name = "fall"};
  clip.hands = {{setup.hand, {state.hand_pose(0)}}};
  clip.objects = {{std::make_shared<const prehend::Object>(loaded->object), {{}}}};
  const double height = state.hand_pose(0).root_world.position.y();  // m
  std::printf("Prehend %s: %s, %.3f kg; fell %.3f m\n", prehend::version(), argv[1],
              loaded->object.mass, -height);
  return prehend::io::write_glb(clip, argv[2]) && height < -0.03 ? 0 : 1;
}
