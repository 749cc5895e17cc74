// Replays an interaction trajectory on objects of any shape, size, mass and friction.
//
// Kry and Pai 2006, sections 7 and 8.1: the hand is quasi-static and gives way by its compliance,
// the objects are rigid bodies, and every step solves one linear complementarity problem for the
// contact forces.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/summary.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/methods/interaction/trajectory.h"

namespace prehend::interaction {

struct ReplayObject {
  geometry::PreparedObjectPtr object;  // Object::fixed: part of the surroundings
  Transform pose_world;
};

struct ReplayProblem {
  InteractionTrajectory trajectory;
  std::vector<ReplayObject> objects;
  Vec3 gravity = gravity_world();
  std::optional<double> floor_height;  // a level floor that nothing draws
  double floor_friction = 0.6;
};

// Section 8.1: how the grip answers a slip.
enum class GripAdjustment {
  kNone,
  kAfterSlip,    // unanticipated: a reaction time after fingertips began to slide
  kAnticipated,  // as soon as friction is nearly used up
};

struct ReplayOptions {
  double timestep = 0.002;  // s; the paper captures at 500 Hz
  // Edges of a friction pyramid, 2 m in the paper: even, at least 4. With 8 the pyramid holds
  // 92 % of the cone's friction in its worst direction, with 4 it holds 71 %. One edge points up.
  int pyramid_edges = 8;
  // m: surfaces nearer than this are watched as contacts that may close within the step, besides
  // what things move in one.
  double contact_margin = 0.0015;
  // m that an overlap is reduced by in one step at most. The paper takes it away at once, which
  // throws light objects when a contact jumps to another face.
  double overlap_per_step = 2e-4;
  GripAdjustment grip = GripAdjustment::kNone;
  double reaction_time = 0.1;   // s, of kAfterSlip: the paper's
  double slip_threshold = 0.9;  // of mu, of kAnticipated: the paper's
  double least_force = 0.2;     // N: lighter touches may slip; the paper's
  // 1/s: tightening multiplies compliances by exp(-rate dt). 6 doubles a grip in 0.12 s, within the
  // 0.1 to 0.2 s over which people raise their grip after a slip.
  double tightening_rate = 6.0;
  double least_share = 0.02;  // compliances are never reduced below this share
  double frame_rate = 60.0;   // of the clip
};

// One place of contact after a step.
struct ReplayContact {
  int segment = -1;  // of the hand; -1: object `first` touches
  int first = -1;    // object, where no segment touches
  int second = -1;   // object whose surface is touched; as many as there are objects: the floor
  Vec3 point_world = Vec3::Zero();
  Vec3 normal_world = Vec3::UnitY();  // unit, out of `second`
  Vec3 force_world = Vec3::Zero();    // on the hand or on `first`
  double gap = 0.0;                   // m before the step
  double friction = 0.0;
  double slip = 0.0;  // m slid in the step
};

struct StepReport {
  bool solved = false;
  double complementarity = 0.0;    // LcpResult::residual
  double equilibrium_error = 0.0;  // rad: largest of theta_err, eq. 7, before the step
  bool guessed = false;            // by the last step's active set, perhaps changed
  int pivots = 0, factorizations = 0, unknowns = 0;
};

// One replay in progress. Everything may be changed between two steps.
class Replay {
 public:
  // Fails on a bad trajectory, on options out of range and on an object that stands inside the
  // hand.
  static Result<Replay> create(const ReplayProblem& problem, const ReplayOptions& options = {});
  ~Replay();
  Replay(Replay&&) noexcept;
  Replay& operator=(Replay&&) noexcept;

  double time() const;
  double duration() const;  // of the trajectory
  // One timestep.
  const StepReport& step();

  const Hand& hand() const;
  HandPose hand_pose() const;
  const Eigen::VectorXd& coordinates() const;
  Transform object_pose(int object) const;
  // Of the center of mass, and about it, world.
  Vec3 linear_momentum(int object) const;
  Vec3 angular_momentum(int object) const;
  const std::vector<ReplayContact>& contacts() const;
  // What the compliance of the joints is multiplied by now: 1 until the grip tightens.
  double compliance_share() const;

  void set_compliance(const HandCompliance& compliance);
  void set_grip(GripAdjustment grip);
  void set_friction(int object, double friction);
  void set_mass(int object, double mass);
  // Of external forces on an object until changed, besides gravity.
  void set_force(int object, const Vec3& force_world);

 private:
  struct Impl;
  explicit Replay(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The first contact of a digit with a movable object, at every step: figure 14's curves.
struct GripTrace {
  std::vector<double> time;                       // s
  std::vector<std::vector<double>> normal_force;  // N, one list a digit
  std::vector<std::vector<double>> ratio;         // tangential over normal; 0 below least_force
  std::vector<double> compliance_share;
};

inline constexpr double kFallen = 0.5;  // m below the lowest place that it was put or carried to

struct ReplayReport {
  Clip clip;
  std::optional<double> fell_at;  // s when the first movable object had fallen
  int steps = 0;
  int solved = 0;
  double max_complementarity = 0.0;
  double equilibrium_error_rad = 0.0;       // largest
  double mean_equilibrium_error_rad = 0.0;  // of the steps with contact
  double slip_m = 0.0;  // farthest that a segment slid over an object in one stretch of contact
  double grip_force =
      0.0;  // N: mean sum of normal forces of the hand on movable objects, last 0.2 s
  double turned_rad = 0.0;   // largest turn of a movable object from where it stood
  double lifted_m = 0.0;     // of the first movable object at the end
  std::optional<bool> held;  // nothing when no object can move
  double guessed_fraction = 0.0;
  double mean_contacts = 0.0;      // of the steps with any
  double processor_seconds = 0.0;  // of the steps alone
  GripTrace grip;
  Summary summary;
};
// Runs to the trajectory's end, or until the first movable object has fallen by more than kFallen.
// Held: over the last 0.2 s the hand carries at least nine tenths of
// the first movable object's weight and the object moves less than 3 mm against the wrist.
Result<ReplayReport> run_replay(const ReplayProblem& problem, const ReplayOptions& options = {},
                                const Monitor& monitor = {});

}  // namespace prehend::interaction
