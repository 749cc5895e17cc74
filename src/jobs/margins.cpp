#include "prehend/jobs/margins.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "prehend/core/assert.h"

namespace prehend::jobs {
namespace {

// The ends of the ranges. Wet soap has a friction of about 0.05 and rubber on skin up to 2; 20 kg
// is more than one hand lifts by its grip; a wrist 6 cm beside misses most things; whoever closes
// half a second late has lifted without the object.
constexpr double kLeastFriction = 0.02, kMostFriction = 3.0;
constexpr double kLeastMass = 0.001, kMostMass = 20.0;  // kg
constexpr double kMostOffset = 0.06;                    // m
constexpr double kMostDelay = 2.0;                      // s

const std::array<Vec3, 6> kDirections = {Vec3::UnitX(),  -Vec3::UnitX(), Vec3::UnitY(),
                                         -Vec3::UnitY(), Vec3::UnitZ(),  -Vec3::UnitZ()};

MarginAxis offset_axis() { return {0.0, 0.0, kMostOffset, 0.002, 0.001, false}; }
MarginAxis delay_axis() { return {0.0, 0.0, kMostDelay, 0.1, 0.02, false}; }

// Counts simulations and tells how far the search is.
class Search {
 public:
  Search(const GraspConditions& made_for, const HoldsUnder& holds, const Monitor& monitor)
      : holds_(holds), monitor_(monitor) {
    found.made_for = made_for;
  }

  bool stopped() const { return monitor_.stop.stop_requested(); }
  const Monitor& monitor() const { return monitor_; }

  Result<bool> holds(const GraspConditions& conditions, double done, const char* what) {
    monitor_.report(done, what);
    ++found.simulations;
    return holds_(conditions);
  }

  // One quantity worse, all else as it is.
  template <typename Set>
  Status look(const MarginAxis& axis, double done, const char* what, Margin& margin, Set&& set) {
    const auto made = find_margin(
        axis,
        [&](double value) -> Result<bool> {
          // That the grasp holds as it is was seen before all else.
          if (value == axis.start) return found.held;
          GraspConditions conditions = found.made_for;
          set(conditions, value);
          return holds(conditions, done, what);
        },
        monitor_);
    if (!made) return made.error();
    margin = *made;
    return {};
  }

  // At one distance all directions count; the one that failed before is asked first, since it
  // likely fails again.
  Status look_beside() {
    std::size_t first = 0;
    const auto made = find_margin(
        offset_axis(),
        [&](double distance) -> Result<bool> {
          if (distance == 0.0) return found.held;
          for (std::size_t i = 0; i < kDirections.size(); ++i) {
            const std::size_t d = (first + i) % kDirections.size();
            GraspConditions conditions = found.made_for;
            conditions.wrist_offset = distance * kDirections[d];
            const auto good = holds(conditions, 0.5, "margins: wrist beside");
            if (!good) return good.error();
            if (*good) continue;
            first = d;
            found.offset_direction = kDirections[d];
            return false;
          }
          return true;
        },
        monitor_);
    if (!made) return made.error();
    found.offset = *made;
    return {};
  }

  Status look_at_digits(const std::vector<Digit>& digits) {
    GraspConditions together = found.made_for;
    for (auto digit = digits.rbegin(); digit != digits.rend() && !stopped(); ++digit) {
      GraspConditions conditions = found.made_for;
      conditions.without[static_cast<int>(*digit)] = true;
      const auto good = holds(conditions, 0.8, "margins: digits");
      if (!good) return good.error();
      if (stopped()) break;
      (*good ? found.spare : found.needed).push_back(*digit);
      if (!*good) continue;
      const GraspConditions before = together;
      together.without[static_cast<int>(*digit)] = true;
      // The first of them is the run above.
      const auto still = found.spare.size() == 1 ? good : holds(together, 0.9, "margins: digits");
      if (!still) return still.error();
      if (*still)
        found.spare_together.push_back(*digit);
      else
        together = before;
    }
    return {};
  }

  Margins found;

