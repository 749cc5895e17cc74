#include "prehend/jobs/demo.h"

#include <fmt/format.h>

#include "jobs/audit_value.h"
#include "jobs/job_context.h"
#include "jobs/physics_value.h"
#include "prehend/core/hand_builder.h"
#include "prehend/hands/sample_grip.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/save.h"

namespace prehend::jobs {
namespace {

Result<Outcome> make_demo(const DemoJob& job, JobContext& context, DemoReport& result) {
  if (!(job.mass > 0.0 && job.mass < 100.0)) {
    return Error{fmt::format("--mass: {} should be above 0 and below 100 kg", job.mass)};
  }
  HandOptions hand_options;
  hand_options.size.length = job.hand_length;
  hand_options.side = job.side;
  auto hand = build_hand(hand_options);
  if (!hand) return Error{"--length: " + hand.message()};
  hands::SampleGripOptions options;
  options.mass = job.mass;
  physics::PhysicsInForce in_force;
  auto clip = hands::sample_grip(std::make_shared<const Hand>(std::move(*hand)), options,
                                 context.monitor(), &in_force);
  if (!clip) return clip.error();
  if (context.stopped()) context.interrupted("stopped before the grip was done");
  if (clip->frame_count() == 0) return Outcome::kInterrupted;
  const auto report = audit::audit(*clip);
  if (!report) return report.error();
  context.report.audit = audit_value(*report);
  context.report.physics = physics_value(in_force);
  context.report.details["clip"] = clip_value(*clip);
  for (const std::string& path : context.settings().outputs) {
    if (const Status saved = context.write_clip(path, *clip); !saved) return saved.error();
  }
  context.print(clip_text(*clip) + "\n" + audit_text(*report));
  result.clip = std::move(*clip);
  return report->verdict == audit::Verdict::kPass ? Outcome::kDone : Outcome::kMissed;
}

}  // namespace

Result<DemoReport> run(const DemoJob& job, const Monitor& monitor) {
  JobContext context("demo", job.settings, monitor);
  DemoReport report;
  const auto outcome = make_demo(job, context, report);
  if (!outcome) return outcome.error();
  static_cast<JobReport&>(report) = context.finish(*outcome);
  return report;
}
}  // namespace prehend::jobs
