// Simulates a hand that lifts a cylinder, judges the clip, and writes it for Blender or an engine,
// out/grip.glb.
#include <cstdio>
#include <filesystem>

#include "prehend/audit/audit.h"
#include "prehend/core/hand_builder.h"
#include "prehend/hands/sample_grip.h"
#include "prehend/io/glb.h"

int main() {
  prehend::HandOptions options;
  options.size.length = 0.18;
  auto hand = prehend::build_hand(options);
  if (!hand) return std::fprintf(stderr, "%s\n", hand.message().c_str()), 2;

  const auto clip =
      prehend::hands::sample_grip(std::make_shared<const prehend::Hand>(std::move(*hand)));
  if (!clip) return std::fprintf(stderr, "%s\n", clip.message().c_str()), 2;

  const auto report = prehend::audit::audit(*clip);
  if (!report) return std::fprintf(stderr, "%s\n", report.message().c_str()), 2;
  std::printf("%s: unexplained %.3f of the weight, %.0f %% of the frames explained\n",
              to_string(report->verdict), report->dynamics_residual,
              100.0 * report->explained_fraction);

  std::filesystem::create_directories("out");
  const prehend::Status written = prehend::io::write_glb(*clip, "out/grip.glb");
  if (!written) return std::fprintf(stderr, "%s\n", written.message().c_str()), 2;
  return report->verdict == prehend::audit::Verdict::kPass ? 0 : 1;
}
