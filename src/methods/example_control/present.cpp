// How an object is presented: sides it stands on, turns, heights and places along the fingers are
// tried; the open hand slides to the object until its palm is as near as the example's was, its
// digits close, and what their contacts need to carry the object decides (reach.h). The best of a
// coarse grid, of every side, quarter turn and manner of coming, are then moved about. Sides other
// than the given and hands other than the example's cost something.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "methods/example_control/reach.h"
#include "prehend/hands/standing.h"

namespace prehend::example_control {
namespace {

constexpr double kTurnStep = radians(30.0), kHeightStep = 0.02, kAlongStep = 0.015;  // rad, m
constexpr double kBackStep = 0.02;                                                   // m
constexpr int kQuarters = 4;
constexpr int kRounds = 3;  // of moving about, each half as far
constexpr double kOtherSide = 2.0;
constexpr double kOtherManner = 2.0;
constexpr double kTipping = 1.5, kSafeTip = radians(8.0), kLeastTip = radians(4.0);
// How much wider than the example's the hand is opened, one after the other until a way is good.
constexpr double kWider[] = {0.0, 0.6, 1.5};
constexpr double kGood = 7.0;
constexpr double kWorse = 6.0;  // than the best: not worth a try

// One way to present the object.
struct Way {
  int reach = 0;
  Quat side = Quat::Identity();
  double lowest = 0.0;   // height of its lowest point over the frame's origin, m
  double penalty = 0.0;  // of the side and the manner
  double turn = 0.0;     // rad, about the vertical
  Reach::Offset offset;
};

// The best of its kind.
struct Slot {
  double cost = INFINITY;
  Way way;
  Presentation presentation;
};

class Presenter {
 public:
  Presenter(const Object& object, const Hand& hand, const Controller& controller,
            const PresentOptions& options);

  void try_side(const hands::Standing& side, double penalty);
  // The best, moved about, in order.
  std::vector<Presentation> best(int count);
  double best_cost() const { return best_cost_; }

 private:
  Transform stand(const Way& way) const;
  void try_turns(Way way);
  void attempt(const Way& way, bool missing, Slot& slot);
  void move_about(Slot& slot);

