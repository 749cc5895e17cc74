// Fits a controller to the program's own example, then drives it step by step as a hand on a mouse
// would. By open and close cues (figure 7 of Pollard and Zordan 2005) the cylinder moves within the
// grasp: lifted a little, it slides down through the opened hand and is taken higher up.
//   example_live_grip [CLIP.glb]   default out/live_grip.glb
#include <cstdio>
#include <filesystem>

#include "prehend/geometry/builtin.h"
#include "prehend/io/glb.h"
#include "prehend/methods/example_control/examples.h"
#include "prehend/methods/example_control/fit.h"
#include "prehend/methods/example_control/stage_grasp.h"
#include "prehend/physics/recorder.h"

using namespace prehend;
using namespace prehend::example_control;

namespace {

constexpr double kUp = 0.03;  // m, the first lift: how far the cylinder slides

int fail(const std::string& message) { return std::fprintf(stderr, "%s\n", message.c_str()), 2; }

}  // namespace

int main(int argc, char** argv) {
  FitOptions options;
  options.distances = Distances{};  // table 1's
  const auto fitted = fit({.example = cylinder_grasp(), .library = {range_of_motion()}}, options);
  if (!fitted) return fail(fitted.message());
  const auto object = geometry::builtin_object("cylinder");
  if (!object) return fail(object.message());

  ControlledHand hand;
  hand.hand = fitted->hand;
  hand.controller = std::make_shared<const Controller>(fitted->controller);
  hand.open_while_closing = true;

  SimulationProblem problem;
  problem.hands = {hand};
  problem.objects = {{std::make_shared<const Object>(*object), Transform()}};
  problem.floor_height = 0.0;
  const auto staged = stage_grasp(problem, {.task = {.lift = kUp}});
  if (!staged) return fail(staged.message());
  const TaskPlan& plan = staged->plan;
  auto simulation = Simulation::build(staged->run.simulation);
  if (!simulation) return fail(simulation.message());

  const double open = plan.shake + 0.2, close = open + 0.25, rise = close + 1.2;  // s
  const Transform wrist = plan.wrist_world.at(plan.shake).pose;
  physics::Recorder recorder(simulation->state(), 60.0);
  for (int step = 0; simulation->time() < rise + 1.5; ++step) {
    const double time = simulation->time();
    Cue cue;
    cue.grip = time >= plan.grip && simulation->phase(0) < Phase::kGripping;
    if (time >= plan.shake) {  // from here on it is ours to move
      cue.wrist = wrist;
      cue.wrist->position.y() += 0.1 * minimum_jerk(time, rise, rise + 1.0);
      if (time >= open && time < close) cue.setpoint = Setpoint::kOpen;
    }
    recorder.before_step(simulation->state());
    simulation->step(std::span(&cue, 1));
    recorder.after_step(simulation->state());
    if (step % 100 > 0) continue;
    std::printf("%5.2f s  %-10s %6.2f N  cylinder at %.3f m\n", time,
                to_string(simulation->phase(0)), simulation->contact_force(0),
                simulation->state().object_pose(0).position.y());
  }
  const std::filesystem::path path = argc > 1 ? argv[1] : "out/live_grip.glb";
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  const Status written = io::write_glb(recorder.finish("live grip"), path.string());
  return written ? 0 : fail(written.message());
}
