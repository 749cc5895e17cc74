// Beyond the paper: how an object is placed for the hand. Sides that it stands on, turns, heights
// and places along the fingers are tried. The open hand slides to the object until its palm is as
// near as the example's was, its digits close, and what their contacts need to carry the object
// decides (palm_approach.h). The best of a coarse grid, one of every side, quarter turn and
// approach direction, are then moved about. Sides other than the given one and directions other
// than the example's cost something.
#include "prehend/methods/example_control/placements.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "methods/example_control/placing/palm_approach.h"
#include "prehend/hands/standing.h"
#include "prehend/methods/example_control/example_wrist.h"

namespace prehend::example_control {
namespace {

// The grid: 30 degrees turn a 6 cm thing by the width of a finger; digits are about 2 cm apart.
constexpr double kTurnStep = radians(30.0);
constexpr double kHeightStep = 0.02, kAlongStep = 0.015, kBackStep = 0.02;  // m
constexpr int kQuarters = 4;  // of a turn; the best of each is kept
constexpr int kRounds = 3;    // of moving about, each half as far as the last
// Searches side by side, whatever the number of threads, so that the same placements are found: a
// quarter turn each, and later a placement that is moved about each.
constexpr std::size_t kTogether = kQuarters;

// Costs are newtons of squeeze for a newton of weight (palm_approach.cpp). The constants below were
// chosen by looking at the placements of the ten built-in objects, not by a sweep.
constexpr double kOtherSide = 2.0;       // for a side that is not the given one
constexpr double kOtherDirection = 2.0;  // for a hand that comes from elsewhere than the example's
constexpr double kTipping = 1.5;         // for a side on which the object stands at all but safely
constexpr double kSafeTip = radians(8.0), kLeastTip = radians(4.0);  // tilts that it survives
// How much wider than the example's the hand opens, as a part of its opening from rest. The next is
// tried while no placement costs less than kGood.
constexpr double kWider[] = {0.0, 0.6, 1.5};
constexpr double kGood = 7.0;
constexpr double kWorse = 6.0;  // beyond the best: a candidate is not looked at further

// An object recorded within this of how it would stand is taken to stand so.
constexpr double kAskew = radians(12.0);
// Places beside the recorded one, m: back along the palm's normal, up, and towards the fingers.
// Capture, retargeting and capsules instead of flesh are each some millimeters off.
const Vec3 kBesideRecorded[] = {{0.0, 0.0, 0.0},    {0.0, 0.008, 0.0},    {-0.006, 0.0, 0.0},
                                {0.006, 0.0, 0.0},  {0.0, -0.008, 0.0},   {0.0, 0.0, 0.008},
                                {0.0, 0.0, -0.008}, {-0.01, 0.008, 0.005}};

struct Candidate {
  int approach = 0;  // index of the direction that the hand comes from
  Quat side = Quat::Identity();
  double lowest = 0.0;   // height of its lowest point over the frame's origin, m
  double penalty = 0.0;  // of the side and the direction
  double turn = 0.0;     // rad, about the vertical
  PalmApproach::Offset offset;
};

// The best candidate of one side, quarter turn and approach direction.
struct BestOfKind {
  double cost = INFINITY;
  Candidate candidate;
  GraspPlacement placement;
};

class PlacementSearch {
 public:
  PlacementSearch(const geometry::PreparedObject& object, const Hand& hand,
                  const Controller& controller, const PlacementOptions& options,
                  const std::stop_token& stop);

  void try_side(const hands::RestingPose& side, double penalty);
  // The best, moved about, in order.
  std::vector<GraspPlacement> best(int count);
  double best_cost() const { return best_cost_; }

 private:
  Transform stand(const Candidate& candidate) const;
  void try_turns(const Candidate& candidate);
  // One of those that run side by side; `known` is the least cost of all before they began.
  struct Lane {
    std::vector<PalmApproach>& approaches;
    double known;
  };
  void try_quarter(const Lane& lane, Candidate candidate, int quarter, BestOfKind& best) const;
  void attempt(const Lane& lane, const Candidate& candidate, bool missing, BestOfKind& best) const;
  void move_about(const Lane& lane, BestOfKind& best) const;

