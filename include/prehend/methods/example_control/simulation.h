// Hands that run controllers, objects and surroundings, stepped in time (Pollard and Zordan 2005,
// sections 3 to 7).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/rigid_curve.h"
#include "prehend/core/summary.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/methods/example_control/blend.h"
#include "prehend/physics/state.h"

namespace prehend::example_control {

// What the grip does besides its setpoints.
enum class Grip {
  kPaper,  // nothing
  kHold,   // joint torques that carry the object, from its live contacts. Of a hand without an
           // object to hold it changes nothing.
};

// Terms of eq. 1 and eq. 3 that can be taken away, to see what each is good for.
struct Terms {
  bool arm = true;
  bool gravity = true;
  bool limits = true;
  bool passive = true;
  bool active = true;
};

// Someone's hand on a wrist that is moved.
struct ControlledHand {
  HandPtr hand;  // of profile "ball"
  std::shared_ptr<const Controller> controller;
  RigidCurve wrist_world;
  int target_object = 0;  // -1: the other hand
  // Instead of measuring, what the palm still has to go at `distance_rate` samples a second: the
  // example's own, for motion without the object.
  std::vector<double> distances;
  double distance_rate = 0.0;
  std::optional<Eigen::VectorXd> start_angles;  // left empty: at rest at the first setpoint
  Release release;
  double alpha = 0.0;
  bool open_while_closing = false;
  // N m/rad of every degree of freedom at the grip, the others held, instead of what gains and
  // inertia make; zero: as they make it. Left empty: all of them. Springs that would swing are
  // damped critically.
  Eigen::VectorXd joint_stiffness;
};

struct PlacedObject {
  ObjectPtr object;
  Transform pose_world;
  // Of the same shape; left empty, it is made. Sharing it shares what was sampled of a mesh so far.
  geometry::PreparedObjectPtr prepared;
};

struct SimulationProblem {
  std::vector<ControlledHand> hands;
  std::vector<PlacedObject> objects;
  std::optional<double> floor_height;
  double floor_friction = 0.6;
  Vec3 gravity = gravity_world();
};

struct HoldOptions {
  // Forces are planned as if friction were this much less than it is.
  double friction_margin = 1.5;
  // Besides the forces that carry the object, the digits squeeze it. Three sums of normal forces,
  // each in weights of the object: the least squeeze, ...
  double squeeze = 0.5;
  // ... what an alpha of one adds to the least, ...
  double squeeze_of_alpha = 8.0;
  // ... and how far the squeeze may grow while the object slips or its contacts cannot carry it.
  double max_squeeze = 5.0;
  // What slips is drawn back to where it was gripped, as by a critically damped spring of this
  // frequency, rad/s; a lasting offset is worked off within `integral_seconds`.
  double frequency = 15.0;
  double integral_seconds = 0.5;
  // So long after the grip began, where the object is counts as its place. Until then it is drawn
  // into the palm, by this many times its weight.
  double settle_seconds = 1.0;
  double draw = 0.5;
  double period = 0.004;        // s between two solutions
  double blend_seconds = 0.15;  // in which the force comes and goes
  // At one place: newtons, and times the weight, since what little leverage cannot hold great
  // forces crush.
  double max_contact_force = 20.0;
  double max_contact_weights = 4.0;
  // Joints are heavier than their bones, so that forces that come and go do not throw light
  // fingertips about; the controller knows it, so free motion is the same. This is what it adds to
  // the mass that a straight digit's tip shows to whatever pushes it, kg (physics/
  // fingertip_inertia.h). With 6 g, tips of digits bent by up to 30 degrees a joint show 7 to 17 g;
  // people's show 6 to 18 g (Kry and Pai 2006, table 2).
  double fingertip_mass = 0.006;
  // k_JL at least, 1/s^2: table 1's lets forces that carry things bend joints by tens of degrees.
  double limit_stiffness = 50000.0;
  // While what is touched cannot carry the object, the hand closes on: eq. 15-16's alpha rises by
  // this much a second, up to a limit.
  double closing_rate = 1.5;
  double max_alpha = 1.5;
};

struct SimulationOptions {
  double timestep = 0.002;
  double frame_rate = 60.0;
  Grip grip = Grip::kHold;
  HoldOptions hold;
  Terms terms;
  std::optional<Gains> gains;  // instead of the controllers'
  physics::RootStrength wrist_strength;
};

// What is asked of a hand at a step.
struct Cue {
  bool grip = false;
  bool release = false;
  // By hand (figure 7): this setpoint alone, whatever the state.
  std::optional<Setpoint> setpoint;
  std::optional<double> alpha;  // from now on
  // Instead of the curve, given at every step; a new one may come as seldom as a mouse or a tracker
  // knows it. It is followed 40 ms late, so that jumps make a smooth motion whose acceleration the
  // fingers are spared.
  std::optional<Transform> wrist;
};

// The steps, for whoever drives them: a method's run, a studio's hand on the mouse.
class Simulation {
 public:
  static Result<Simulation> build(const SimulationProblem& problem,
                                  const SimulationOptions& options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  // One timestep. `cues` has one entry a hand, or none.
  void step(std::span<const Cue> cues = {});

  const physics::State& state() const;
  physics::State& state();
  double time() const;
  Phase phase(int hand) const;
  const Blend& blend(int hand) const;
  double distance(int hand) const;                 // what the palm still has to go, m
  const Eigen::VectorXd& torques(int hand) const;  // of the last step, angular components a joint
  const Eigen::VectorXd& angles(int hand) const;   // axis-angle, at the beginning of the last step
  // N m/rad of every degree of freedom at the grip, the others held: twice k_S times the inertia,
  // since passive and active springs pull together.
  const Eigen::VectorXd& joint_stiffness(int hand) const;
  // Sum of normal forces of the hand on its target at the last step, N.
  double contact_force(int hand) const;

 private:
  Simulation();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace prehend::example_control
