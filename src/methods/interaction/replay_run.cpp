// A whole replay as a clip, and what it is judged by. Beyond the paper, which shows pictures.
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "prehend/methods/interaction/replay.h"

namespace prehend::interaction {
namespace {

constexpr double kJudged = 0.2;         // s at the end, over which holding is judged
constexpr double kCarried = 0.9;        // of the weight
constexpr double kStaysWithin = 0.003;  // m
// Contacts of one segment with one object that lie nearer than this in two steps are the same one.
constexpr double kSamePlace = 0.008;
// N: a touch lighter than this does not count as sliding.
constexpr double kTouch = 0.02;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Contacts of a frame as the mean over the steps that it stands for.
class FrameContacts {
 public:
  void add(const Contact& contact) {
    const double weight = std::max(1e-9, -contact.normal_world.dot(contact.force_world));
    auto found = std::find_if(sums_.begin(), sums_.end(), [&](const Sum& s) {
      return s.contact.between(contact.by, contact.on) &&
             (s.contact.point_on / s.weight - contact.point_on).norm() < kSamePlace;
    });
    if (found == sums_.end()) {
      Contact empty = contact;
      empty.point_on = empty.normal_world = empty.force_world = Vec3::Zero();
      found = sums_.insert(sums_.end(), {empty, 0.0});
    }
    found->weight += weight;
    found->contact.point_on += weight * contact.point_on;
    found->contact.normal_world += weight * contact.normal_world;
    found->contact.force_world += contact.force_world;
    found->contact.gap = std::min(found->contact.gap, contact.gap);
  }

  std::vector<Contact> take(int steps) {
    std::vector<Contact> contacts;
    for (Sum& sum : sums_) {
      sum.contact.point_on /= sum.weight;
      sum.contact.normal_world.normalize();
      sum.contact.force_world /= std::max(1, steps);
      contacts.push_back(sum.contact);
    }
    sums_.clear();
    return contacts;
  }

 private:
  struct Sum {
    Contact contact;
    double weight;
  };
  std::vector<Sum> sums_;
};

class Runner {
 public:
  Runner(const ReplayProblem& problem, const ReplayOptions& options, Replay replay)
      : problem_(problem), options_(options), replay_(std::move(replay)) {
    Clip& clip = report_.clip;
    clip.name = problem.trajectory.name.empty() ? "replay" : problem.trajectory.name;
    clip.frame_rate = options.frame_rate;
    clip.forces_recorded = true;
    clip.hands.push_back({problem.trajectory.hand, {}});
    for (const ReplayObject& object : problem.objects) {
      if (movable_ < 0 && !object.object->object().fixed)
        movable_ = static_cast<int>(clip.objects.size());
      clip.objects.push_back({object.object->shared_object(), {}});
    }
    report_.grip.normal_force.resize(kDigitCount);
    report_.grip.ratio.resize(kDigitCount);
  }

  ReplayReport run(const Monitor& monitor) {
    const int total =
        std::max(1, static_cast<int>(std::lround(replay_.duration() / options_.timestep)));
    double reported = 0.0;
    add_frame();
    for (int k = 0; k < total; ++k) {
      if (monitor.stop.stop_requested()) {
        report_.summary.termination = Termination::kInterrupted;
        break;
      }
      const double before = processor_seconds();
      const StepReport& step = replay_.step();
      report_.processor_seconds += processor_seconds() - before;
      after_step(step);
      if (has_fallen()) {
        report_.fell_at = replay_.time();
        break;
      }
      if (replay_.time() - reported > 0.1)
        monitor.report((reported = replay_.time()) / replay_.duration(), "replayed");
    }
    finish();
    return std::move(report_);
  }

 private:
  void add_frame() {
    Clip& clip = report_.clip;
    clip.hands[0].poses.push_back(replay_.hand_pose());
    for (std::size_t o = 0; o < clip.objects.size(); ++o)
      clip.objects[o].poses_world.push_back(replay_.object_pose(static_cast<int>(o)));
  }

