// What an interaction capture records: motion and contact forces, each at its own rate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/methods/interaction/trajectory.h"

namespace prehend::interaction {

// The force on one segment of the hand, as a sensor under it or on it measures it.
struct ForceChannel {
  int segment = -1;
  double rate = 500.0;               // Hz
  double start = 0.0;                // s of the first sample on the motion's clock
  std::vector<Vec3> points_segment;  // where it acts, in the segment's frame
  std::vector<Vec3> forces_world;    // on the hand, N

  double end() const { return start + (static_cast<double>(forces_world.size()) - 1.0) / rate; }
};

struct Capture {
  std::string name;
  HandPtr hand;
  double frame_rate = 500.0;
  std::vector<Transform> roots_world;        // one a frame
  std::vector<Eigen::VectorXd> coordinates;  // one a frame
  std::vector<ForceChannel> channels;
  std::vector<TrajectoryObject> objects;

  int frame_count() const { return static_cast<int>(coordinates.size()); }
  double duration() const { return frame_count() < 2 ? 0.0 : (frame_count() - 1) / frame_rate; }
};

// Motion and forces are there, agree with the hand, are finite and overlap in time.
Status validate(const Capture& capture);

// The offset of the forces' clock that makes their changes and the jerks of the joints that bear
// them fall together best, within `most` seconds; nothing when neither changes enough to tell.
std::optional<double> clock_offset(const Capture& capture, double most = 0.5);
void shift_forces(Capture& capture, double seconds);

// Torques that the contacts exert, one column a frame: six of the root (force, then torque about
// its origin, along its own axes) and one a coordinate, tau = J^T f (eq. 2).
Eigen::MatrixXd contact_torques(const Capture& capture);

// A clip that carries contact forces as a capture: one channel a segment that touches.
Result<Capture> capture_of(const Clip& clip, int hand);

}  // namespace prehend::interaction