  const Object& object_;
  const PresentOptions& options_;
  const Vec3 place_;
  const Reached reached_;
  std::vector<Reach> reaches_;
  std::vector<Slot> slots_;
  double best_cost_ = INFINITY;
};

Presenter::Presenter(const Object& object, const Hand& hand, const Controller& controller,
                     const PresentOptions& options)
    : object_(object),
      options_(options),
      place_(controller.path.target_center_world(0)),
      reached_(object, controller) {
  for (Manner& manner : manners(hand, controller)) {
    reaches_.emplace_back(reached_, hand, controller, std::move(manner), options);
    if (!options.turn_hand) break;
  }
}

// The centre of mass above the example's place, the lowest point on the floor.
Transform Presenter::stand(const Way& way) const {
  const Quat rotation = exp_map({0.0, way.turn, 0.0}) * way.side;
  const Vec3 center = rotation * object_.center_of_mass;
  return {rotation,
          {place_.x() - center.x(), options_.floor_height - way.lowest, place_.z() - center.z()}};
}

void Presenter::try_side(const hands::Standing& side, double penalty) {
  Way way;
  way.side = side.rotation;
  way.lowest = INFINITY;
  for (const Vec3& v : object_.shape.mesh->vertices) {
    way.lowest = std::min(way.lowest, (way.side * v).y());
  }
  for (way.reach = 0; way.reach < static_cast<int>(reaches_.size()); ++way.reach) {
    way.penalty = penalty + (way.reach > 0 ? kOtherManner : 0.0);
    try_turns(way);
  }
}

void Presenter::try_turns(Way way) {
  const bool turns = options_.turn != PresentOptions::Turn::kNone;
  const int count = turns ? static_cast<int>(std::lround(2.0 * kPi / kTurnStep)) : 1;
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    Slot slot;
    for (int turn = quarter * count / kQuarters; turn < (quarter + 1) * count / kQuarters; ++turn) {
      way.turn = 2.0 * kPi * turn / count;
      const Quat rotation = exp_map({0.0, way.turn, 0.0}) * way.side;
      double low = INFINITY, high = -INFINITY;
      for (const Vec3& p : reached_.points_object) {
        const double across = reaches_[way.reach].manner().across.dot(rotation * p);
        low = std::min(low, across);
        high = std::max(high, across);
      }
      for (way.offset.across = 0.0; way.offset.across <= high - low;
           way.offset.across += kHeightStep) {
        for (int along : {0, 1, -1}) {
          way.offset.along = along * kAlongStep;
          attempt(way, false, slot);
        }
      }
    }
    if (std::isfinite(slot.cost)) slots_.push_back(slot);
  }
}

void Presenter::attempt(const Way& way, bool missing, Slot& slot) {
  const double bound = std::min(slot.cost, best_cost_ + kWorse) - way.penalty;
  if (bound <= 0.0) return;
  Reach& reach = reaches_[way.reach];
  const Transform object_world = stand(way);
  const auto wrist = reach.slide(object_world, way.offset);
  if (!wrist) return;
  Presentation presentation;
  double cost = reach.cost(object_world, *wrist, bound, &presentation);
  if (!(cost < bound) || !reach.comes_freely(object_world, *wrist)) return;
  if (missing) cost = reach.cost_missing(object_world, *wrist, cost);
  if (cost >= bound) return;
  slot = {cost + way.penalty, way, presentation};
  best_cost_ = std::min(best_cost_, slot.cost);
}

void Presenter::move_about(Slot& slot) {
  const bool turns = options_.turn != PresentOptions::Turn::kNone;
  double step = 0.5;
  for (int round = 0; round < kRounds; ++round, step *= 0.5) {
    for (double by : {step, -step}) {
      const auto moved = [&](double turn, const Reach::Offset& offset) {
        Way way = slot.way;
        way.turn += by * turn;
        way.offset.across += by * offset.across;
        way.offset.along += by * offset.along;
        way.offset.back += by * offset.back;
        if (way.offset.back >= 0.0 && way.offset.across >= 0.0) attempt(way, true, slot);
      };
      if (turns) moved(kTurnStep, {});
      moved(0.0, {.across = kHeightStep});
      moved(0.0, {.along = kAlongStep});
      moved(0.0, {.back = kBackStep});
    }
  }
}

std::vector<Presentation> Presenter::best(int count) {
  const auto by_cost = [](const Slot& a, const Slot& b) { return a.cost < b.cost; };
  std::stable_sort(slots_.begin(), slots_.end(), by_cost);
  slots_.resize(std::min(slots_.size(), static_cast<size_t>(2 * count)));
  best_cost_ = INFINITY;
  for (Slot& slot : slots_) {
    const Way start = slot.way;
    slot.cost = INFINITY;
    attempt(start, true, slot);
    move_about(slot);
  }
  std::stable_sort(slots_.begin(), slots_.end(), by_cost);
  std::vector<Presentation> found;
  for (const Slot& slot : slots_) {
    if (std::isfinite(slot.cost) && static_cast<int>(found.size()) < count)
      found.push_back(slot.presentation);
  }
  return found;
}

Error nothing_found(const Object& object, double opening) {
  Vec3 low = Vec3::Constant(INFINITY), high = -low;
  for (const Vec3& v : object.shape.mesh->vertices) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  const Vec3 cm = 100.0 * (high - low);
  return Error{fmt::format(
      "{}: no way to grip it was found; it is {:.1f} x {:.1f} x {:.1f} cm and the hand opens "
      "{:.1f} cm: give it another size, let it stand on any side, or take another hand",
      object.name, cm.x(), cm.y(), cm.z(), 100.0 * opening)};
}

}  // namespace

Result<std::vector<Presentation>> presentations(const Object& object, const Hand& hand,
                                                const Controller& controller,
                                                const PresentOptions& options, int count) {
  if (Status status = fits_hand(controller, hand); !status) return status.error();
  const ExamplePath& path = controller.path;
  if (path.grip_frame < 0 || path.grip_frame >= static_cast<int>(path.wrist_world.size())) {
    return Error{fmt::format("controller {} has no example of a grip to place the hand by",
                             controller.name)};
  }
  std::vector<hands::Standing> sides = {{Quat::Identity(), 0.0, kSafeTip}};
  if (options.turn == PresentOptions::Turn::kAny) sides = hands::standing_sides(object, kLeastTip);
  std::vector<Presentation> found;
  double opening = 0.0;
  for (const double wider : kWider) {
    const auto opened = std::make_shared<const Controller>(opened_wider(controller, wider));
    Presenter presenter(object, hand, *opened, options);
    for (const hands::Standing& side : sides) {
      const double other = &side == &sides[0] ? 0.0 : kOtherSide;
      const double tips = kTipping * std::max(0.0, 1.0 - side.tip / kSafeTip);
      presenter.try_side(side, other + tips);
    }
    for (Presentation& way : presenter.best(count)) {
      way.controller = opened;
      found.push_back(std::move(way));
    }
    opening = ClosingHand(hand, *opened).opening();
    if (presenter.best_cost() < kGood) break;
  }
  if (found.empty()) return nothing_found(object, opening);
  return found;
}

Result<Presentation> present(const Object& object, const Hand& hand, const Controller& controller,
                             const PresentOptions& options) {
  auto found = presentations(object, hand, controller, options, 1);
  if (!found) return found.error();
  return std::move(found->front());
}

}  // namespace prehend::example_control
