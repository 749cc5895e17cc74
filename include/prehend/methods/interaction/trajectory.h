// The interaction trajectory: how a hand meant to move and how its joints give way.
//
// Kry and Pai 2006, sections 3.3 to 3.5: the reference theta_r is where the joints would be without
// contact, and the compliance C turns contact torques into displacement, theta = theta_r + C tau.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "prehend/core/hand_pose.h"
#include "prehend/core/object.h"
#include "prehend/core/result.h"

namespace prehend::interaction {

struct HandCompliance {
  // Of the root: m/N along its own axes, then rad/(N m) about them. The wrist is the root of a hand
  // without an arm, so the wrist's compliance stands here.
  Eigen::Matrix<double, 6, 1> root = Eigen::Matrix<double, 6, 1>::Zero();
  Eigen::VectorXd joints;  // rad/(N m), one a coordinate; 0: rigid
};

// The two tasks of the paper's table 1.
enum class Task { kExploring, kScratching };
const char* to_string(Task task);

// Table 1's values for the wrist, the knuckle and the two joints of the index finger, used for
// every
// finger. The paper measured no others: sideways motion of the knuckle has the knuckle's value,
// joints of the thumb have half the values of a finger's joints of the same rank, metacarpals of
// fingers are rigid. A ball joint gives way as the joint in its place would: knuckles and the
// thumb's metacarpal in two directions, the others in flexion alone. Scratching's 0.8426 and 0.8432
// are upper bounds in the paper; 0.8 is used.
HandCompliance typical_compliance(const Hand& hand, Task task);

struct TrajectoryObject {
  ObjectPtr object;
  Transform pose_world;  // at the first frame
};

struct ReferencePose {
  Transform root_world;
  Eigen::VectorXd coordinates;
};

struct InteractionTrajectory {
  std::string name;
  HandPtr hand;
  double frame_rate = 500.0;
  std::vector<Transform> roots_world;        // reference, one a frame
  std::vector<Eigen::VectorXd> coordinates;  // reference theta_r, one a frame
  // Where the hand was at the first frame, if it touched something then: the reference would be
  // inside of what it held.
  std::optional<ReferencePose> start;
  HandCompliance compliance;
  HandCompliance low, high;          // of the compliance, where it was measured; else equal to it
  bool compliance_measured = false;  // else assumed
  std::vector<TrajectoryObject> objects;  // what was there when it was captured

  int frame_count() const { return static_cast<int>(coordinates.size()); }
  double duration() const { return frame_count() < 2 ? 0.0 : (frame_count() - 1) / frame_rate; }
};

// Sizes agree, numbers are finite, compliances are not negative.
Status validate(const InteractionTrajectory& trajectory);

// Interpolated; before the first frame and after the last it stands still. Allocates only if
// `pose` has no room yet.
void reference_at(const InteractionTrajectory& trajectory, double time, ReferencePose& pose);

// The same, but its last fifth of a second is slowed down to rest and its last pose then kept for
// `seconds`: to see whether what a hand carries when a recording is cut stays in it.
InteractionTrajectory come_to_rest(const InteractionTrajectory& trajectory, double seconds);

// G = J C J^T of one point of a segment (eq. 5): the displacement of the point in meters for a
// force in newtons, both in the world frame.
Mat3 endpoint_compliance(const Hand& hand, const HandCompliance& compliance,
                         const Transform& root_world, const Eigen::VectorXd& coordinates,
                         int segment, const Vec3& point_segment);

}  // namespace prehend::interaction
