// Beyond the paper: see the header.
#include "methods/example_control/touch_track.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "prehend/core/smooth.h"
#include "prehend/hands/palm.h"

namespace prehend::example_control {
namespace {

constexpr int kPalm = kDigitCount;       // index of the palm among the parts
constexpr int kParts = kDigitCount + 1;  // five digits and the palm
// Farther than this no part is looked at closely, m: the quick field knows the distance up to here.
constexpr double kClose = 0.04;
// Two parts oppose when the cosine between the object's normals at them is below this: more than
// 107 degrees apart, as friction on either side allows.
constexpr double kOppose = -0.3;
// Vertices that are looked at for the lowest point of an object.
constexpr std::size_t kVertices = 2000;

struct SegmentTouch {
  int part = kPalm;
  double gap = INFINITY;
  Vec3 normal = Vec3::UnitY();  // of the object
};

class Measure {
 public:
  Measure(const Hand& hand, const geometry::PreparedObject& prepared)
      : hand_(hand),
        field_(*prepared.contact()),
        exact_(*prepared.exact()),
        palm_(hands::palm_segments(hand)) {
    for (int s = 0; s < hand.segment_count(); ++s) {
      const Segment& segment = hand.segments[s];
      const bool digit = segment.phalanx >= 1;
      const bool palm = std::find(palm_.begin(), palm_.end(), s) != palm_.end();
      // The ball of the thumb is neither a digit nor the palm that comes near.
      parts_.push_back(digit ? static_cast<int>(segment.digit) : palm ? kPalm : -1);
    }
  }

  void frame(const HandPose& pose, const Transform& object_world, MeasuredTouch& made) {
    const auto frames = segment_frames(hand_, pose);
    const Transform object_from_world = object_world.inverse();
    touches_.clear();
    std::array<double, kParts> gaps;
    gaps.fill(INFINITY);
    for (int s = 0; s < hand_.segment_count(); ++s) {
      if (parts_[s] < 0) continue;
      SegmentTouch touch = segment(s, object_from_world * frames[s]);
      gaps[touch.part] = std::min(gaps[touch.part], touch.gap);
      if (touch.gap < kClose) touches_.push_back(touch);
    }
    double palm = gaps[kPalm];
    if (palm > kClose) palm = hands::far_gap_to_object(hand_, palm_, frames, object_world, exact_);
    TouchTrack& track = made.track;
    track.palm.push_back(palm);
    track.nearest.push_back(*std::min_element(gaps.begin(), gaps.end()));
    track.palm_up.push_back(frames[hand_.wrist()].turn(-Vec3::UnitY()).y());
    std::nth_element(gaps.begin(), gaps.begin() + 1, gaps.begin() + kDigitCount);
    made.second_digit.push_back(gaps[1]);
    oppose(track);
  }

 private:
  SegmentTouch segment(int s, const Transform& frame_object) const {
    SegmentTouch touch;
    touch.part = parts_[s];
    for (const Capsule& local : hand_.segments[s].capsules) {
      const Capsule capsule = frame_object * local;
      const Vec3 line = capsule.b - capsule.a;
      const auto see = [&](double fraction) {
        const auto sample = field_.sample(capsule.a + fraction * line);
        const double gap = sample.distance - capsule.radius;
        if (gap < touch.gap) {
          touch.gap = gap;
          touch.normal = sample.gradient.stableNormalized();
        }
        return gap;
      };
      if (see(0.5) - 0.5 * line.norm() > kClose) continue;
      const int pieces = std::max(1, static_cast<int>(std::ceil(line.norm() / capsule.radius)));
      for (int i = 0; i <= pieces; ++i) see(double(i) / pieces);
    }
    return touch;
  }

  void oppose(TouchTrack& track) const {
    double any = INFINITY, thumb = INFINITY;
    for (std::size_t a = 0; a < touches_.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const SegmentTouch &one = touches_[a], &other = touches_[b];
        if (one.part == other.part || one.normal.dot(other.normal) > kOppose) continue;
        const double gap = std::max(one.gap, other.gap);
        any = std::min(any, gap);
        if (one.part == static_cast<int>(Digit::kThumb) ||
            other.part == static_cast<int>(Digit::kThumb))
          thumb = std::min(thumb, gap);
      }
    }
    track.opposed.push_back(any);
    track.thumb_opposed.push_back(thumb);
  }

  const Hand& hand_;
  const geometry::SignedDistance& field_;
  const geometry::ExactDistance& exact_;
  const std::vector<int> palm_;
  std::vector<int> parts_;  // of each segment; -1: not looked at
  std::vector<SegmentTouch> touches_;
};

// Heights, places and speeds of the object.
void measure_object(const ObjectTrack& object, double smoothing_seconds, TouchTrack& track) {
  const auto& vertices = object.object->shape.mesh->vertices;
  const std::size_t stride = std::max<std::size_t>(1, vertices.size() / kVertices);
  const std::size_t frames = object.poses_world.size();
  Eigen::MatrixXd places(frames, 3);
  const double arm = lever(*object.object);
  for (std::size_t f = 0; f < frames; ++f) {
    const Transform& pose = object.poses_world[f];
    track.place.push_back(pose * object.object->center_of_mass);
    places.row(static_cast<Eigen::Index>(f)) = track.place.back().transpose();
    const Vec3 up = pose.rotation.conjugate() * Vec3::UnitY();
    double low = INFINITY;
    for (std::size_t v = 0; v < vertices.size(); v += stride)
      low = std::min(low, up.dot(vertices[v]));
    track.height.push_back(pose.position.y() + low);
  }
  const Eigen::MatrixXd velocity = smooth(places, track.frame_rate, smoothing_seconds).first;
  const std::size_t reach =
      std::max<std::size_t>(1, static_cast<std::size_t>(smoothing_seconds * track.frame_rate));
  for (std::size_t f = 0; f < frames; ++f) {
    const std::size_t before = f > reach ? f - reach : 0, after = std::min(frames - 1, f + reach);
    const double spin =
        angle_between(object.poses_world[before].rotation, object.poses_world[after].rotation) *
        track.frame_rate / double(std::max<std::size_t>(1, after - before));
    track.speed.push_back(velocity.row(static_cast<Eigen::Index>(f)).norm() + arm * spin);
  }
}

}  // namespace

MeasuredTouch measure_touch(const HandTrack& hand, const ObjectTrack& object,
                            const geometry::PreparedObject& prepared, double frame_rate,
                            double smoothing_seconds) {
  MeasuredTouch made;
  made.track.frame_rate = frame_rate;
  Measure measure(*hand.hand, prepared);
  for (std::size_t f = 0; f < hand.poses.size(); ++f)
    measure.frame(hand.poses[f], object.poses_world[f], made);
  measure_object(object, smoothing_seconds, made.track);
  return made;
}

}  // namespace prehend::example_control
