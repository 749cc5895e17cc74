// Ye and Liu 2012, section 4.3.
// Implements: the guiding configuration of the next frame from a choice, then the kinematic and the
//   dynamic test.
// Departs:    a digit that cannot keep its place on the skin first rolls: another place of the same
//   segment's skin meets the same point of the object (the paper lets collision detection find it).
//   Where that is not enough and the search allows it, the place creeps (see max_creep).
#include "methods/contact_sampling/frame_step.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace prehend::contact_sampling {
namespace {

// Processor time of this thread: what others compute beside does not count.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A finger is lifted this high between two contacts, m.
constexpr double kLift = 0.008;
// Deepest that anything of the hand may enter the object, m.
constexpr double kDeepestContact = 0.0009;
// A digit that stops on its way to a contact comes down at this speed, m/s.
constexpr double kLandingSpeed = 0.1;

}  // namespace

void TestTimes::add(const TestTimes& other) {
  kinematic_seconds += other.kinematic_seconds;
  dynamic_seconds += other.dynamic_seconds;
  kinematic_tests += other.kinematic_tests;
  dynamic_tests += other.dynamic_tests;
}

FrameStep::FrameStep(const Scene& scene, const HoldPlan& plan, const Start& start, bool creeping,
                     int direction)
    : scene_(scene),
      plan_(plan),
      hold_(*plan.hold),
      start_(start),
      creeping_(creeping),
      direction_(direction) {
  tests_.reserve(hold_.hands.size());
  surfaces_.resize(hold_.hands.size());
  for (const int hand : hold_.hands) tests_.emplace_back(scene.hands[hand], *scene.options);
}

Transform FrameStep::wrist_world(int hand, int frame) const {
  return held_wrist(scene_, hold_, hold_.hands[hand], plan_.calm[hand], start_.hands[hand].offset,
                    frame);
}

bool FrameStep::begin(State& state, Failure& failure) {
  state = State{};
  state.frame = start_.frame;
  for (const HandStart& hand : start_.hands) {
    HandState& own = state.hands.emplace_back();
    own.pose = hand.pose;
    own.guides = hand.guides;
    for (int d = 0; d < kDigitCount; ++d) {
      own.strategies[d] = hand.guides[d].active ? Strategy::kStatic : Strategy::kFree;
    }
  }
  return test(nullptr, nullptr, state, failure);
}

Guide FrameStep::next_guide(const Guide& guide, DigitChoice choice, int done) const {
  const auto& exact = *scene_.objects[hold_.object].prepared->exact();
  Guide next = guide;
  switch (choice.strategy) {
    case Strategy::kFree:
      next.active = false;
      return next;
    case Strategy::kStatic:
    case Strategy::kRolling:
      // A digit that was on its way comes down.
      next.hover = std::max(0.0, guide.hover - kLandingSpeed * scene_.frame_time());
      return next;
    case Strategy::kSliding: {
      const Vec3 along =
          choice.slide_object - choice.slide_object.dot(guide.normal_object) * guide.normal_object;
      const auto on = exact.closest(guide.point_object +
                                    choice.speed * scene_.frame_time() * along.normalized());
      next.point_object = on.point;
      next.normal_object = on.normal;
      return next;
    }
    case Strategy::kRelocating:
      break;
  }
  if (done >= choice.frames) return next;  // it has arrived
  const double share = minimum_jerk(static_cast<double>(done + 1) / choice.frames);
  const Vec3 between =
      choice.from.point_object + share * (choice.to.point_object - choice.from.point_object);
  const auto on = exact.closest(between);
  next = choice.to;
  next.active = true;
  next.point_object = share < 1.0 ? on.point : choice.to.point_object;
  next.normal_object = share < 1.0 ? on.normal : choice.to.normal_object;
  next.hover =
      share < 1.0 ? (1.0 - share) * choice.from.hover + kLift * 4.0 * share * (1.0 - share) : 0.0;
  return next;
}

bool FrameStep::advance(const State& before, const Choice& choice, int done, State& after,
                        Failure& failure) {
  after.frame = before.frame + direction_;
  after.hands.resize(before.hands.size());
  for (size_t h = 0; h < before.hands.size(); ++h) {
    HandState& hand = after.hands[h];
    hand.pose = before.hands[h].pose;
    for (int d = 0; d < kDigitCount; ++d) {
      const DigitChoice& own = choice.hands[h][d];
      hand.guides[d] = next_guide(before.hands[h].guides[d], own, done);
      hand.strategies[d] = own.strategy;
      if (own.strategy == Strategy::kRelocating && done >= own.frames)
        hand.strategies[d] = Strategy::kStatic;
    }
  }
  return test(&before, &choice, after, failure);
}

bool FrameStep::test(const State* before, const Choice* choice, State& state, Failure& failure) {
  plan_.obstacles(scene_, state.frame, obstacles_);
  for (int h = 0; h < static_cast<int>(state.hands.size()); ++h) {
    if (!pose_hand(before, h, state, failure)) return false;
    if (h + 1 == static_cast<int>(state.hands.size())) break;
    // The hands that come after keep out of this one.
    tests_[h].place(state.hands[h].pose, wrist_world(h, state.frame));
    surfaces_[h].set(tests_[h].gaps());
    obstacles_.push_back({&surfaces_[h], Transform()});
  }
  return explain(before, choice, state, failure);
}