 private:
  const HoldsUnder& holds_;
  const Monitor& monitor_;
};

double beyond(const MarginAxis& axis, double from, double end, double step) {
  const double next =
      axis.by_ratio ? (end > from ? from * step : from / step) : from + (end > from ? step : -step);
  return end > from ? std::min(next, end) : std::max(next, end);
}

double middle(const MarginAxis& axis, double x, double y) {
  return axis.by_ratio ? std::sqrt(x * y) : 0.5 * (x + y);
}

bool near(const MarginAxis& axis, double x, double y) {
  return axis.by_ratio ? std::max(x / y, y / x) <= axis.precision
                       : std::abs(x - y) <= axis.precision;
}

io::Value margin_value(const Margin& margin) {
  io::Value value = io::Value::table();
  value["holds"] = margin.holds ? io::Value(*margin.holds) : io::Value();
  value["drops"] = margin.drops ? io::Value(*margin.drops) : io::Value();
  return value;
}

io::Value names(const std::vector<Digit>& digits) {
  io::Value value = io::Value::array();
  for (const Digit digit : digits) value.push_back(to_string(digit));
  return value;
}

// "ring finger", "ring and little finger".
std::string listed(const std::vector<Digit>& digits) {
  std::vector<std::string> words;
  for (const Digit digit : digits) words.emplace_back(to_string(digit));
  if (!words.empty() && digits.back() != Digit::kThumb) words.back() += " finger";
  if (words.size() < 2) return words.empty() ? "" : words[0];
  const std::string last = words.back();
  words.pop_back();
  return fmt::format("{} and {}", fmt::join(words, ", "), last);
}

std::string mass_text(double mass) {
  return mass < 1.0 ? fmt::format("{:.0f} g", 1e3 * mass) : fmt::format("{:.2g} kg", mass);
}

}  // namespace

Result<Margin> find_margin(const MarginAxis& axis, const std::function<Result<bool>(double)>& holds,
                           const Monitor& monitor) {
  Margin margin;
  const auto see = [&](double value) -> Result<bool> {
    auto good = holds(value);
    // What a stop cut short shows nothing.
    if (good && !monitor.stop.stop_requested()) (*good ? margin.holds : margin.drops) = value;
    return good;
  };
  const auto first = see(axis.start);
  if (!first) return first.error();
  const double end = *first ? axis.bad : axis.good;
  double step = axis.step;
  for (double at = axis.start; at != end && !(margin.holds && margin.drops);) {
    if (monitor.stop.stop_requested()) return margin;
    at = beyond(axis, at, end, step);
    if (const auto good = see(at); !good) return good.error();
    step = axis.by_ratio ? step * step : 2.0 * step;
  }
  while (margin.holds && margin.drops && !near(axis, *margin.holds, *margin.drops)) {
    if (monitor.stop.stop_requested()) return margin;
    if (const auto good = see(middle(axis, *margin.holds, *margin.drops)); !good)
      return good.error();
  }
  return margin;
}

MarginAxis friction_axis(double friction) {
  return {friction, std::max(friction, kMostFriction), std::min(friction, kLeastFriction), 1.5,
          1.05};
}

MarginAxis mass_axis(double mass) {
  return {mass, std::min(mass, kLeastMass), std::max(mass, kMostMass), 2.0, 1.05};
}

Result<Margins> find_margins(const GraspConditions& made_for, const std::vector<Digit>& digits,
                             const HoldsUnder& holds, const Monitor& monitor) {
  Search search(made_for, holds, monitor);
  Margins& found = search.found;
  const auto as_it_is = search.holds(made_for, 0.0, "margins");
  if (!as_it_is) return as_it_is.error();
  found.held = *as_it_is;
  using Step = std::function<Status()>;
  std::vector<Step> steps = {
      [&] {
        return search.look(friction_axis(made_for.friction), 0.1, "margins: friction",
                           found.friction,
                           [](GraspConditions& c, double value) { c.friction = value; });
      },
      [&] {
        return search.look(mass_axis(made_for.mass), 0.3, "margins: mass", found.mass,
                           [](GraspConditions& c, double value) { c.mass = value; });
      }};
  if (found.held) {
    steps.push_back([&] { return search.look_beside(); });
    steps.push_back([&] {
      return search.look(delay_axis(), 0.7, "margins: delay", found.delay,
                         [](GraspConditions& c, double value) { c.delay = value; });
    });
    steps.push_back([&] { return search.look_at_digits(digits); });
  }
  for (const Step& step : steps) {
    if (search.stopped()) break;
    if (const Status done = step(); !done) return done.error();
  }
  found.interrupted = search.stopped();
  return found;
}

io::Value margins_value(const Margins& margins) {
  io::Value value = io::Value::table();
  value["held"] = margins.held;
  value["friction"] = margin_value(margins.friction);
  value["mass_kg"] = margin_value(margins.mass);
  if (margins.held) {
    value["wrist_offset_m"] = margin_value(margins.offset);
    value["wrist_offset_m"]["drops_towards"] = margins.offset_direction;
    value["delay_s"] = margin_value(margins.delay);
    value["spare_digits"] = names(margins.spare);
    value["spare_together"] = names(margins.spare_together);
    value["needed_digits"] = names(margins.needed);
  }
  value["simulations"] = margins.simulations;
  return value;
}

std::string margins_text(const Margins& margins) {
  const Margin &friction = margins.friction, &mass = margins.mass;
  if (!margins.held) {
    std::string text = "drops as it is";
    if (friction.holds) text += fmt::format("; friction of {:.2f} would hold it", *friction.holds);
    if (mass.holds) text += fmt::format("; {} would be held", mass_text(*mass.holds));
    return text;
  }
  std::vector<std::string> when;
  if (friction.drops) when.push_back(fmt::format("below friction {:.2f}", *friction.holds));
  if (mass.drops) when.push_back("above " + mass_text(*mass.holds));
  if (margins.offset.drops)
    when.push_back(fmt::format("with the wrist {:.0f} mm beside", 1e3 * *margins.offset.drops));
  if (margins.delay.drops)
    when.push_back(fmt::format("when the hand closes {:.2f} s late", *margins.delay.drops));
  std::string text = when.empty() ? "nothing that was tried makes it drop"
                                  : fmt::format("drops {}", fmt::join(when, " or "));
  if (margins.spare.size() == 1)
    text += fmt::format("; the {} is not needed", listed(margins.spare));
  if (margins.spare.size() > 1)
    text += margins.spare == margins.spare_together
                ? fmt::format("; {} are not needed", listed(margins.spare))
                : fmt::format("; any one of {} could be spared", listed(margins.spare));
  if (margins.spare.empty() && !margins.needed.empty()) text += "; every digit is needed";
  return text;
}

}  // namespace prehend::jobs
