// Beyond the paper: the straight path by which an open hand comes to a grasp.
#include "methods/grasp_space/approach.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "prehend/geometry/capsule_contacts.h"

namespace prehend::grasp_space {
namespace {

constexpr int kDirections = 150;               // about 17 degrees apart
constexpr int kSteps = 10, kOpeningSteps = 6;  // poses looked at along the path and while opening
constexpr std::array<double, 5> kOpenings = {1.0, 0.7, 0.4, 0.2, 0.0};
constexpr double kEnough = 0.005;       // m: more clearance than this is no better
constexpr double kLeast = 0.001;        // m: with less clearance there is no path
constexpr double kTableMargin = 0.001;  // m
// Clearance, m, that is given up for a natural reach (from the back and the forearm's side) and for
// a hand that is open. Chosen by eye: clearances differ by some millimeters.
constexpr double kNatural = 0.002, kOpened = 0.001;

// Evenly over the sphere.
Vec3 spiral_direction(int i) {
  const double y = 1.0 - (2.0 * i + 1.0) / kDirections;
  const double angle = i * kPi * (3.0 - std::sqrt(5.0)), r = std::sqrt(1.0 - y * y);
  return {r * std::cos(angle), y, r * std::sin(angle)};
}

double table_clearance(const Hand& hand, const std::vector<Transform>& frames, const Table& table) {
  double least = table.above(forearm_object(frames[hand.wrist()], table.up));
  for (int s = 0; s < hand.segment_count(); ++s)
    for (const Capsule& capsule : hand.segments[s].capsules)
      least = std::min(least, table.above(frames[s] * capsule));
  return least;
}

class Surroundings {
 public:
  Surroundings(const Hand& hand, const geometry::SignedDistance& distance,
               const std::optional<Table>& table)
      : hand_(hand), distance_(distance), table_(table) {}

  // Not more than kEnough.
  double clearance(const std::vector<Transform>& frames, const Vec3& shift) const {
    const Transform move = Transform::from_position(shift);
    std::array<geometry::FieldContact, geometry::kMaxFieldContacts> found;
    double least = kEnough;
    for (int s = 0; s < hand_.segment_count(); ++s) {
      for (const Capsule& capsule : hand_.segments[s].capsules) {
        const int count = geometry::capsule_field_contacts(distance_, move * (frames[s] * capsule),
                                                           kEnough, found);
        for (int i = 0; i < count; ++i) least = std::min(least, found[i].gap);
      }
    }
    if (!table_) return least;
    const Table lowered{table_->up, table_->height - shift.dot(table_->up)};
    const double above = table_clearance(hand_, frames, lowered);
    return above < kTableMargin ? std::min(least, above - kTableMargin) : least;
  }

 private:
  const Hand& hand_;
  const geometry::SignedDistance& distance_;
  const std::optional<Table>& table_;
};

}  // namespace

bool clears_table(const Hand& hand, const physics::GraspPlan& plan, const Table& table) {
  const auto above = [&](const Transform& root, const Eigen::VectorXd& q) {
    return table_clearance(hand, segment_frames(hand, pose_from_coordinates(hand, root, q)),
                           table) > kTableMargin;
  };
  return above(plan.root_object, plan.grasp) && above(plan.pregrasp_root, plan.pregrasp);
}

std::optional<Approach> find_approach(const Hand& hand, const geometry::SignedDistance& distance,
                                      const physics::GraspPlan& plan, const Eigen::VectorXd& open,
                                      double reach, const std::optional<Table>& table) {
  const Surroundings around(hand, distance, table);
  const auto frames_at = [&](const Eigen::VectorXd& q) {
    return segment_frames(hand, pose_from_coordinates(hand, plan.pregrasp_root, q));
  };
  const Quat wrist = frames_at(plan.pregrasp)[hand.wrist()].rotation;
  const Vec3 natural = wrist * Vec3(0.0, 1.0, 1.0).normalized();
  std::optional<Approach> best;
  double best_score = -INFINITY;
  for (const double opening : kOpenings) {
    const Eigen::VectorXd q = plan.pregrasp + opening * (open - plan.pregrasp);
    double opened = kEnough;
    for (int i = 1; i <= kOpeningSteps && opened >= kLeast; ++i) {
      const double part = double(i) / kOpeningSteps;
      opened = std::min(
          opened,
          around.clearance(frames_at(plan.pregrasp + part * (q - plan.pregrasp)), {0, 0, 0}));
    }
    if (opened < kLeast) continue;
    const std::vector<Transform> frames = frames_at(q);
    for (int d = 0; d < kDirections; ++d) {
      const Vec3 direction = spiral_direction(d);
      const double bonus = kNatural * direction.dot(natural) + kOpened * opening;
      double clearance = opened;
      for (int i = 1; i <= kSteps; ++i) {
        if (clearance < kLeast || clearance + bonus <= best_score) break;
        const double part = double(i) / kSteps;
        // Close to the object the steps are small.
        clearance = std::min(clearance, around.clearance(frames, reach * part * part * direction));
      }
      if (clearance < kLeast || clearance + bonus <= best_score) continue;
      best_score = clearance + bonus;
      best = {direction, q, clearance};
    }
  }
  return best;
}

}  // namespace prehend::grasp_space
