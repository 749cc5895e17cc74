// Ye and Liu 2012, section 4.2, "Initial case", and beyond it.
// Implements: guiding points drawn from contact patches and grouped into configurations.
// Departs:    groups are not drawn blindly. Half of the candidates close the digits on the object
//   and take the places where they then lie; the other half aim the thumb and a finger at two
//   samples that face each other, with the wrist free within its bounds, and close the others.
// Symbols:    offset of the wrist in its own frame.
#include "methods/contact_sampling/beyond/hand_starts.h"

#include <algorithm>
#include <cmath>

#include "prehend/hands/palm.h"

namespace prehend::contact_sampling {
namespace {

// Draws of two samples until a pair faces each other well enough.
constexpr int kPairDraws = 60;
// A pair pinches if both normals are within this of the line between them; friction 0.6 allows 31
// degrees.
const double kPinchCosine = std::cos(radians(40.0));
// A neighbor finger lies this far beside, m, give or take.
constexpr double kBeside = 0.02, kBesideWorst = 0.014;
constexpr int kBesideDraws = 40;
constexpr int kRolls = 2;  // times that fingertips roll to meet their samples
// The palm touches if it is this far away or less, m.
constexpr double kPalmGap = 0.0003;
// Digits that leave the grasp: how often the little and the ring finger stay free.
constexpr double kFreeLittle = 0.2, kFreeRing = 0.12;
// A thumb's push that passes the other digits at this distance, m, is worth as little as one
// across.
constexpr double kOpposedAside = 0.03;
constexpr size_t kOpposedTries = 10;  // samples for the thumb
// How much of the offsets' bounds a closing candidate uses; the aimed ones move by themselves.
constexpr double kOffsetPart = 0.9;

double strain_of(const WorkingHand& hand, const Eigen::VectorXd& pose) {
  const Eigen::VectorXd& ease = hand.natural.size() > 0 ? hand.natural : hand.rest;
  double sum = 0.0;
  for (int c = 0; c < hand.dof(); ++c) {
    const double range = std::max(0.1, hand.limits.upper[c] - hand.limits.lower[c]);
    sum += std::pow((pose[c] - ease[c]) / range, 2);
  }
  return sum / hand.dof();
}

}  // namespace

HandStarter::HandStarter(const Scene& scene, const HoldPlan& plan, int hand_of_hold,
                         const ShiftedPatches& patches,
                         const std::vector<geometry::SurfacePoint>& surface, int frame)
    : scene_(scene),
      plan_(plan),
      hold_(*plan.hold),
      index_(hand_of_hold),
      hand_(scene.hands[plan.hold->hands[hand_of_hold]]),
      patches_(patches),
      surface_(surface),
      frame_(frame),
      closing_(*hand_.hand),
      test_(hand_, *scene.options, 2) {
  plan.obstacles(scene, frame_, obstacles_);
}

Transform HandStarter::draw_offset(int number, Random& random) const {
  const CalmWrist& calm = plan_.calm[index_];
  // The first candidates keep the captured wrist.
  const double part = number < 8 ? 0.0 : kOffsetPart * std::cbrt(random.uniform());
  Transform offset;
  // Half of them go towards the object: captured hands are more often too far than too near.
  offset.position = number % 32 < 20 ? Vec3(part * calm.shift_left * patches_.towards_wrist)
                                     : Vec3(part * calm.shift_left * random.direction());
  offset.rotation = exp_map(part * calm.turn_left * random.uniform() * random.direction());
  return offset;
}

// Moves the wrist out of the object, or up to it, along the palm's normal.
bool HandStarter::settle_palm(bool touch, Transform& offset) {
  const CalmWrist& calm = plan_.calm[index_];
  const Vec3 out = Vec3::UnitY();  // of the back of the hand, in the wrist's frame
  for (int round = 0; round < 6; ++round) {
    const Transform wrist = held_wrist(scene_, hold_, hold_.hands[index_], calm, offset, frame_);
    const double gap = closing_.gap(Digit::kNone, wrist, {obstacles_.data(), 1}, hand_.open);
    const double wanted = gap < 0.0 || touch ? kPalmGap - gap : 0.0;
    if (std::abs(wanted) < 2e-4) return true;
    offset.position += wanted * (offset.rotation * out);
    if (offset.position.norm() > calm.shift_left) return false;
  }
  const Transform wrist = held_wrist(scene_, hold_, hold_.hands[index_], calm, offset, frame_);
  return closing_.gap(Digit::kNone, wrist, {obstacles_.data(), 1}, hand_.open) > -kDeepest;
}

bool HandStarter::close_digits(const Transform& offset, Random& random, HandStart& start) {
  const Transform wrist =
      held_wrist(scene_, hold_, hold_.hands[index_], plan_.calm[index_], offset, frame_);
  const double ease = random.uniform(0.0, 0.6);
  const bool little = random.uniform() > kFreeLittle, ring = random.uniform() > kFreeRing;
  const Eigen::VectorXd& a = hand_.thumb_ends[random.below(int(hand_.thumb_ends.size()))];
  const Eigen::VectorXd& b = hand_.thumb_ends[random.below(int(hand_.thumb_ends.size()))];
  const double share = random.uniform();
  Eigen::VectorXd end = hand_.fist;
  for (int c = 0; c < hand_.dof(); ++c) {
    if (hand_.digit_of[c] == Digit::kThumb) {
      // Beyond the posture by a half, so that the thumb goes on until it touches.
      const double posture = (1.0 - share) * a[c] + share * b[c];
      end[c] = std::clamp(hand_.open[c] + 1.5 * (posture - hand_.open[c]), hand_.limits.lower[c],
                          hand_.limits.upper[c]);
    }
  }
  // Digits that are already held by guiding points stay.
  for (const Digit digit :
       {Digit::kIndex, Digit::kMiddle, Digit::kRing, Digit::kLittle, Digit::kThumb}) {
    const int d = static_cast<int>(digit);
    if (!hand_.has_digit[d] || start.guides[d].active) continue;
    for (int c = 0; c < hand_.dof(); ++c) {
      if (hand_.digit_of[c] != digit) continue;
      start.pose[c] = hand_.open[c] + ease * (hand_.rest[c] - hand_.open[c]);
    }
  }
  for (const Digit digit :
       {Digit::kIndex, Digit::kMiddle, Digit::kRing, Digit::kLittle, Digit::kThumb}) {
    const int d = static_cast<int>(digit);
    if (!hand_.has_digit[d] || start.guides[d].active) continue;
    const bool stays = (digit == Digit::kLittle && !little) || (digit == Digit::kRing && !ring);
    const Eigen::VectorXd before = start.pose;
    const bool touched = closing_.close(digit, wrist, obstacles_, end, start.pose);
    if (touched && !stays) continue;
    // A digit that finds nothing, or is left out, stays at ease above the object.
    for (int c = 0; c < hand_.dof(); ++c) {
      if (hand_.digit_of[c] != digit) continue;
      start.pose[c] = touched ? before[c] + 0.7 * (start.pose[c] - before[c])
                              : std::clamp(before[c] + 0.35 * (end[c] - before[c]),
                                           hand_.limits.lower[c], hand_.limits.upper[c]);
    }
  }
  return true;
}

void HandStarter::oppose_thumb(const Transform& offset, Random& random, HandStart& start) {
  const int thumb = static_cast<int>(Digit::kThumb);
  const bool near = offset.position.dot(patches_.towards_wrist) > 0.5 * patches_.shifts[1];
  const ContactPatches& patches = patches_.patches[near ? 2 : 0];
  if (!hand_.has_digit[thumb] || patches[thumb].empty()) return;
  const Transform wrist =
      held_wrist(scene_, hold_, hold_.hands[index_], plan_.calm[index_], offset, frame_);
  const Transform& object = scene_.objects[hold_.object].poses_world[frame_];
  contacts_.clear();
  test_.touching(start.pose, wrist, object, *obstacles_[0].distance, index_, hold_.object,
                 contacts_);
  Vec3 normal = Vec3::Zero(), center = Vec3::Zero();
  int count = 0;
  for (const TestContact& test : contacts_) {
    if (test.contact.digit == Digit::kThumb) continue;
    normal += test.contact.normal_object;
    center += test.contact.point_object;
    ++count;
  }
  if (count == 0 || normal.norm() < 0.2 * count) return;
  center /= count;
  normal.normalize();
  // Samples that push against the other digits, along a line that passes near them, come first.
  std::vector<std::pair<double, int>> ranked;
  for (const int sample : patches[thumb]) {
    const geometry::SurfacePoint& at = surface_[sample];
    const Vec3 to = center - at.point;
    const double aside = (to - to.dot(at.normal) * at.normal).norm();
    const double against = -at.normal.dot(normal);
    if (against < 0.2) continue;
    ranked.emplace_back(against - aside / kOpposedAside + 0.5 * random.uniform(), sample);
  }
  std::sort(ranked.rbegin(), ranked.rend());
  KinematicTest::Input input;
  input.wrist_world = wrist;
  input.object_world = object;
  input.obstacles = obstacles_;
  const Eigen::VectorXd found = start.pose;
  Eigen::VectorXd begin = found;
  for (int c = 0; c < hand_.dof(); ++c) {
    if (hand_.digit_of[c] == Digit::kThumb)
      begin[c] = 0.5 * (hand_.rest[c] + hand_.thumb_ends[0][c]);
  }
  for (size_t i = 0; i < ranked.size() && i < kOpposedTries; ++i) {
    Guides guides = {};
    guides[thumb] = guide_at(thumb, ranked[i].second);
    input.guides = &guides;
    input.previous = &begin;
    KinematicOutcome outcome = test_.solve(input);
    for (int round = 0; round < kRolls && !outcome.feasible; ++round) {
      test_.roll(object, guides[thumb]);
      outcome = test_.solve(input);
    }
    if (!outcome.feasible) continue;
    // The other digits stay where they closed.
    for (int c = 0; c < hand_.dof(); ++c) {
      if (hand_.digit_of[c] == Digit::kThumb) start.pose[c] = test_.pose()[c];
    }
    return;
  }
}

Guide HandStarter::guide_at(int digit, int sample) const {
  Guide guide;
  guide.active = true;
  guide.skin = *hands::pad_of(*hand_.hand, kDigits[digit]);
  guide.point_object = surface_[sample].point;
  guide.normal_object = surface_[sample].normal;
  return guide;
}

// A sample for the thumb and one opposite of it for a finger; then one beside that for its
// neighbor.
bool HandStarter::pick_opposed(const ContactPatches& patches, Random& random,
                               Guides& guides) const {
  const int thumb = static_cast<int>(Digit::kThumb);
  if (patches[thumb].empty()) return false;
  const auto draw_from = [&](int digit) {
    return patches[digit][random.below(static_cast<int>(patches[digit].size()))];
  };
  for (int draw = 0; draw < kPairDraws; ++draw) {
    const int finger = 1 + (random.uniform() < 0.7 ? random.below(2) : random.below(4));
    if (patches[finger].empty()) continue;
    const int a = draw_from(thumb), b = draw_from(finger);
    const Vec3 line = surface_[b].point - surface_[a].point;
    const double length = line.norm();
    if (length < 1e-4 || line.dot(-surface_[a].normal) < kPinchCosine * length ||
        line.dot(surface_[b].normal) < kPinchCosine * length)
      continue;
    guides[thumb] = guide_at(thumb, a);
    guides[finger] = guide_at(finger, b);
    const int neighbor = finger < 3 ? finger + 1 : finger - 1;
    double best = kBesideWorst;
    for (int i = 0; i < kBesideDraws && !patches[neighbor].empty(); ++i) {
      const int c = draw_from(neighbor);
      const double apart = (surface_[c].point - surface_[b].point).norm();
      if (surface_[c].normal.dot(surface_[b].normal) < 0.5) continue;
      if (std::abs(apart - kBeside) >= best) continue;
      best = std::abs(apart - kBeside);
      guides[neighbor] = guide_at(neighbor, c);
    }
    return true;
  }
  return false;
}

// What goes beyond the bounds comes back to them.
void HandStarter::within_bounds(Transform& offset) const {
  const CalmWrist& calm = plan_.calm[index_];
  const double shift = offset.position.norm();
  if (shift > calm.shift_left) offset.position *= calm.shift_left / shift;
  const double turn = angle_between(Quat::Identity(), offset.rotation);
  if (turn > calm.turn_left)
    offset.rotation = slerp(Quat::Identity(), offset.rotation, calm.turn_left / turn);
}

bool HandStarter::aim_digits(int number, Random& random, HandStart& start) {
  const int shifted = number / 4 % 3;
  if (!pick_opposed(patches_.patches[shifted], random, start.guides)) return false;
  const CalmWrist& calm = plan_.calm[index_];
  const Transform& object = scene_.objects[hold_.object].poses_world[frame_];
  const Transform wrist = held_wrist(scene_, hold_, hold_.hands[index_], calm, Transform(), frame_);
  KinematicTest::Input input;
  input.wrist_world = wrist;
  input.object_world = object;
  input.guides = &start.guides;
  Eigen::VectorXd begin = 0.5 * (hand_.rest + hand_.thumb_ends[0]);
  input.previous = &begin;
  input.preferred = &hand_.rest;
  input.obstacles = obstacles_;
  input.wrist_shift = calm.shift_left;
  input.wrist_turn = calm.turn_left;
  input.start_wrist_world =
      wrist * Transform::from_position(patches_.shifts[shifted] * patches_.towards_wrist);
  KinematicOutcome outcome = test_.solve(input);
  const auto roll_all = [&] {
    for (Guide& guide : start.guides) {
      if (guide.active) test_.roll(object, guide);
    }
    begin = test_.pose();
  };
  for (int round = 0; round < kRolls && !outcome.feasible; ++round) {
    roll_all();
    input.start_wrist_world = test_.wrist_world();
    outcome = test_.solve(input);
  }
  start.offset = wrist.inverse() * test_.wrist_world();
  within_bounds(start.offset);
  // A corner of the solver's box is beyond the bounds: once more from within.
  begin = test_.pose();
  input.wrist_world = wrist * start.offset;
  input.start_wrist_world.reset();
  input.wrist_shift = input.wrist_turn = 0.0;
  outcome = test_.solve(input);
  for (int round = 0; round < kRolls && !outcome.feasible; ++round) {
    roll_all();
    // A finger that cannot come along is left out; the thumb and another one are needed.
    if (round > 0 && outcome.cause == DeadEnd::kReach && outcome.digit != Digit::kThumb)
      start.guides[static_cast<int>(outcome.digit)] = {};
    outcome = test_.solve(input);
  }
  if (!outcome.feasible) {
    return false;
  }
  start.pose = test_.pose();
  close_digits(start.offset, random, start);
  return true;
}

// Contacts of the pose become its guiding points.
bool HandStarter::finish(HandStart& start) {
  const Transform& object = scene_.objects[hold_.object].poses_world[frame_];
  const Transform wrist =
      held_wrist(scene_, hold_, hold_.hands[index_], plan_.calm[index_], start.offset, frame_);
  if (test_.deepest(start.pose, wrist, obstacles_) > kDeepest) return false;
  contacts_.clear();
  if (!test_.touching(start.pose, wrist, object, *obstacles_[0].distance, index_, hold_.object,
                      contacts_))
    return false;
  start.guides = {};
  set_guides(contacts_, index_, start.guides);
  start.strain = strain_of(hand_, start.pose);
  return std::any_of(start.guides.begin(), start.guides.end(),
                     [](const Guide& guide) { return guide.active; });
}

// Poses that keep the guiding points at the key frames from number `first` on, until one fails.
void HandStarter::look_along(int first, int step, HandStart& start) {
  const CalmWrist& calm = plan_.calm[index_];
  const int count = static_cast<int>(plan_.key_frames.size());
  Eigen::VectorXd pose = start.pose;
  Guides guides = start.guides;
  int before = frame_;
  for (int k = first; k >= 0 && k < count; k += step) {
    const int frame = plan_.key_frames[k];
    if (calm.still || frame == frame_) {
      start.key_poses[k] = pose;
      continue;
    }
    std::vector<hands::Obstacle> obstacles;
    plan_.obstacles(scene_, frame, obstacles);
    KinematicTest::Input input;
    input.wrist_world = held_wrist(scene_, hold_, hold_.hands[index_], calm, start.offset, frame);
    input.object_world = scene_.objects[hold_.object].poses_world[frame];
    input.previous = &pose;
    input.obstacles = obstacles;
    DigitStrategies gave_way;
    const double seconds = std::abs(frame - before) * scene_.frame_time();
    if (!test_
             .follow(input, *scene_.objects[hold_.object].prepared->exact(),
                     scene_.options->max_creep * seconds, guides, gave_way)
             .feasible)
      return;
    before = frame;
    pose = test_.pose();
    start.key_poses[k] = pose;
  }
}

// Both ways in time.
void HandStarter::look_ahead(HandStart& start) {
  start.key_poses.assign(plan_.key_frames.size(), {});
  const auto next = std::lower_bound(plan_.key_frames.begin(), plan_.key_frames.end(), frame_);
  const int first = static_cast<int>(next - plan_.key_frames.begin());
  look_along(first, 1, start);
  look_along(first - 1, -1, start);
}

std::optional<HandStart> HandStarter::make(int number) {
  Random random(scene_.options->seed, 0x57a7 + 1000003ULL * number + 7919ULL * frame_ + index_);
  HandStart start;
  start.pose = hand_.rest;
  start.offset = draw_offset(number, random);
  const bool aimed = number % 4 != 0;
  const bool touch = number % 16 == 8;
  if (aimed) {
    start.offset = Transform::Identity();
    if (!aim_digits(number, random, start)) return std::nullopt;
  } else {
    if (!settle_palm(touch, start.offset)) return std::nullopt;
    if (!close_digits(start.offset, random, start)) return std::nullopt;
    if (number % 16 != 4) oppose_thumb(start.offset, random, start);
  }
  if (!finish(start)) return std::nullopt;
  look_ahead(start);
  return start;
}

}  // namespace prehend::contact_sampling