  // One contact of the clip for every object that is pushed; the floor belongs to the surroundings.
  void add_contacts() {
    const int objects = static_cast<int>(problem_.objects.size());
    const auto side = [&](int object) {
      return object < objects ? ContactSide::object(object) : ContactSide::surroundings();
    };
    const auto add = [&](const ReplayContact& from, const ContactSide& by, int object,
                         const Vec3& force, const Vec3& normal) {
      if (object >= objects) return;
      frame_contacts_.add({.by = by,
                           .on = ContactSide::object(object),
                           .point_on = replay_.object_pose(object).inverse() * from.point_world,
                           .normal_world = normal,
                           .force_world = force,
                           .gap = from.gap});
    };
    for (const ReplayContact& c : replay_.contacts()) {
      if (c.normal_world.dot(c.force_world) <= 0.0) continue;
      if (c.segment >= 0) {
        add(c, ContactSide::hand(0, c.segment), c.second, -c.force_world, c.normal_world);
      } else {
        add(c, ContactSide::object(c.first), c.second, -c.force_world, c.normal_world);
        add(c, side(c.second), c.first, c.force_world, -c.normal_world);
      }
    }
  }

  void after_step(const StepReport& step) {
    ++report_.steps;
    ++frame_steps_;
    report_.solved += step.solved;
    report_.max_complementarity = std::max(report_.max_complementarity, step.complementarity);
    report_.equilibrium_error_rad = std::max(report_.equilibrium_error_rad, step.equilibrium_error);
    int touching = 0;
    for (const ReplayContact& c : replay_.contacts()) touching += c.force_world.norm() > kTouch;
    if (touching > 0) {
      ++touching_steps_;
      error_sum_ += step.equilibrium_error;
      contact_sum_ += touching;
      guessed_ += step.guessed;
    }
    follow_slips();
    follow_grip();
    add_contacts();
    if (replay_.time() * options_.frame_rate > report_.clip.frame_count() - 1 + 0.5 &&
        static_cast<int>(report_.clip.contacts.size()) < report_.clip.frame_count()) {
      report_.clip.contacts.push_back(frame_contacts_.take(frame_steps_));
      frame_steps_ = 0;
    }
    if (replay_.time() * options_.frame_rate > report_.clip.frame_count() - 1e-6) add_frame();
  }

  // Below where it stood and below the hand: nothing will stop it any more.
  bool has_fallen() const {
    if (movable_ < 0) return false;
    const Vec3 up = -problem_.gravity.normalized();
    const double height = up.dot(replay_.object_pose(movable_).position);
    return height < up.dot(problem_.objects[movable_].pose_world.position) - kFallen &&
           height < up.dot(replay_.hand_pose().root_world.position) - kFallen;
  }

  void follow_slips() {
    for (Slide& slide : slides_) slide.touching = false;
    for (const ReplayContact& c : replay_.contacts()) {
      if (c.segment < 0 || c.normal_world.dot(c.force_world) < kTouch) continue;
      auto found = std::find_if(slides_.begin(), slides_.end(), [&](const Slide& s) {
        return s.segment == c.segment && s.object == c.second;
      });
      if (found == slides_.end())
        found = slides_.insert(slides_.end(), {c.segment, c.second, 0.0, 0.0, false});
      if (!found->touching) found->step = 0.0;
      found->touching = true;
      found->step = std::max(found->step, c.slip);
    }
    for (Slide& slide : slides_) {
      slide.sum = slide.touching ? slide.sum + slide.step : 0.0;
      report_.slip_m = std::max(report_.slip_m, slide.sum);
    }
  }

