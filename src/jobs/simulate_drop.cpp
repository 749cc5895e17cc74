#include "jobs/simulate_drop.h"

#include "jobs/data_value.h"
#include "jobs/simulate_value.h"

#include <fmt/format.h>

namespace prehend::jobs {

namespace control = example_control;

Status set_drop_test(const SimulateOptions& options, SimulateSetup& setup) {
  control::DropTestOptions& drop = setup.drop;
  drop.gains = setup.options.gains.value_or(setup.hand(0).controller->gains);
  drop.terms.limits = setup.options.terms.limits;
  drop.terms.passive = setup.options.terms.passive;
  const auto& hands = options.scene.hands;
  if (!hands.empty() && hands[0].placed) drop.wrist_world = hands[0].wrist_world.rotation;
  drop.drop = options.number("drop", drop.drop);
  drop.catch_seconds = options.number("catch_seconds", drop.catch_seconds);
  drop.watch_seconds = options.number("seconds", drop.watch_seconds);
  drop.timestep = setup.options.timestep;
  drop.frame_rate = setup.options.frame_rate;
  control::DropTarget& target = setup.drop_target;
  target.max_sag = radians(options.number("max_sag_deg", degrees(target.max_sag)));
  target.max_overshoot = options.number("max_overshoot", target.max_overshoot);
  target.settle_seconds = options.number("settle", target.settle_seconds);
  return {};
}

Result<DropRun> run_drop_test(const SimulateSetup& setup, const Monitor& monitor) {
  const control::ControlledHand& hand = setup.hand(0);
  if (!setup.tune) {
    auto test = control::drop_test(hand.hand, *hand.controller, setup.drop, monitor);
    if (!test) return test.error();
    return DropRun{setup.drop.gains, std::move(*test)};
  }
  auto tuned =
      control::tune_gains(hand.hand, *hand.controller, setup.drop_target, setup.drop, monitor);
  if (!tuned) return tuned.error();
  return DropRun{tuned->gains, std::move(tuned->result), tuned->tests};
}

io::Value drop_value(const SimulateSetup& setup, const DropRun& run) {
  const control::DropTest& test = run.test;
  io::Value value = io::Value::table();
  value["task"] = to_string(setup.task);
  value["drop_m"] = setup.drop.drop;
  value["catch_s"] = setup.drop.catch_seconds;
  value["timestep_s"] = setup.drop.timestep;
  value["limits"] = setup.drop.terms.limits;
  value["gains"]["stiffness"] = run.gains.stiffness;
  value["gains"]["damping"] = run.gains.damping;
  value["gains"]["limit_stiffness"] = run.gains.limit_stiffness;
  value["tuned"] = setup.tune;
  value["tests"] = run.tests;
  value["max_limit_violation_deg"] = degrees(test.max_limit_violation);
  value["worst_joint"] = test.worst_joint;
  value["swing_deg"] = degrees(test.swing);
  value["overshoot"] = test.overshoot;
  value["settle_s"] = test.settle_seconds;
  value["sag_deg"] = degrees(test.sag);
  value[kWallClock] = test.realtime_factor;
  return value;
}

std::string drop_text(const SimulateSetup& setup, const DropRun& run) {
  const control::DropTest& test = run.test;
  std::string text = fmt::format(
      "{}: {:g} m, caught in {:g} s, {} limits", setup.title.empty() ? "drop test" : setup.title,
      setup.drop.drop, setup.drop.catch_seconds, setup.drop.terms.limits ? "with" : "without");
  text += fmt::format("\ngains k_S {:.4g}, k_D {:.4g}, k_JL {:.4g}", run.gains.stiffness,
                      run.gains.damping, run.gains.limit_stiffness);
  if (setup.tune) text += fmt::format(", found by {} tests", run.tests);
  text += fmt::format("\n{:.1f} degrees beyond the limits", degrees(test.max_limit_violation));
  if (!test.worst_joint.empty()) text += fmt::format(" at {}", test.worst_joint);
  text += fmt::format("\nswing {:.1f} degrees, overshoot {:.0f} %, settled after {:.2f} s",
                      degrees(test.swing), 100.0 * test.overshoot, test.settle_seconds);
  text += fmt::format("\nsag {:.1f} degrees", degrees(test.sag));
  if (!test.summary.message.empty()) text += "\nnote: " + test.summary.message;
  return text;
}

std::vector<Moment> drop_moments(const control::DropTest& test) {
  const double caught = 0.5 * (test.catch_start + test.catch_end);
  return {{0.0, "hanging"},
          {0.5 * (test.fall_start + test.catch_start), "falling"},
          {test.catch_start, "lands"},
          {caught, "caught"},
          {test.catch_end, "stands"},
          {test.catch_end + 0.05, "0.05 s later"},
          {test.catch_end + 0.2, "0.2 s later"},
          {test.clip.duration(), "at rest"}};
}

}  // namespace prehend::jobs
