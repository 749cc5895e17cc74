// Ye and Liu 2012, sections 4.3 and 6: a reconstructed motion with its contacts and forces, which
// are found again for the poses as they became.
#include <algorithm>
#include <cmath>

#include "methods/contact_sampling/reconstruct.h"
#include "methods/contact_sampling/strategy_text.h"

namespace prehend::contact_sampling {
namespace {

// Frictions, as parts of the object's, that are tried for the margin.
constexpr double kFrictionParts[] = {0.8, 0.6, 0.4, 0.2};
// Frames between those whose margin is looked at.
constexpr int kMarginStride = 4;

class SolutionMaker {
 public:
  SolutionMaker(const Scene& scene, const std::vector<HoldChoice>& holds,
                const std::vector<HandMotion>& motions)
      : scene_(scene), holds_(holds), motions_(motions) {
    for (const WorkingHand& hand : scene.hands) tests_.emplace_back(hand, *scene.options);
  }

  Solution make();

 private:
  void copy_tracks();
  void explain_object(int object, int frame);
  const State* state_at(const HoldChoice& hold, int object, int frame) const;
  void add_touching(const HoldChoice& choice, const State& state, int frame,
                    std::vector<TestContact>& contacts);
  void add_contact(const TestContact& test, const Transform& object_world, int frame);
  void add_support(const SupportForce& force, int object, int frame);
  void copy_strategies();
  void measure_wrists();
  void measure_creep();
  void measure_entering();
  void measure_margin(const DynamicTest::Load& load, int object, int frame,
                      std::vector<TestContact>& contacts);

