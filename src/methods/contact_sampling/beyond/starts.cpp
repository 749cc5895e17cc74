// Beyond the paper: initial configurations are ranked by how much of the coming motion they explain
// (section 8 names this, "short horizon planning" and "grasp quality", as future work).
#include "methods/contact_sampling/beyond/starts.h"

#include <algorithm>
#include <cmath>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "methods/contact_sampling/beyond/hand_starts.h"
#include "prehend/hands/palm.h"

namespace prehend::contact_sampling {
namespace {

constexpr int kKeyFrames = 14;
// Frames of a hold for which grasps are looked for, where the wrist does not keep still.
constexpr int kAnchors = 5;
// Slack around the reachable volumes' samples, m.
constexpr double kVolumeSlack = 0.008;
// Pairs of two hands' ways that are tried.
constexpr int kPairs = 160;

ShiftedPatches patches_of(const Scene& scene, const HoldPlan& plan, int index,
                          const ReachableVolume& volume,
                          const std::vector<geometry::SurfacePoint>& surface, int frame) {
  const WorkingHand& hand = scene.hands[plan.hold->hands[index]];
  const SceneObject& object = scene.objects[plan.hold->object];
  const Transform object_in_wrist =
      plan.calm[index].wrist_object[frame - plan.hold->frames.first].inverse();
  const Vec3 palm = hands::palm_in_wrist(*hand.hand).position;
  const Vec3 nearest =
      object_in_wrist * object.prepared->exact()->closest(object_in_wrist.inverse() * palm).point;
  ShiftedPatches result;
  const Vec3 way = nearest - palm;
  result.towards_wrist = way.norm() > 1e-6 ? Vec3(way.normalized()) : Vec3(-Vec3::UnitY());
  for (int i = 0; i < 3; ++i) {
    result.shifts[i] = 0.5 * i * plan.calm[index].shift_left;
    Transform moved = object_in_wrist;
    moved.position -= result.shifts[i] * result.towards_wrist;
    result.patches[i] = contact_patches(volume, hand, surface, moved, kVolumeSlack);
  }
  return result;
}

// How many of the key frames forces of these hands explain, and by how much.
void judge(const Scene& scene, const HoldPlan& plan, std::vector<KinematicTest>& tests,
           DynamicTest& dynamics, Start& start) {
  const Hold& hold = *plan.hold;
  const SceneObject& object = scene.objects[hold.object];
  std::vector<TestContact> contacts;
  int explained = 0, digits = 0;
  double grip = 0.0, strain = 0.0;
  for (size_t k = 0; k < plan.key_frames.size(); ++k) {
    const int frame = plan.key_frames[k];
    bool there = true;
    for (const HandStart& hand : start.hands) there = there && hand.key_poses[k].size() > 0;
    if (!there) continue;
    contacts.clear();
    for (size_t h = 0; h < start.hands.size(); ++h) {
      const Transform wrist =
          held_wrist(scene, hold, hold.hands[h], plan.calm[h], start.hands[h].offset, frame);
      tests[h].touching(start.hands[h].key_poses[k], wrist, object.poses_world[frame],
                        *object.prepared->contact(), static_cast<int>(h), hold.object, contacts);
    }
    if (tests.size() > 1 && entered_by(tests[0].gaps(), tests[1].gaps()) > kSelfDeepest) continue;
    if (scene.options->proxy_points) add_proxies(*object.prepared->exact(), contacts);
    if (dynamics.solve(object.load(frame), contacts, object.supports[frame]) > kExplained) continue;
    ++explained;
    grip += dynamics.total_normal();
  }
  for (const HandStart& hand : start.hands) {
    for (const Guide& guide : hand.guides) digits += guide.active;
    strain += hand.strain / start.hands.size();
  }
  const double weight = object.object().mass * kStandardGravity;
  start.explained = static_cast<double>(explained) / plan.key_frames.size();
  // Explained frames count first; then a light grip, many digits and an easy pose.
  start.score = 100.0 * start.explained - 0.1 * grip / (std::max(1, explained) * weight) +
                0.3 * digits / start.hands.size() - 8.0 * strain;
}

std::vector<HandStart> hand_starts(const Scene& scene, const HoldPlan& plan, int index,
                                   const ReachableVolume& volume, int frame, int count,
                                   StartCounts& counts, const Monitor& monitor) {
  const auto surface =
      surface_samples(scene.objects[plan.hold->object].object(), scene.options->seed);
  const ShiftedPatches patches = patches_of(scene, plan, index, volume, surface, frame);
  std::vector<std::optional<HandStart>> made(count);
  tbb::enumerable_thread_specific<HandStarter> starters(
      [&] { return HandStarter(scene, plan, index, patches, surface, frame); });
  tbb::parallel_for(0, count, [&](int i) {
    if (scene.over(monitor)) return;
    made[i] = starters.local().make(i);
    ++counts.tried;
    if (!made[i]) ++counts.reach;
  });
  std::vector<HandStart> result;
  for (auto& start : made) {
    if (start) result.push_back(std::move(*start));
  }
  return result;
}

// Of the key frames.
int kept_frames(const HandStart& start) {
  return static_cast<int>(
      std::count_if(start.key_poses.begin(), start.key_poses.end(),
                    [](const Eigen::VectorXd& pose) { return pose.size() > 0; }));
}

// One hand's ways as they are, two hands' in pairs.
std::vector<Start> group(const Scene& scene, int frame,
                         std::vector<std::vector<HandStart>> by_hand) {
  std::vector<Start> starts;
  if (by_hand.size() == 1) {
    for (HandStart& hand : by_hand[0]) {
      starts.emplace_back().frame = frame;
      starts.back().hands.push_back(std::move(hand));
    }
    return starts;
  }
  for (auto& ways : by_hand) {
    if (ways.empty()) return starts;
    std::stable_sort(ways.begin(), ways.end(), [](const HandStart& a, const HandStart& b) {
      return kept_frames(a) > kept_frames(b);
    });
  }
  Random random(scene.options->seed, 0x9a125 + frame);
  for (int i = 0; i < kPairs; ++i) {
    Start start;
    start.frame = frame;
    for (const auto& ways : by_hand) {
      start.hands.push_back(ways[random.below(static_cast<int>(ways.size()))]);
    }
    starts.push_back(std::move(start));
  }
  return starts;
}

}  // namespace

void set_guides(const std::vector<TestContact>& contacts, int hand, Guides& guides) {
  std::array<int, kDigitCount> best;
  best.fill(-1);
  for (const TestContact& test : contacts) {
    const HandContact& contact = test.contact;
    if (contact.hand != hand || contact.digit == Digit::kNone) continue;
    const int d = static_cast<int>(contact.digit);
    if (contact.segment <= best[d]) continue;
    best[d] = contact.segment;
    Guide& guide = guides[d];
    guide.active = true;
    guide.hover = std::max(0.0, contact.gap);
    guide.skin.segment = contact.segment;
    guide.skin.point_segment = contact.point_segment;
    guide.skin.normal_segment = test.skin_normal_segment;
    guide.point_object = contact.point_object;
    guide.normal_object = contact.normal_object;
  }
}

void HoldPlan::obstacles(const Scene& scene, int frame,
                         std::vector<hands::Obstacle>& result) const {
  scene.obstacles(hold->object, frame, result);
  for (const HandSurfaces& other : others) {
    if (other[frame]) result.push_back({other[frame].get(), Transform()});
  }
}

HoldPlan plan_hold(const Scene& scene, const Hold& hold, const WristGive& give) {
  HoldPlan plan;
  plan.hold = &hold;
  for (const int hand : hold.hands) plan.calm.push_back(calm_wrist(scene, hold, hand, give));
  const int count = std::min(kKeyFrames, hold.needed.size());
  plan.key_frames.push_back(hold.frames.first);
  for (int k = 0; k < count; ++k) {
    const int frame =
        hold.needed.first +
        static_cast<int>(std::lround(k * (hold.needed.size() - 1.0) / std::max(1, count - 1)));
    if (frame > plan.key_frames.back()) plan.key_frames.push_back(frame);
  }
  plan.anchors = {hold.frames.first};
  plan.still = std::all_of(plan.calm.begin(), plan.calm.end(),
                           [](const CalmWrist& calm) { return calm.still; });
  for (int i = 1; i < kAnchors && !plan.still; ++i) {
    const int frame = hold.frames.first + i * hold.frames.size() / kAnchors;
    if (frame > plan.anchors.back()) plan.anchors.push_back(frame);
  }
  return plan;
}

std::vector<Start> find_starts(const Scene& scene, const HoldPlan& plan,
                               const std::vector<ReachableVolume>& volumes, int count,
                               StartCounts& counts, const Monitor& monitor) {
  std::vector<Start> starts;
  for (const int frame : plan.anchors) {
    std::vector<std::vector<HandStart>> by_hand;
    for (size_t h = 0; h < plan.hold->hands.size(); ++h) {
      by_hand.push_back(hand_starts(scene, plan, static_cast<int>(h), volumes[plan.hold->hands[h]],
                                    frame, count / static_cast<int>(plan.anchors.size()), counts,
                                    monitor));
    }
    for (Start& start : group(scene, frame, std::move(by_hand))) starts.push_back(std::move(start));
  }
  struct Tests {
    std::vector<KinematicTest> kinematic;
    DynamicTest dynamic;
  };
  tbb::enumerable_thread_specific<Tests> tests([&] {
    Tests made;
    for (const int hand : plan.hold->hands)
      made.kinematic.emplace_back(scene.hands[hand], *scene.options);
    return made;
  });
  tbb::parallel_for(0, static_cast<int>(starts.size()), [&](int i) {
    Tests& own = tests.local();
    judge(scene, plan, own.kinematic, own.dynamic, starts[i]);
    if (starts[i].explained < 1.0) ++counts.force;
  });
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Start& a, const Start& b) { return a.score > b.score; });
  return starts;
}

}  // namespace prehend::contact_sampling
