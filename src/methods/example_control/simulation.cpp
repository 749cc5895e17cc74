// Pollard and Zordan 2005, sections 3 to 7: the states, torques and grip of the room's other files,
// put together and stepped in time. The wrist's strength and the hold are beyond the paper.
#include "prehend/methods/example_control/simulation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "methods/example_control/hand_torques.h"
#include "methods/example_control/holding/hold.h"
#include "methods/example_control/holding/wrist_follower.h"
#include "prehend/core/assert.h"
#include "prehend/hands/palm.h"
#include "prehend/physics/dynamics.h"
#include "prehend/physics/fingertip_inertia.h"
#include "prehend/physics/grasp_proof.h"

namespace prehend::example_control {
namespace {

// Between measurements of a palm far from its target or gripping it, s: a look through the exact
// mesh is dear, and nothing hurries.
constexpr double kFarPeriod = 0.01;
constexpr double kNear = 0.04;  // m: closer, the quick field knows the distance

}  // namespace

struct Simulation::Impl {
  struct Hand {
    ControlledHand problem;
    HandTorques torques;
    PhaseMachine machine;
    std::vector<int> palm;
    std::vector<Transform> frames_world;
    std::optional<Hold> hold;
    double alpha = 0.0;
    double distance = 0.0;
    double measured = -1.0;  // when, s
    Blend blend = Blend::Zero();
    std::vector<double> strength;  // of the joints, N m
    Eigen::VectorXd applied;
    Eigen::VectorXd stiffness;  // of the joints at the grip, N m/rad
    Eigen::VectorXd beyond;     // the setpoints, on an object
    std::vector<Contact> contacts;
    std::optional<WristFollower> follower;  // while cues move the wrist
  };

  SimulationOptions options;
  std::vector<std::shared_ptr<const geometry::SignedDistance>> fields;
  std::vector<std::shared_ptr<const geometry::ExactDistance>> exact;
  std::vector<Hand> hands;
  std::optional<physics::State> state;
  Eigen::VectorXd wanted, applied;
  std::vector<Contact> contacts;