  const Scene& scene_;
  const std::vector<HoldChoice>& holds_;
  const std::vector<HandMotion>& motions_;
  std::vector<KinematicTest> tests_;
  DynamicTest dynamics_;
  Solution solution_;
  int needed_ = 0, explained_ = 0;
};

void SolutionMaker::copy_tracks() {
  Clip& clip = solution_.clip;
  clip.frame_rate = scene_.problem->frame_rate;
  for (size_t h = 0; h < scene_.hands.size(); ++h) {
    HandTrack track{scene_.hands[h].full, {}};
    for (int f = 0; f < scene_.frames(); ++f) {
      track.poses.push_back(
          full_pose(scene_.hands[h], f, motions_[h].wrist_world[f], motions_[h].poses[f]));
    }
    clip.hands.push_back(std::move(track));
  }
  for (const SceneObject& object : scene_.objects)
    clip.objects.push_back({object.prepared->shared_object(), object.poses_world});
  for (const FixedObject& fixed : scene_.fixed)
    clip.objects.push_back(
        {fixed.object->shared_object(), std::vector<Transform>(scene_.frames(), fixed.pose_world)});
  clip.floor_height = scene_.problem->floor_height;
  clip.contacts.resize(scene_.frames());
  clip.forces_recorded = true;
  solution_.contacts.resize(scene_.frames());
}

const State* SolutionMaker::state_at(const HoldChoice& hold, int object, int frame) const {
  if (!hold.path || hold.path->states.empty() || hold.plan->hold->object != object) return nullptr;
  const int index = frame - hold.path->states.front().frame;
  if (index < 0 || index >= static_cast<int>(hold.path->states.size())) return nullptr;
  return &hold.path->states[index];
}

// Where the hands of a hold touch, and which of that the search slid.
void SolutionMaker::add_touching(const HoldChoice& choice, const State& state, int frame,
                                 std::vector<TestContact>& contacts) {
  const Hold& hold = *choice.plan->hold;
  const SceneObject& own = scene_.objects[hold.object];
  const size_t first = contacts.size();
  for (const int h : hold.hands) {
    tests_[h].touching(motions_[h].poses[frame], motions_[h].wrist_world[frame],
                       own.poses_world[frame], *own.prepared->contact(), h, hold.object, contacts);
  }
  for (size_t i = first; i < contacts.size(); ++i) {
    TestContact& test = contacts[i];
    for (const TestContact& found : state.contacts) {
      const int hand = hold.hands[found.contact.hand];
      if (hand != test.contact.hand || found.contact.digit != test.contact.digit ||
          found.slide_object.squaredNorm() == 0.0)
        continue;
      test.slide_object = found.slide_object;
    }
  }
}

// The one place where core's contacts are made from the hands'.
void SolutionMaker::add_contact(const TestContact& test, const Transform& object_world, int frame) {
  HandContact own = test.contact;
  const WorkingHand& hand = scene_.hands[own.hand];
  own.segment = hand.full_segment[own.segment];
  solution_.contacts[frame].push_back(own);
  Contact contact;
  contact.by = ContactSide::hand(own.hand, own.segment);
  contact.on = ContactSide::object(own.object);
  contact.point_on = own.point_object;
  contact.normal_world = object_world.turn(own.normal_object);
  contact.force_world = own.force_world;
  contact.torque_normal = own.torque_normal;
  contact.gap = own.gap;
  solution_.clip.contacts[frame].push_back(contact);
}

// And from the surroundings'.
void SolutionMaker::add_support(const SupportForce& force, int object, int frame) {
  if (force.force_world.squaredNorm() == 0.0) return;
  Contact contact;
  if (force.point.surrounding >= 0)
    contact.by =
        ContactSide::object(static_cast<int>(scene_.objects.size()) + force.point.surrounding);
  contact.on = ContactSide::object(object);
  contact.point_on = force.point.point_object;
  contact.normal_world = force.point.normal_world;
  contact.force_world = force.force_world;
  solution_.clip.contacts[frame].push_back(contact);
}

void SolutionMaker::measure_margin(const DynamicTest::Load& load, int object, int frame,
                                   std::vector<TestContact>& contacts) {
  double margin = 0.0;
  for (const double part : kFrictionParts) {
    if (dynamics_.solve(load, contacts, scene_.objects[object].supports[frame], part) > kExplained)
      break;
    margin = 1.0 - part;
  }
  solution_.min_margin = std::min(solution_.min_margin, margin);
}

void SolutionMaker::explain_object(int object, int frame) {
  const SceneObject& own = scene_.objects[object];
  const Transform& object_world = own.poses_world[frame];
  std::vector<TestContact> contacts;
  // Two holds at once: the object goes from one hand to the other.
  bool held = false;
  for (const HoldChoice& hold : holds_) {
    const State* state = state_at(hold, object, frame);
    if (!state) continue;
    held = true;
    add_touching(hold, *state, frame, contacts);
  }
  if (scene_.options->proxy_points) add_proxies(*own.prepared->exact(), contacts);
  for (TestContact& test : contacts) {
    // A proxy's surface is turned against that of its contact.
    const Vec3& normal = test.contact.normal_object;
    const Vec3 along = test.slide_object - test.slide_object.dot(normal) * normal;
    if (along.norm() > 1e-6) test.slide_object = along.normalized();
  }
  const DynamicTest::Load load = own.load(frame);
  const double residual = dynamics_.solve(load, contacts, own.supports[frame]);
  for (const TestContact& test : contacts) add_contact(test, object_world, frame);
  for (const SupportForce& force : dynamics_.support_forces()) add_support(force, object, frame);
  solution_.max_grip_N = std::max(solution_.max_grip_N, dynamics_.total_normal());
  const bool fine = residual <= kExplained;
  if (own.needs_hand[frame]) {
    ++needed_;
    explained_ += fine;
    if (fine && held && frame % kMarginStride == 0)
      measure_margin(load, object, frame, contacts);
    else if (!fine)
      solution_.min_margin = 0.0;
  }
}

void SolutionMaker::copy_strategies() {
  const DigitStrategies free = {};
  solution_.strategies.assign(scene_.hands.size(),
                              std::vector<DigitStrategies>(scene_.frames(), free));
  for (const HoldChoice& hold : holds_) {
    if (!hold.path) continue;
    for (const State& state : hold.path->states) {
      for (size_t h = 0; h < state.hands.size(); ++h) {
        solution_.strategies[hold.plan->hold->hands[h]][state.frame] = state.hands[h].strategies;
      }
    }
  }
}

// How far places moved over the object that nothing slid on purpose.
void SolutionMaker::measure_creep() {
  for (const HoldChoice& hold : holds_) {
    if (!hold.path) continue;
    for (size_t h = 0; h < hold.plan->hold->hands.size(); ++h) {
      for (int d = 0; d < kDigitCount; ++d) {
        double way = 0.0;
        for (size_t i = 1; i < hold.path->states.size(); ++i) {
          const HandState& before = hold.path->states[i - 1].hands[h];
          const HandState& now = hold.path->states[i].hands[h];
          const bool held = before.guides[d].active && now.guides[d].active &&
                            now.guides[d].hover <= kTouch &&
                            now.strategies[d] == Strategy::kSliding;
          bool chosen = false;
          for (const TestContact& test : hold.path->states[i].contacts) {
            chosen = chosen || (test.contact.hand == static_cast<int>(h) &&
                                static_cast<int>(test.contact.digit) == d &&
                                test.slide_object.squaredNorm() > 0.0);
          }
          if (held && !chosen)
            way += (now.guides[d].point_object - before.guides[d].point_object).norm();
        }
        solution_.creep_m = std::max(solution_.creep_m, way);
      }
    }
  }
}

void SolutionMaker::measure_entering() {
  std::vector<hands::Obstacle> obstacles;
  for (int f = 0; f < scene_.frames(); ++f) {
    obstacles = scene_.surroundings;
    for (const SceneObject& object : scene_.objects)
      obstacles.push_back({object.prepared->contact().get(), object.poses_world[f]});
    for (size_t h = 0; h < scene_.hands.size(); ++h) {
      solution_.entered_m =
          std::max(solution_.entered_m,
                   tests_[h].deepest(motions_[h].poses[f], motions_[h].wrist_world[f], obstacles));
      if (h > 0)
        solution_.entered_m =
            std::max(solution_.entered_m,
                     entered_by(tests_[0].gaps(), tests_[h].gaps()) - (kSelfDeepest - kDeepest));
    }
  }
}

void SolutionMaker::measure_wrists() {
  for (size_t h = 0; h < scene_.hands.size(); ++h) {
    for (int f = 0; f < scene_.frames(); ++f) {
      const Transform& captured = scene_.hands[h].wrist_world[f];
      const Transform& moved = motions_[h].wrist_world[f];
      solution_.wrist_shift_m =
          std::max(solution_.wrist_shift_m, (captured.position - moved.position).norm());
      solution_.wrist_turn_rad =
          std::max(solution_.wrist_turn_rad, angle_between(captured.rotation, moved.rotation));
    }
    int first = -1, last = -1;
    for (int f = 0; f < scene_.frames(); ++f) {
      for (const HandContact& contact : solution_.contacts[f]) {
        if (contact.hand != static_cast<int>(h) || contact.force_world.squaredNorm() == 0.0)
          continue;
        if (first < 0) first = f;
        last = f;
      }
    }
    solution_.first_contact.push_back(first);
    solution_.last_contact.push_back(last);
  }
}

Solution SolutionMaker::make() {
  copy_tracks();
  copy_strategies();
  solution_.min_margin = 1.0;
  for (int f = 0; f < scene_.frames(); ++f) {
    for (int o = 0; o < static_cast<int>(scene_.objects.size()); ++o) explain_object(o, f);
  }
  measure_wrists();
  measure_creep();
  measure_entering();
  solution_.solved_fraction = needed_ > 0 ? static_cast<double>(explained_) / needed_ : 1.0;
  if (needed_ == 0) solution_.min_margin = 0.0;
  solution_.strategy = strategy_text(solution_, scene_.problem->frame_rate);
  return std::move(solution_);
}

}  // namespace

Solution make_solution(const Scene& scene, const std::vector<HoldChoice>& holds,
                       const std::vector<HandMotion>& motions) {
  return SolutionMaker(scene, holds, motions).make();
}

}  // namespace prehend::contact_sampling
