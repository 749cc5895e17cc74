#include "prehend/hands/hand_gaps.h"

#include "prehend/core/assert.h"

namespace prehend::hands {
namespace {

constexpr double kCrossing = 1e-9;  // m; nearer axes have no direction from one to the other

// Where two axes cross, the way apart is across both.
Vec3 across(const Capsule& a, const Capsule& b) {
  const Vec3 normal = (a.b - a.a).cross(b.b - b.a);
  const double size = normal.norm();
  return size > 0.0 ? Vec3(normal / size) : any_orthogonal(a.b - a.a);
}

}  // namespace

void add_gap_row(const HandKinematics& kinematics, const ObstacleGap& gap, double factor,
                 Eigen::Ref<Eigen::RowVectorXd> row) {
  kinematics.add_row(gap.segment, gap.point_world, gap.normal_world, factor, row);
}

void add_gap_row(const HandKinematics& kinematics, const SelfGap& gap, double factor,
                 Eigen::Ref<Eigen::RowVectorXd> row) {
  kinematics.add_row(gap.segment_b, gap.point_b_world, gap.apart_world, factor, row);
  kinematics.add_row(gap.segment_a, gap.point_a_world, gap.apart_world, -factor, row);
}

HandGaps::HandGaps(const Hand& hand) {
  for (int s = 0; s < hand.segment_count(); ++s) {
    for (const Capsule& capsule : hand.segments[s].capsules) {
      shapes_.push_back(capsule);
      placed_.push_back({s, capsule});
      bounds_.push_back(0.5 * (capsule.b - capsule.a).norm() + capsule.radius);
    }
  }
  for (int a = 0; a < static_cast<int>(placed_.size()); ++a) {
    for (int b = a + 1; b < static_cast<int>(placed_.size()); ++b) {
      const int first = placed_[a].segment, second = placed_[b].segment;
      if (first != second && !hand.may_overlap(first, second)) pairs_.push_back({a, b});
    }
  }
}

void HandGaps::place(std::span<const Transform> frames_world) {
  for (size_t i = 0; i < placed_.size(); ++i) {
    placed_[i].capsule_world = frames_world[placed_[i].segment] * shapes_[i];
  }
}

void HandGaps::place(std::span<const Transform> frames_world, std::span<const int> capsules) {
  for (const int i : capsules) {
    placed_[i].capsule_world = frames_world[placed_[i].segment] * shapes_[i];
  }
}

int HandGaps::near_obstacle(int capsule, const geometry::SignedDistance& distance,
                            const Transform& pose_world, double margin, Found& found) const {
  std::array<geometry::FieldContact, geometry::kMaxFieldContacts> contacts;
  const auto& [segment, capsule_world] = placed_[capsule];
  const int count = geometry::capsule_field_contacts(distance, pose_world.inverse() * capsule_world,
                                                     margin, contacts);
  for (int i = 0; i < count; ++i) {
    found[i] = {capsule, segment, pose_world * contacts[i].point,
                pose_world.turn(contacts[i].normal), contacts[i].gap};
  }
  return count;
}

std::optional<SelfGap> HandGaps::near_self(const Pair& pair, double margin) const {
  const auto& [segment_a, a] = placed_[pair.first];
  const auto& [segment_b, b] = placed_[pair.second];
  const Vec3 middles = a.a + a.b - b.a - b.b;  // twice the way between the middles
  const double reach = bounds_[pair.first] + bounds_[pair.second] + margin;
  if (middles.squaredNorm() > 4.0 * reach * reach) return std::nullopt;
  const LinePair lines = closest_on_lines(a.a, a.b, b.a, b.b);
  const double gap = lines.distance - a.radius - b.radius;
  if (gap >= margin) return std::nullopt;
  const Vec3 on_a = a.a + lines.first * (a.b - a.a), on_b = b.a + lines.second * (b.b - b.a);
  const Vec3 apart =
      lines.distance < kCrossing ? across(a, b) : Vec3((on_b - on_a) / lines.distance);
  return SelfGap{segment_a, segment_b, on_a, on_b, apart, gap};
}

}  // namespace prehend::hands