  double palm_gap(Hand& hand, int index);
  void measure(Hand& hand, int index);
  RigidCurve::Motion wrist(Hand& hand, const Cue& cue) const;
  void hold(Hand& hand, int index, const RigidCurve::Motion& wrist, const Cue& cue);
  void bound(const Hand& hand);
  Status stiffen(Hand& hand, int index, const Controller& controller, const Gains& gains);
};

// Finds how stiff the joints are at the grip, and makes them as stiff as was asked for.
Status Simulation::Impl::stiffen(Hand& hand, int index, const Controller& controller,
                                 const Gains& gains) {
  state->set_hand(index, hand.problem.wrist_world.at(0.0).pose,
                  controller.rest_pose(Setpoint::kGrip));
  Eigen::MatrixXd mass;
  physics::mass_matrix(*state, mass);
  hand.stiffness =
      2.0 * gains.stiffness * mass.diagonal().segment(hand.torques.first(), hand.torques.count());
  const Eigen::VectorXd& asked = hand.problem.joint_stiffness;
  if (asked.size() == 0) return {};
  PREHEND_ASSERT(asked.size() == hand.stiffness.size());
  const Eigen::VectorXd times =
      (asked.array() > 0.0).select(asked.cwiseQuotient(hand.stiffness), 1.0);
  Gains most = gains;
  most.stiffness *= std::max(1.0, times.maxCoeff());
  most.damping = std::max(gains.damping, std::sqrt(2.0 * most.stiffness));
  if (const Status stable = stable_at(most, options.timestep); !stable) return stable;
  hand.torques.stiffen(times);
  hand.stiffness = hand.stiffness.cwiseProduct(times).eval();
  return {};
}

double Simulation::Impl::palm_gap(Hand& hand, int index) {
  const ::prehend::Hand& mine = *hand.problem.hand;
  const int target = hand.problem.target_object;
  if (target < 0) {
    const Hand& other = hands[index == 0 ? 1 : 0];
    return hands::gap_to_hand(mine, hand.palm, hand.frames_world, *other.problem.hand, other.palm,
                              other.frames_world);
  }
  const Transform pose = state->object_pose(target);
  // The quick field is a lower bound far away.
  const double quick =
      hands::gap_to_object(mine, hand.palm, hand.frames_world, pose, *fields[target]);
  if (quick < kNear) return quick;
  return hands::far_gap_to_object(mine, hand.palm, hand.frames_world, pose, *exact[target]);
}

void Simulation::Impl::measure(Hand& hand, int index) {
  const double time = state->time();
  if (!hand.problem.distances.empty()) {
    const auto& track = hand.problem.distances;
    const double at = std::clamp(time * hand.problem.distance_rate, 0.0, double(track.size() - 1));
    const size_t before = std::min(static_cast<size_t>(at), track.size() - 1);
    const size_t after = std::min(before + 1, track.size() - 1);
    hand.distance = track[before] + (at - double(before)) * (track[after] - track[before]);
    return;
  }
  const bool far = hand.distance > kNear + 0.01;
  const bool gripping = hand.machine.phase() == Phase::kGripping;
  if ((far || gripping) && hand.measured >= 0.0 && time < hand.measured + kFarPeriod) return;
  hand.measured = time;
  const double gap = palm_gap(hand, index) - hand.problem.controller->grip_distance;
  hand.distance = std::max(0.0, gap);
}

RigidCurve::Motion Simulation::Impl::wrist(Hand& hand, const Cue& cue) const {
  if (!cue.wrist) {
    hand.follower.reset();
    return hand.problem.wrist_world.at(state->time());
  }
  if (!hand.follower) hand.follower.emplace(hand.problem.wrist_world.at(state->time()));
  hand.follower->advance(*cue.wrist, options.timestep);
  return hand.follower->motion();
}

void Simulation::Impl::hold(Hand& hand, int index, const RigidCurve::Motion& wrist,
                            const Cue& cue) {
  // A setpoint asked for by hand also says whether to hold: only the grip's own does.
  const bool gripping =
      cue.setpoint ? *cue.setpoint == Setpoint::kGrip : hand.machine.phase() == Phase::kGripping;
  const int target = hand.problem.target_object;
  hand.contacts.clear();
  for (const Contact& contact : contacts) {
    if (contact.by.is_hand(index) && contact.on.is_object(target)) hand.contacts.push_back(contact);
  }
  hand.hold->update(
      {hand.frames_world, wrist, state->object_pose(target), state->object_twist(target),
       state->world().options().gravity, hand.contacts, hand.alpha},
      gripping, options.timestep);
  applied.segment(hand.torques.first(), hand.torques.count()) += hand.hold->torques();
}

// No joint turns harder than its muscles can. The paper bounds none.
void Simulation::Impl::bound(const Hand& hand) {
  if (options.grip == Grip::kPaper) return;
  for (size_t j = 0; j < hand.strength.size(); ++j) {
    auto torque = applied.segment<3>(hand.torques.first() + 3 * static_cast<int>(j));
    const double size = torque.norm();
    if (size > hand.strength[j]) torque *= hand.strength[j] / size;
  }
}

Simulation::Simulation() : impl_(std::make_unique<Impl>()) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

namespace {

// Whether there is something that the hand could hold. A hand that reaches for another hand, or
// goes along an example's distances, is the paper's.
bool holds(const ControlledHand& hand, const SimulationProblem& problem,
           const SimulationOptions& options) {
  return options.grip == Grip::kHold && hand.distances.empty() && hand.target_object >= 0 &&
         hand.target_object < static_cast<int>(problem.objects.size());
}

Gains gains_of(const ControlledHand& hand, const SimulationOptions& options, bool holds) {
  Gains gains = options.gains.value_or(hand.controller->gains);
  if (holds) gains.limit_stiffness = std::max(gains.limit_stiffness, options.hold.limit_stiffness);
  return gains;
}

// Forces that carry lean on limits, so these may not lie beyond the hand's own, as those of a
// library of another rig do where the thumb turns about two axes at once.
std::shared_ptr<const Controller> controller_of(const ControlledHand& hand, bool holds) {
  if (!holds) return hand.controller;
  return std::make_shared<const Controller>(within_range(*hand.controller, *hand.hand));
}

Status check(const SimulationProblem& problem, const SimulationOptions& options) {
  if (problem.hands.empty()) return Error{"nothing to simulate: no hand"};
  for (const ControlledHand& hand : problem.hands) {
    PREHEND_ASSERT(hand.hand != nullptr && hand.controller != nullptr);
    if (Status ok = validate(*hand.controller); !ok) return ok;
    if (Status ok = fits_hand(*hand.controller, *hand.hand); !ok) return ok;
    if (Status ok =
            stable_at(gains_of(hand, options, holds(hand, problem, options)), options.timestep);
        !ok)
      return ok;
    if (!hand.distances.empty()) continue;
    if (hand.target_object < 0 && problem.hands.size() != 2)
      return Error{fmt::format("hand '{}' reaches for another hand, and there are {} hands",
                               hand.hand->name, problem.hands.size())};
    if (hand.target_object >= static_cast<int>(problem.objects.size()))
      return Error{fmt::format("hand '{}' reaches for object {}, and there are {}", hand.hand->name,
                               hand.target_object + 1, problem.objects.size())};
  }
  return {};
}

Result<physics::WorldPtr> build_world(
    const SimulationProblem& problem, const SimulationOptions& options,
    const std::vector<std::shared_ptr<const geometry::SignedDistance>>& fields) {
  std::vector<physics::HandSetup> hands;
  for (const ControlledHand& hand : problem.hands) {
    physics::HandSetup setup;
    setup.hand = hand.hand;
    // The controller has springs, dampers and limits of its own.
    setup.passive_joints = setup.joint_limits = false;
    setup.strength = options.wrist_strength;
    if (holds(hand, problem, options))
      setup.added_inertia_of_joints =
          physics::fingertip_inertia(*hand.hand, options.hold.fingertip_mass);
    hands.push_back(setup);
  }
  std::vector<physics::ObjectSetup> objects;
  for (size_t i = 0; i < problem.objects.size(); ++i)
    objects.push_back({problem.objects[i].object, fields[i], false});
  physics::WorldOptions world;
  world.timestep = options.timestep;
  world.gravity = problem.gravity;
  world.floor_height = problem.floor_height;
  world.floor_friction = problem.floor_friction;
  world.solver_tolerance = 1e-6;
  return physics::World::build(hands, objects, world);
}

}  // namespace

Result<Simulation> Simulation::build(const SimulationProblem& problem,
                                     const SimulationOptions& options) {
  if (Status ok = check(problem, options); !ok) return ok.error();
  Simulation simulation;
  Impl& impl = *simulation.impl_;
  impl.options = options;
  for (const PlacedObject& placed : problem.objects) {
    const auto prepared = placed.prepared ? placed.prepared : geometry::prepare(placed.object);
    impl.exact.push_back(prepared->exact());
    impl.fields.push_back(prepared->contact());
  }
  const auto world = build_world(problem, options, impl.fields);
  if (!world) return world.error();
  impl.state.emplace(*world);
  for (size_t i = 0; i < problem.objects.size(); ++i)
    impl.state->set_object_pose(static_cast<int>(i), problem.objects[i].pose_world);
  for (int h = 0; h < static_cast<int>(problem.hands.size()); ++h) {
    const ControlledHand& given = problem.hands[h];
    const bool holding = holds(given, problem, options);
    const Gains gains = gains_of(given, options, holding);
    const auto controller = controller_of(given, holding);
    Impl::Hand hand{given, HandTorques(**world, h, controller, gains, options.terms),
                    PhaseMachine(given.controller->distances, given.release),
                    hands::palm_segments(*given.hand)};
    for (const Segment& segment : physics::with_strength(*given.hand).segments)
      if (!segment.joints.empty()) hand.strength.push_back(segment.joints[0].max_torque);
    hand.alpha = given.alpha;
    hand.frames_world.resize(given.hand->segments.size());
    if (holding)
      hand.hold.emplace(*given.hand, problem.objects[given.target_object].object, options.hold);
    if (const Status stiff = impl.stiffen(hand, h, *controller, gains); !stiff)
      return stiff.error();
    impl.state->set_hand(h, given.wrist_world.at(0.0).pose,
                         given.start_angles.value_or(controller->rest_pose(Setpoint::kNeutral)));
    impl.hands.push_back(std::move(hand));
  }
  impl.wanted.setZero((*world)->dof());
  impl.applied.setZero((*world)->dof());
  return simulation;
}

void Simulation::step(std::span<const Cue> cues) {
  Impl& impl = *impl_;
  physics::State& state = *impl.state;
  static const Cue kNone;
  const auto cue_of = [&](size_t h) -> const Cue& { return h < cues.size() ? cues[h] : kNone; };
  std::array<RigidCurve::Motion, 2> few;
  std::vector<RigidCurve::Motion> many;
  if (impl.hands.size() > few.size()) many.resize(impl.hands.size());
  const std::span<RigidCurve::Motion> wrists = many.empty() ? std::span(few) : std::span(many);
  for (size_t h = 0; h < impl.hands.size(); ++h) {
    wrists[h] = impl.wrist(impl.hands[h], cue_of(h));
    state.set_root_target(static_cast<int>(h), wrists[h].pose,
                          {wrists[h].velocity, wrists[h].angular_velocity},
                          {wrists[h].acceleration, wrists[h].angular_acceleration});
  }
  state.begin_step();
  for (size_t h = 0; h < impl.hands.size(); ++h)
    physics::segment_frames(state, static_cast<int>(h), impl.hands[h].frames_world);
  for (size_t h = 0; h < impl.hands.size(); ++h) {
    Impl::Hand& hand = impl.hands[h];
    const Cue& cue = cue_of(h);
    impl.measure(hand, static_cast<int>(h));
    if (cue.alpha) hand.alpha = *cue.alpha;
    hand.machine.advance(hand.distance, impl.options.timestep, {cue.grip, cue.release});
    // What the hand knows of closing on takes the place of eq. 15-16, where it holds something.
    const double alpha = hand.alpha + (hand.hold ? hand.hold->extra_alpha() : 0.0);
    const bool closes = hand.hold && hand.problem.controller->closing.size() > 0;
    const bool gripping = hand.machine.phase() == Phase::kGripping && !cue.setpoint;
    hand.blend = example_control::blend(hand.machine.phase(), hand.distance,
                                        hand.problem.controller->distances,
                                        {closes ? 0.0 : alpha, hand.problem.open_while_closing});
    if (cue.setpoint) hand.blend = Blend::Unit(index_of(*cue.setpoint));
    hand.torques.read(state);
    hand.beyond.resize(0);
    if (closes && gripping) {
      hand.beyond = alpha * hand.problem.controller->closing;
      if (hand.problem.controller->touching.size() > 0)
        hand.beyond += hand.problem.controller->touching;
    }
    hand.torques.accelerations(hand.blend, impl.wanted, hand.beyond);
  }
  physics::multiply_mass(state, impl.wanted, impl.applied);
  impl.contacts.clear();
  if (impl.options.grip == Grip::kHold) state.contacts(impl.contacts);
  Eigen::VectorXd& applied = impl.applied;
  for (size_t h = 0; h < impl.hands.size(); ++h) {
    Impl::Hand& hand = impl.hands[h];
    // What the inertia couples into roots and objects is none of the hand's torques.
    const physics::DofRange dofs = state.world().hand_dofs(static_cast<int>(h));
    applied.segment(dofs.first, dofs.root).setZero();
    hand.torques.add_compensation(state, wrists[h], applied);
    if (hand.hold) impl.hold(hand, static_cast<int>(h), wrists[h], cue_of(h));
    impl.bound(hand);
    hand.applied = applied.segment(hand.torques.first(), hand.torques.count());
  }
  state.set_applied(applied);
  state.end_step();
}

const physics::State& Simulation::state() const { return *impl_->state; }
physics::State& Simulation::state() { return *impl_->state; }
double Simulation::time() const { return impl_->state->time(); }
Phase Simulation::phase(int hand) const { return impl_->hands.at(hand).machine.phase(); }
const Blend& Simulation::blend(int hand) const { return impl_->hands.at(hand).blend; }
double Simulation::distance(int hand) const { return impl_->hands.at(hand).distance; }
const Eigen::VectorXd& Simulation::joint_stiffness(int hand) const {
  return impl_->hands.at(hand).stiffness;
}
const Eigen::VectorXd& Simulation::torques(int hand) const { return impl_->hands.at(hand).applied; }
const Eigen::VectorXd& Simulation::angles(int hand) const {
  return impl_->hands.at(hand).torques.angles();
}

double Simulation::contact_force(int hand) const {
  const int target = impl_->hands.at(hand).problem.target_object;
  double sum = 0.0;
  impl_->state->contacts(impl_->contacts);
  for (const Contact& contact : impl_->contacts) {
    const bool counts = target >= 0 ? contact.by.is_hand(hand) && contact.on.is_object(target)
                                    : contact.by.is_hand() && contact.on.is_hand();
    if (counts) sum -= contact.force_world.dot(contact.normal_world);
  }
  return sum;
}

}  // namespace prehend::example_control
