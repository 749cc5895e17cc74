// Kry and Pai, "Interaction Capture and Synthesis", SIGGRAPH 2006, sections 3, 4.1 and 6.2.
// Implements: the interaction trajectory (3.5), table 1's compliances, eq. 5 for one point.
// Departs:    values for joints that table 1 does not have are assumed (see the header).
// Symbols:    theta joint coordinates [rad]; theta_r reference; C compliance [rad/(N m)]; J
//             Jacobian.
#include "prehend/methods/interaction/trajectory.h"

#include <algorithm>
#include <cmath>

#include "prehend/core/hand_kinematics.h"

namespace prehend::interaction {
namespace {

struct TableRow {
  double wrist, knuckle, middle_joint, end_joint;  // rad/(N m)
};
constexpr TableRow kExploring = {0.3488, 0.9882, 0.6715, 2.0052};
constexpr TableRow kScratching = {0.1531, 0.4788, 0.8, 0.8};
constexpr double kThumbShare = 0.5;

// m/N along every direction: the root's own give, which keeps the endpoint compliance from being
// singular (section 6.2). A twentieth of a millimeter for a newton; a finger gives 2 to 10 mm.
constexpr double kRootLinear = 5e-5;

constexpr double kSlowed = 0.2;  // s at the end, of come_to_rest

double joint_compliance(const Segment& segment, const TableRow& row) {
  const bool thumb = segment.digit == Digit::kThumb;
  const double share = thumb ? kThumbShare : 1.0;
  // A thumb's metacarpal does what a finger's knuckle does.
  const int rank = thumb ? (segment.phalanx == 0   ? 1
                            : segment.phalanx == 1 ? 2
                                                   : 3)
                         : segment.phalanx;
  if (rank == 1) return share * row.knuckle;
  if (rank == 2) return share * row.middle_joint;
  if (rank == 3) return share * row.end_joint;
  return 0.0;
}

bool moves_sideways(const Segment& segment) {
  return segment.phalanx == (segment.digit == Digit::kThumb ? 0 : 1);
}

}  // namespace

const char* to_string(Task task) { return task == Task::kExploring ? "exploring" : "scratching"; }

HandCompliance typical_compliance(const Hand& hand, Task task) {
  const TableRow& row = task == Task::kExploring ? kExploring : kScratching;
  HandCompliance compliance;
  compliance.root << Vec3::Constant(kRootLinear), Vec3::Constant(row.wrist);
  compliance.joints.setZero(hand.dof());
  const std::vector<int> offsets = coordinate_offsets(hand);
  for (int s = 0; s < hand.segment_count(); ++s)
    for (int c = offsets[s]; c < offsets[s + 1]; ++c)
      compliance.joints[c] = joint_compliance(hand.segments[s], row);
  for (int s = 0; s < hand.segment_count(); ++s) {
    int c = offsets[s];
    for (const Joint& joint : hand.segments[s].joints) {
      if (joint.type == JointType::kBall) {
        // Flexion turns about X, sideways motion about Y, and Z is the bone.
        compliance.joints[c + 2] = 0.0;
        if (!moves_sideways(hand.segments[s])) compliance.joints[c + 1] = 0.0;
      }
      c += joint.dof();
    }
  }
  return compliance;
}

Status validate(const InteractionTrajectory& trajectory) {
  if (!trajectory.hand) return Error{"the interaction has no hand"};
  const Eigen::Index dof = trajectory.hand->dof();
  if (trajectory.coordinates.empty() ||
      trajectory.coordinates.size() != trajectory.roots_world.size())
    return Error{"the interaction needs one root and one row of joint angles a frame"};
  if (!(trajectory.frame_rate > 0.0 && trajectory.frame_rate <= 1e5))
    return Error{"the interaction's rate should be above 0 and up to 100000 Hz"};
  for (const HandCompliance* c : {&trajectory.compliance, &trajectory.low, &trajectory.high}) {
    if (c->joints.size() != dof)
      return Error{"the interaction needs one compliance a joint of its hand"};
    if (!(c->joints.minCoeff() >= 0.0 && c->root.minCoeff() >= 0.0) || !c->joints.allFinite() ||
        !c->root.allFinite())
      return Error{"compliances should be finite and not negative"};
  }
  if (const auto& start = trajectory.start;
      start && (start->coordinates.size() != dof || !start->coordinates.allFinite() ||
                !all_finite(start->root_world)))
    return Error{"the interaction's start is not whole"};
  for (std::size_t f = 0; f < trajectory.coordinates.size(); ++f)
    if (trajectory.coordinates[f].size() != dof || !trajectory.coordinates[f].allFinite() ||
        !all_finite(trajectory.roots_world[f]))
      return Error{"frame " + std::to_string(f) + " of the interaction is not whole"};
  return {};
}

void reference_at(const InteractionTrajectory& trajectory, double time, ReferencePose& pose) {
  const int last = trajectory.frame_count() - 1;
  const double at = std::clamp(time * trajectory.frame_rate, 0.0, double(last));
  const int before = std::min(static_cast<int>(at), std::max(0, last - 1));
  const int after = std::min(before + 1, last);
  const double fraction = at - before;
  pose.coordinates =
      (1.0 - fraction) * trajectory.coordinates[before] + fraction * trajectory.coordinates[after];
  pose.root_world =
      interpolate(trajectory.roots_world[before], trajectory.roots_world[after], fraction);
}

InteractionTrajectory come_to_rest(const InteractionTrajectory& trajectory, double seconds) {
  InteractionTrajectory made = trajectory;
  const double slowed = std::min(kSlowed, trajectory.duration());
  const double begins = trajectory.duration() - slowed;
  // At half the speed on average, the slowed part takes twice its time.
  const int frames =
      static_cast<int>((begins + 2.0 * slowed + seconds) * trajectory.frame_rate + 1e-9) + 1;
  made.roots_world.clear();
  made.coordinates.clear();
  ReferencePose pose;
  for (int f = 0; f < frames; ++f) {
    const double time = f / trajectory.frame_rate;
    const double after = std::clamp(time - begins, 0.0, 2.0 * slowed);
    const double at = slowed > 0.0 ? after - after * after / (4.0 * slowed) : 0.0;
    reference_at(trajectory, std::min(time, begins) + at, pose);
    made.roots_world.push_back(pose.root_world);
    made.coordinates.push_back(pose.coordinates);
  }
  return made;
}

Mat3 endpoint_compliance(const Hand& hand, const HandCompliance& compliance,
                         const Transform& root_world, const Eigen::VectorXd& coordinates,
                         int segment, const Vec3& point_segment) {
  HandKinematics kinematics(hand);
  kinematics.update(root_world, coordinates);
  Eigen::Matrix<double, 3, Eigen::Dynamic> jacobian(3, 6 + hand.dof());
  kinematics.point_jacobian(segment, kinematics.frames_world()[segment] * point_segment, jacobian);
  const Mat3 turn = root_world.rotation.toRotationMatrix();
  jacobian.leftCols<3>() *= turn;
  jacobian.middleCols<3>(3) *= turn;
  Eigen::VectorXd c(6 + hand.dof());
  c << compliance.root, compliance.joints;
  return jacobian * c.asDiagonal() * jacobian.transpose();  // eq. 5
}

}  // namespace prehend::interaction