  void follow_grip() {
    std::array<double, kDigitCount> normal{}, tangent{};
    double carried = 0.0, grip = 0.0;
    for (const ReplayContact& c : replay_.contacts()) {
      if (c.segment < 0 || c.second >= static_cast<int>(problem_.objects.size()) ||
          problem_.objects[c.second].object->object().fixed)
        continue;
      const double n = c.normal_world.dot(c.force_world);
      grip += n;
      if (c.second == movable_) carried += c.force_world.dot(problem_.gravity.normalized());
      const Digit digit = replay_.hand().segments[c.segment].digit;
      if (digit == Digit::kNone) continue;
      normal[int(digit)] += n;
      tangent[int(digit)] += (c.force_world - n * c.normal_world).norm();
    }
    GripTrace& trace = report_.grip;
    trace.time.push_back(replay_.time());
    trace.compliance_share.push_back(replay_.compliance_share());
    for (int d = 0; d < kDigitCount; ++d) {
      trace.normal_force[d].push_back(normal[d]);
      trace.ratio[d].push_back(normal[d] > options_.least_force ? tangent[d] / normal[d] : 0.0);
    }
    if (movable_ < 0) return;
    const Transform object = replay_.object_pose(movable_);
    report_.turned_rad =
        std::max(report_.turned_rad,
                 angle_between(problem_.objects[movable_].pose_world.rotation, object.rotation));
    const Transform root = replay_.hand_pose().root_world;
    judged_.push_back({carried, grip, root.inverse() * object.position});
  }

  void finish() {
    Clip& clip = report_.clip;
    if (static_cast<int>(clip.contacts.size()) < clip.frame_count())
      clip.contacts.push_back(frame_contacts_.take(frame_steps_));
    const std::size_t whole = std::min(clip.contacts.size(), clip.hands[0].poses.size());
    clip.contacts.resize(whole);
    clip.hands[0].poses.resize(whole);
    for (ObjectTrack& track : clip.objects) track.poses_world.resize(whole);
    if (touching_steps_ > 0) {
      report_.mean_equilibrium_error_rad = error_sum_ / touching_steps_;
      report_.mean_contacts = contact_sum_ / touching_steps_;
      report_.guessed_fraction = double(guessed_) / touching_steps_;
    }
    judge();
    if (report_.summary.termination == Termination::kConverged && report_.solved < report_.steps)
      report_.summary.termination = Termination::kFailed;
    report_.summary.iterations = report_.steps;
    report_.summary.residual = report_.max_complementarity;
    report_.summary.message = fmt::format("{} of {} steps solved", report_.solved, report_.steps);
  }

  void judge() {
    if (movable_ < 0 || judged_.empty()) return;
    const Object& object = problem_.objects[movable_].object->object();
    report_.lifted_m = replay_.object_pose(movable_).position.y() -
                       problem_.objects[movable_].pose_world.position.y();
    const std::size_t count =
        std::min(judged_.size(), static_cast<std::size_t>(kJudged / options_.timestep));
    double carried = 0.0, moved = 0.0;
    for (std::size_t i = judged_.size() - count; i < judged_.size(); ++i) {
      carried += judged_[i].carried / count;
      report_.grip_force += judged_[i].grip / count;
      moved = std::max(moved, (judged_[i].place_root - judged_.back().place_root).norm());
    }
    report_.held = !report_.fell_at &&
                   carried >= kCarried * object.mass * problem_.gravity.norm() &&
                   moved < kStaysWithin;
  }

  struct Slide {
    int segment, object;
    double sum, step;
    bool touching;
  };
  struct Judged {
    double carried, grip;
    Vec3 place_root;
  };
  const ReplayProblem& problem_;
  const ReplayOptions& options_;
  Replay replay_;
  ReplayReport report_;
  FrameContacts frame_contacts_;
  std::vector<Slide> slides_;
  std::vector<Judged> judged_;
  int movable_ = -1, frame_steps_ = 0, touching_steps_ = 0, guessed_ = 0;
  double error_sum_ = 0.0, contact_sum_ = 0.0;
};

}  // namespace

Result<ReplayReport> run_replay(const ReplayProblem& problem, const ReplayOptions& options,
                                const Monitor& monitor) {
  auto replay = Replay::create(problem, options);
  if (!replay) return replay.error();
  return Runner(problem, options, std::move(*replay)).run(monitor);
}

}  // namespace prehend::interaction
