#include "jobs/grasp_again.h"

#include <algorithm>

#include <fmt/format.h>

#include "prehend/methods/grasp_space/reproof.h"

namespace prehend::jobs {
namespace {

using grasp_space::Grasp;

// Digits that the grasp touches with.
std::vector<Digit> touching_digits(const Hand& hand, const Grasp& grasp) {
  std::vector<Digit> digits;
  for (const Digit digit : kDigits) {
    const bool touches = std::any_of(
        grasp.touches.begin(), grasp.touches.end(), [&](const grasp_space::TouchPoint& touch) {
          const Segment& segment = hand.segments[touch.segment];
          return segment.digit == digit && (segment.phalanx > 0 || digit == Digit::kThumb);
        });
    if (touches) digits.push_back(digit);
  }
  return digits;
}

Status ask_referee(const GraspSetup& setup, JobContext& context, GraspReport& result) {
  const physics::GraspProofOptions options = grasp_space::referee(setup.options.proof);
  io::Value& value = context.report.details["referee"] = io::Value::table();
  value["grasps"] = io::Value::array();
  int held = 0;
  for (const Grasp& grasp : result.found.grasps) {
    if (!grasp.proof.held || context.stopped()) continue;
    auto proof = prove_again(setup.problem, result.found, grasp, options);
    if (!proof) return proof.error();
    held += proof->held;
    io::Value one = io::Value::table();
    one["held"] = proof->held;
    one["displacement_m"] = proof->displacement;
    one["rotation_rad"] = proof->rotation;
    one["reason"] = proof->reason;
    value["grasps"].push_back(std::move(one));
    result.refereed.push_back(std::move(*proof));
  }
  value["held"] = held;
  value["of"] = static_cast<int>(result.refereed.size());
  context.print(fmt::format(
      "referee (engine's own solver, steps of {:g} ms, whole pushes): {} of {} that held, hold",
      1e3 * options.timestep, held, result.refereed.size()));
  return {};
}

// The proof has no clock that a hand could be late by: delays are not tried.
Status look_for_margins(const GraspSetup& setup, JobContext& context, GraspReport& result) {
  io::Value& list = context.report.details["margins"] = io::Value::array();
  const Object& object = *setup.problem.object;
  for (std::size_t i = 0; i < result.found.grasps.size() && !context.stopped(); ++i) {
    const Grasp& grasp = result.found.grasps[i];
    if (!grasp.proof.held) continue;
    GraspConditions made_for;
    made_for.friction = object.friction;
    made_for.mass = object.mass;
    const auto holds = [&](const GraspConditions& conditions) -> Result<bool> {
      if (conditions.delay > 0.0) return true;
      const auto proof = prove_again(
          setup.problem, result.found, grasp, setup.options.proof,
          {conditions.friction, conditions.mass, conditions.wrist_offset, conditions.without});
      if (!proof) return proof.error();
      return proof->held;
    };
    auto margins = find_margins(made_for, touching_digits(*setup.problem.hand, grasp), holds,
                                context.monitor());
    if (!margins) return margins.error();
    if (margins->interrupted) break;
    margins->delay = {};
    io::Value one = margins_value(*margins);
    one["grasp"] = static_cast<int>(i + 1);
    one["delay_s"] = io::Value();
    list.push_back(std::move(one));
    context.print(fmt::format("grasp {}: {}", i + 1, margins_text(*margins)));
    result.margins.push_back(std::move(*margins));
  }
  return {};
}

}  // namespace

Status look_again(const GraspJob& job, const GraspSetup& setup, JobContext& context,
                  GraspReport& result) {
  if ((job.referee || job.margins) && !setup.options.verify)
    return Error{"grasp: --referee and --margins look at grasps that held; leave out --no-verify"};
  if (job.referee) {
    if (const Status done = ask_referee(setup, context, result); !done) return done;
  }
  return job.margins ? look_for_margins(setup, context, result) : Status();
}

}  // namespace prehend::jobs
