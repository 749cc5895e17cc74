// Pollard and Zordan, "Physically Based Grasping Control from Example", SCA 2005, section 4.
// Implements: what the paper hoped for: "Given the right set of passive response experiments, we
//             believe these parameters could be determined automatically". k_S and k_D alone: how
//             hard a limit is does not show in how a hand hangs and swings within its range.
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "prehend/methods/example_control/drop_test.h"

namespace prehend::example_control {
namespace {

constexpr double kLeastStiffness = 25.0, kMostStiffness = 1e5;  // 1/s^2
constexpr double kLeastRatio = 0.2;                             // of critical damping
constexpr double kPrecision = 1.01;                             // of what is found

class Tuner {
 public:
  Tuner(const HandPtr& hand, const Controller& controller, const DropTarget& target,
        const DropTestOptions& options, const Monitor& monitor)
      : hand_(hand),
        controller_(controller),
        target_(target),
        options_(options),
        monitor_(monitor) {}

  Result<TunedGains> tune() {
    double most = kMostStiffness;
    while (!stable_at(gains(most, critical(most)), options_.timestep)) most *= 0.9;
    const auto sags_little = [&](double k) {
      return test(k, critical(k)) && last_->sag <= target_.max_sag;
    };
    std::optional<double> stiffness = least(kLeastStiffness, most, sags_little);
    if (stiffness && !settles(*stiffness))
      stiffness = least(*stiffness, most, [&](double k) { return settles(k); });
    // The last test need not be that of what was found.
    if (stiffness && settles(*stiffness)) return finish(Termination::kConverged, "");
    if (error_) return *error_;
    if (!last_) return Error{"no gains were tried"};
    return finish(
        monitor_.stop.stop_requested() ? Termination::kInterrupted : Termination::kLimitReached,
        fmt::format("no gains that are stable at steps of {:g} s reach the target",
                    options_.timestep));
  }

 private:
  static double critical(double stiffness) { return 2.0 * std::sqrt(stiffness); }
  Gains gains(double stiffness, double damping) const {
    return {stiffness, damping, options_.gains.limit_stiffness};
  }

  bool test(double stiffness, double damping) {
    if (error_ || (last_ && monitor_.stop.stop_requested())) return false;
    options_.gains = gains(stiffness, damping);
    auto done = drop_test(hand_, controller_, options_);
    if (!done) {
      if (tests_ == 0) error_ = done.error();
      return false;  // too loose to stay in one piece
    }
    last_ = std::move(*done);
    monitor_.report(1.0 - std::exp(-0.05 * ++tests_), "testing");
    return true;
  }

  // With the least damping that does not let it swing through.
  bool settles(double stiffness) {
    const double step = options_.timestep;
    const double spent =
        step * step * (2.0 * stiffness + options_.gains.limit_stiffness);  // as stable_at
    const double most = 0.99 * (4.0 - spent) / (4.0 * step);
    const auto damped = [&](double k) {
      return test(stiffness, k) && last_->overshoot <= target_.max_overshoot;
    };
    const auto damping = least(kLeastRatio * critical(stiffness), most, damped);
    return damping && test(stiffness, *damping) && last_->settle_seconds <= target_.settle_seconds;
  }

  // The least number between `from` and `to` for which `good` is true, found by bisection: `good`
  // must stay true once it is.
  template <typename Good>
  std::optional<double> least(double from, double to, const Good& good) {
    if (!good(to)) return std::nullopt;
    if (good(from)) return from;
    while (to > kPrecision * from && !error_ && !monitor_.stop.stop_requested()) {
      const double middle = std::sqrt(from * to);
      (good(middle) ? to : from) = middle;
    }
    return to;
  }

  TunedGains finish(Termination termination, std::string message) {
    TunedGains tuned{options_.gains, std::move(*last_), tests_};
    tuned.result.summary = {termination, tests_, tuned.result.overshoot, std::move(message)};
    return tuned;
  }

  const HandPtr& hand_;
  const Controller& controller_;
  DropTarget target_;
  DropTestOptions options_;  // gains: of the last test
  const Monitor& monitor_;
  std::optional<DropTest> last_;
  std::optional<Error> error_;
  int tests_ = 0;
};

}  // namespace

Result<TunedGains> tune_gains(const HandPtr& hand, const Controller& controller,
                              const DropTarget& target, const DropTestOptions& options,
                              const Monitor& monitor) {
  return Tuner(hand, controller, target, options, monitor).tune();
}

}  // namespace prehend::example_control