  const Object& object_;
  const PlacementOptions& options_;
  const Vec3 place_;
  const SharedTarget target_;
  const std::stop_token stop_;
  std::vector<std::vector<PalmApproach>> approaches_;  // by direction, a list each lane
  std::vector<BestOfKind> kinds_;
  double best_cost_ = INFINITY;
};

PlacementSearch::PlacementSearch(const geometry::PreparedObject& object, const Hand& hand,
                                 const Controller& controller, const PlacementOptions& options,
                                 const std::stop_token& stop)
    : object_(object.object()),
      options_(options),
      place_(controller.path.target_center_world(0)),
      target_(object, controller),
      stop_(stop) {
  std::vector<PalmApproach> first;
  for (ApproachDirection& direction : approach_directions(hand, controller)) {
    first.emplace_back(target_, hand, controller, std::move(direction), options);
    if (!options.turn_hand) break;
  }
  approaches_ = std::vector<std::vector<PalmApproach>>(kTogether, first);
}

// The center of mass above the example's place, the lowest point on the floor.
Transform PlacementSearch::stand(const Candidate& candidate) const {
  const Quat rotation = exp_map({0.0, candidate.turn, 0.0}) * candidate.side;
  const Vec3 center = rotation * object_.center_of_mass;
  return {
      rotation,
      {place_.x() - center.x(), options_.floor_height - candidate.lowest, place_.z() - center.z()}};
}

void PlacementSearch::try_side(const hands::RestingPose& side, double penalty) {
  Candidate candidate;
  candidate.side = side.rotation;
  candidate.lowest = INFINITY;
  for (const Vec3& v : object_.shape.mesh->vertices) {
    candidate.lowest = std::min(candidate.lowest, (candidate.side * v).y());
  }
  for (candidate.approach = 0; candidate.approach < static_cast<int>(approaches_[0].size());
       ++candidate.approach) {
    candidate.penalty = penalty + (candidate.approach > 0 ? kOtherDirection : 0.0);
    try_turns(candidate);
  }
}

void PlacementSearch::try_turns(const Candidate& candidate) {
  std::array<BestOfKind, kQuarters> found;
  tbb::parallel_for(0, kQuarters, [&](int quarter) {
    const Lane lane{approaches_[quarter], best_cost_};
    try_quarter(lane, candidate, quarter, found[quarter]);
  });
  for (const BestOfKind& best : found) {
    if (!std::isfinite(best.cost)) continue;
    kinds_.push_back(best);
    best_cost_ = std::min(best_cost_, best.cost);
  }
}

void PlacementSearch::try_quarter(const Lane& lane, Candidate candidate, int quarter,
                                  BestOfKind& best) const {
  const bool turns = options_.turn != PlacementOptions::Turn::kNone;
  const int count = turns ? static_cast<int>(std::lround(2.0 * kPi / kTurnStep)) : 1;
  const Vec3& across_world = lane.approaches[candidate.approach].direction().across;
  for (int turn = quarter * count / kQuarters; turn < (quarter + 1) * count / kQuarters; ++turn) {
    candidate.turn = 2.0 * kPi * turn / count;
    const Quat rotation = exp_map({0.0, candidate.turn, 0.0}) * candidate.side;
    double low = INFINITY, high = -INFINITY;
    for (const Vec3& p : target_.points_object) {
      const double across = across_world.dot(rotation * p);
      low = std::min(low, across);
      high = std::max(high, across);
    }
    for (candidate.offset.across = 0.0; candidate.offset.across <= high - low;
         candidate.offset.across += kHeightStep) {
      for (int along : {0, 1, -1}) {
        candidate.offset.along = along * kAlongStep;
        attempt(lane, candidate, false, best);
      }
    }
  }
}

void PlacementSearch::attempt(const Lane& lane, const Candidate& candidate, bool missing,
                              BestOfKind& best) const {
  const double bound = std::min(best.cost, lane.known + kWorse) - candidate.penalty;
  if (bound <= 0.0 || stop_.stop_requested()) return;
  PalmApproach& approach = lane.approaches[candidate.approach];
  const Transform object_world = stand(candidate);
  const auto wrist = approach.slide(object_world, candidate.offset);
  if (!wrist) return;
  GraspPlacement placement;
  double cost = approach.cost(object_world, *wrist, bound, &placement);
  if (!(cost < bound) || !approach.comes_freely(object_world, *wrist)) return;
  if (missing) cost = approach.cost_missing(object_world, *wrist, cost);
  if (cost >= bound) return;
  best = {cost + candidate.penalty, candidate, placement};
}

void PlacementSearch::move_about(const Lane& lane, BestOfKind& best) const {
  const bool turns = options_.turn != PlacementOptions::Turn::kNone;
  double step = 0.5;
  for (int round = 0; round < kRounds; ++round, step *= 0.5) {
    for (double by : {step, -step}) {
      const auto moved = [&](double turn, const PalmApproach::Offset& offset) {
        Candidate candidate = best.candidate;
        candidate.turn += by * turn;
        candidate.offset.across += by * offset.across;
        candidate.offset.along += by * offset.along;
        candidate.offset.back += by * offset.back;
        if (candidate.offset.back >= 0.0 && candidate.offset.across >= 0.0)
          attempt(lane, candidate, true, best);
      };
      if (turns) moved(kTurnStep, {});
      moved(0.0, {.across = kHeightStep});
      moved(0.0, {.along = kAlongStep});
      moved(0.0, {.back = kBackStep});
    }
  }
}

std::vector<GraspPlacement> PlacementSearch::best(int count) {
  const auto by_cost = [](const BestOfKind& a, const BestOfKind& b) { return a.cost < b.cost; };
  std::stable_sort(kinds_.begin(), kinds_.end(), by_cost);
  kinds_.resize(std::min(kinds_.size(), static_cast<size_t>(2 * count)));
  best_cost_ = INFINITY;
  for (std::size_t first = 0; first < kinds_.size(); first += kTogether) {
    const std::size_t count_now = std::min(kTogether, kinds_.size() - first);
    tbb::parallel_for(std::size_t{0}, count_now, [&](std::size_t i) {
      const Lane lane{approaches_[i], best_cost_};
      BestOfKind& best = kinds_[first + i];
      const Candidate start = best.candidate;
      best.cost = INFINITY;
      attempt(lane, start, true, best);
      move_about(lane, best);
    });
    for (std::size_t i = 0; i < count_now; ++i)
      best_cost_ = std::min(best_cost_, kinds_[first + i].cost);
  }
  std::stable_sort(kinds_.begin(), kinds_.end(), by_cost);
  std::vector<GraspPlacement> found;
  for (const BestOfKind& best : kinds_) {
    if (std::isfinite(best.cost) && static_cast<int>(found.size()) < count)
      found.push_back(best.placement);
  }
  return found;
}

Error nothing_found(const geometry::PreparedObject& object, double opening) {
  const Vec3 cm = 100.0 * object.box().sizes();
  return Error{fmt::format(
      "{}: no way to grip it was found; it is {:.1f} x {:.1f} x {:.1f} cm and the hand opens "
      "{:.1f} cm: give it another size, let it stand on any side, or take another hand",
      object.object().name, cm.x(), cm.y(), cm.z(), 100.0 * opening)};
}

// Height of an object's lowest point over its origin, turned so.
double lowest_point(const Object& object, const Quat& turn) {
  double lowest = INFINITY;
  for (const Vec3& v : object.shape.mesh->vertices) lowest = std::min(lowest, (turn * v).y());
  return lowest;
}

// What the hand that closes there meets, and the squeeze that it needs.
void see_grip(const geometry::PreparedObject& object, hands::ClosingHand& closing,
              GraspPlacement& placement) {
  const Transform& object_world = placement.object_world;
  const hands::ClosingHand::Floor floor{object_world.rotation.conjugate() * Vec3::UnitY(),
                                        placement.floor_height - object_world.position.y()};
  const auto grip = closing.close(*object.contact(),
                                  object_world.inverse() * placement.grip_wrist_world, 0.0, floor);
  placement.digits = grip.digits;
  physics::GraspQualityOptions quality;
  quality.cone.friction = object.object().friction;
  quality.cone.torsional_friction = object.object().torsional_friction;
  const Vec3 down = object_world.rotation.conjugate() * -Vec3::UnitY();
  placement.squeeze = grip.contacts.empty()
                          ? INFINITY
                          : physics::least_grip_force(grip.contacts, object.object(),
                                                      kStandardGravity * down, quality) /
                                (object.object().mass * kStandardGravity);
}

}  // namespace

Result<std::vector<GraspPlacement>> find_placements(const geometry::PreparedObject& object,
                                                    const Hand& hand, const Controller& controller,
                                                    const PlacementOptions& options, int count,
                                                    const Monitor& monitor) {
  if (Status status = fits_hand(controller, hand); !status) return status.error();
  const ExamplePath& path = controller.path;
  if (path.carried() < 0 || path.carried() >= static_cast<int>(path.wrist_world.size())) {
    return Error{fmt::format("controller {} has no example of a grip to place the hand by",
                             controller.name)};
  }
  std::vector<hands::RestingPose> sides = {{Quat::Identity(), 0.0, kSafeTip}};
  if (options.turn == PlacementOptions::Turn::kAny)
    sides = hands::resting_poses(object.object(), kLeastTip);
  std::vector<GraspPlacement> found;
  double opening = 0.0;
  for (std::size_t i = 0; i < std::size(kWider) && !monitor.stop.stop_requested(); ++i) {
    const auto opened = std::make_shared<const Controller>(opened_wider(controller, kWider[i]));
    PlacementSearch search(object, hand, *opened, options, monitor.stop);
    for (std::size_t s = 0; s < sides.size(); ++s) {
      const double tips = kTipping * std::max(0.0, 1.0 - sides[s].tip / kSafeTip);
      search.try_side(sides[s], (s > 0 ? kOtherSide : 0.0) + tips);
      monitor.report((i + double(s + 1) / double(sides.size())) / std::size(kWider),
                     "placing the object for the hand");
    }
    for (GraspPlacement& placement : search.best(count)) {
      placement.controller = opened;
      found.push_back(std::move(placement));
    }
    opening = hands::ClosingHand(hand, closing_poses(hand, *opened)).opening();
    if (search.best_cost() < kGood) break;
  }
  if (found.empty()) return nothing_found(object, opening);
  return found;
}

std::vector<GraspPlacement> recorded_placements(const geometry::PreparedObject& object,
                                                const Hand& hand, const Controller& controller,
                                                const PlacementOptions& options) {
  const ExamplePath& path = controller.path;
  if (path.carried() >= static_cast<int>(path.wrist_world.size())) return {};
  if (!fits_hand(controller, hand)) return {};
  const Quat recorded = path.target_world[path.carried()].rotation;
  const hands::RestingPose put = hands::put_down(object.object(), recorded);
  // What was recorded a few degrees off stands as it would; what is held askew stays so.
  const Quat stands = angle_between(put.rotation, recorded) < kAskew ? put.rotation : recorded;
  const double lowest = lowest_point(object.object(), stands);
  const Vec3 place = path.target_center_world(0), center = stands * object.object().center_of_mass;
  const Transform object_world{
      stands, {place.x() - center.x(), options.floor_height - lowest, place.z() - center.z()}};
  const auto own = std::make_shared<const Controller>(controller);
  hands::ClosingHand closing(hand, closing_poses(hand, controller));
  std::vector<GraspPlacement> found;
  for (const Vec3& beside : kBesideRecorded) {
    GraspPlacement placement;
    placement.object_world = object_world;
    placement.grip_wrist_world = object_world * path.wrist_target();
    Transform& wrist = placement.grip_wrist_world;
    wrist.position += beside.x() * wrist.turn(Vec3::UnitY()) + beside.y() * Vec3::UnitY() -
                      beside.z() * wrist.turn(Vec3::UnitZ());
    placement.floor_height = options.floor_height;
    placement.recorded = true;
    placement.controller = own;
    see_grip(object, closing, placement);
    found.push_back(std::move(placement));
  }
  return found;
}

Result<GraspPlacement> example_placement(const geometry::PreparedObject& object, const Hand& hand,
                                         const Controller& controller,
                                         const PlacementOptions& options, bool as_recorded) {
  if (Status status = fits_hand(controller, hand); !status) return status.error();
  const ExamplePath& path = controller.path;
  const int frame = path.carried();
  if (frame >= static_cast<int>(path.wrist_world.size()))
    return Error{fmt::format("controller {} has no example of a grip to place the hand by",
                             controller.name)};
  const Transform& target = path.target_world[frame];
  const Quat stands = as_recorded ? target.rotation : Quat::Identity();
  const Vec3 center = stands * object.object().center_of_mass;
  const double lowest = lowest_point(object.object(), stands);
  const Vec3 place = path.target_center_world(frame);
  GraspPlacement placement;
  placement.object_world = {
      stands, {place.x() - center.x(), options.floor_height - lowest, place.z() - center.z()}};
  // What the example's object stood on; unknown, the centers are as high as each other.
  const double floor = controller.object
                           ? target.position.y() + lowest_point(*controller.object, target.rotation)
                           : place.y() - (center.y() - lowest);
  placement.grip_wrist_world = example_wrists(controller, hand)[frame];
  placement.grip_wrist_world.position.y() += options.floor_height - floor;
  placement.floor_height = options.floor_height;
  placement.recorded = as_recorded;
  placement.controller = std::make_shared<const Controller>(controller);
  hands::ClosingHand closing(hand, closing_poses(hand, controller));
  see_grip(object, closing, placement);
  return placement;
}

Result<GraspPlacement> find_placement(const geometry::PreparedObject& object, const Hand& hand,
                                      const Controller& controller,
                                      const PlacementOptions& options) {
  auto found = find_placements(object, hand, controller, options, 1);
  if (!found) return found.error();
  return std::move(found->front());
}

}  // namespace prehend::example_control