bool FrameStep::pose_hand(const State* before, int hand, State& state, Failure& failure) {
  const double started = thread_seconds();
  HandState& own = state.hands[hand];
  const Transform& object_world = scene_.objects[hold_.object].poses_world[state.frame];
  const Eigen::VectorXd previous = own.pose;
  KinematicTest::Input input;
  input.wrist_world = wrist_world(hand, state.frame);
  input.object_world = object_world;
  input.guides = &own.guides;
  input.previous = &previous;
  input.obstacles = obstacles_;
  if (before) input.greatest_change = scene_.options->max_joint_speed * scene_.frame_time();
  DigitStrategies gave_way;
  const KinematicOutcome outcome = tests_[hand].follow(
      input, *scene_.objects[hold_.object].prepared->exact(),
      creeping_ ? scene_.options->max_creep * scene_.frame_time() : 0.0, own.guides, gave_way);
  for (int d = 0; d < kDigitCount; ++d) {
    if (gave_way[d] != Strategy::kStatic) own.strategies[d] = gave_way[d];
  }
  own.pose = tests_[hand].pose();
  times_.kinematic_seconds += thread_seconds() - started;
  ++times_.kinematic_tests;
  if (outcome.feasible) return true;
  failure = {true, outcome.cause, hand, outcome.digit, outcome.other, failure.repeated};
  return false;
}

// Where the pads of free digits are, so that they can land.
void FrameStep::watch_free_pads(const Transform& object_world, int hand, State& state) {
  const Hand& shape = *scene_.hands[hold_.hands[hand]].hand;
  const auto& frames = tests_[hand].kinematics().frames_world();
  for (int d = 0; d < kDigitCount; ++d) {
    Guide& guide = state.hands[hand].guides[d];
    const FingerPad& pad = shape.pads[d];
    if (guide.active || pad.segment < 0) continue;
    guide.point_object = object_world.inverse() * (frames[pad.segment] * pad.point);
  }
}

bool FrameStep::explain(const State* before, const Choice* choice, State& state, Failure& failure) {
  const SceneObject& object = scene_.objects[hold_.object];
  const Transform& object_world = object.poses_world[state.frame];
  state.contacts.clear();
  for (int h = 0; h < static_cast<int>(state.hands.size()); ++h) {
    const bool fine =
        tests_[h].touching(state.hands[h].pose, wrist_world(h, state.frame), object_world,
                           *obstacles_[0].distance, h, hold_.object, state.contacts);
    watch_free_pads(object_world, h, state);
    // The solver moves fingers alone; where the palm enters the object, nothing that it does helps.
    const bool entered =
        std::any_of(state.contacts.begin(), state.contacts.end(),
                    [](const TestContact& test) { return test.contact.gap < -kDeepestContact; });
    if (!fine || entered) {
      failure = {true, DeadEnd::kCollision, h, Digit::kNone, Digit::kNone, failure.repeated};
      return false;
    }
  }
  for (size_t h = 1; h < tests_.size(); ++h) {
    if (entered_by(tests_[0].gaps(), tests_[h].gaps()) <= kSelfDeepest) continue;
    failure = {true, DeadEnd::kCollision, int(h), Digit::kNone, Digit::kNone, failure.repeated};
    return false;
  }
  if (scene_.options->proxy_points) add_proxies(*object.prepared->exact(), state.contacts);
  for (TestContact& test : state.contacts) {
    if (test.contact.digit == Digit::kNone) continue;
    const int d = static_cast<int>(test.contact.digit);
    const Strategy strategy = state.hands[test.contact.hand].strategies[d];
    if (choice && strategy == Strategy::kSliding &&
        choice->hands[test.contact.hand][d].strategy == Strategy::kSliding) {
      const Vec3& along = choice->hands[test.contact.hand][d].slide_object;
      test.slide_object =
          (along - along.dot(test.contact.normal_object) * test.contact.normal_object).normalized();
    }
    if (before && scene_.options->idle_weight != 1.0) {
      const bool pushed = std::any_of(before->contacts.begin(), before->contacts.end(),
                                      [&](const TestContact& other) {
                                        return other.contact.hand == test.contact.hand &&
                                               other.contact.digit == test.contact.digit &&
                                               other.contact.force_world.squaredNorm() > 0.0;
                                      });
      if (!pushed) test.weight = scene_.options->idle_weight;
    }
  }
  const double started = thread_seconds();
  state.residual =
      dynamics_.solve(object.load(state.frame), state.contacts, object.supports[state.frame]);
  times_.dynamic_seconds += thread_seconds() - started;
  ++times_.dynamic_tests;
  state.supports = dynamics_.support_forces();
  if (state.residual <= kExplained) return true;
  failure = {true, DeadEnd::kForce, 0, Digit::kNone, Digit::kNone, failure.repeated};
  return false;
}

}  // namespace prehend::contact_sampling
