#include "prehend/audit/rest.h"

#include <algorithm>
#include <cmath>

#include "audit/hand_touch.h"
#include "audit/touch.h"
#include "prehend/core/text.h"

namespace prehend::audit {

namespace {

// Six points on the axes of the ball around an object: they stray as far as any of its points do.
class Stillness {
 public:
  Stillness(const ObjectTrack& track, const Probe& probe) : track_(track), probe_(probe) {}

  // m that a point of the object is elsewhere in the second frame than in the first, at most.
  double strayed(int from, int to) const {
    const Transform &a = track_.poses_world[from], &b = track_.poses_world[to];
    double most = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {-1.0, 1.0}) {
        const Vec3 point = probe_.center + sign * probe_.radius * Vec3::Unit(axis);
        most = std::max(most, (a * point - b * point).norm());
      }
    }
    return most;
  }

 private:
  const ObjectTrack& track_;
  const Probe& probe_;
};

class RestSearch {
 public:
  RestSearch(const Clip& clip, const RestOptions& options) : clip_(clip), options_(options) {
    for (const ObjectTrack& track : clip.objects) probes_.push_back(make_probe(*track.object));
    const auto frames = [&](double time) {
      return std::max(2, static_cast<int>(std::ceil(time * clip.frame_rate)));
    };
    least_frames_ = frames(options.least_time);
    least_free_frames_ = frames(options.least_free_time);
  }

  // The rests of one object. A stretch begins anew where the object has strayed from its beginning.
  void find(int object, std::vector<Rest>& rests) const {
    const Stillness stillness(clip_.objects[object], probes_[object]);
    const int frames = clip_.frame_count();
    for (int first = 0; first < frames;) {
      int end = first + 1;
      while (end < frames && stillness.strayed(first, end) <= options_.stray) ++end;
      if (end - first >= least_frames_ && stands_alone(object, first, end))
        rests.push_back({object, first, end - 1, height(object, first, end)});
      // A slow start would hide the rest that follows it: step on by little where none was found.
      first = end - first >= least_frames_ ? end : first + 1;
    }
  }

 private:
  // Is there a run of frames within [first, end) in which nothing bears the object?
  bool stands_alone(int object, int first, int end) const {
    int free = 0;
    for (int f = first; f < end && free < least_free_frames_; ++f)
      free = borne(object, f) ? 0 : free + 1;
    return free >= least_free_frames_;
  }

  bool borne(int object, int frame) const {
    const ClipMoment moment = moment_of(clip_, frame);
    const Transform& pose = moment.objects_world[object];
    std::vector<Contact> found;
    for (std::size_t h = 0; h < clip_.hands.size(); ++h) {
      const PlacedHand placed = place_hand(*clip_.hands[h].hand, moment.segments_world[h]);
      for (const PlacedHand::Part& part : placed.parts) {
        capsule_contacts(part.capsule_world, probes_[object], pose, options_.hand_distance, found);
        if (!found.empty()) return true;
      }
    }
    for (std::size_t other = 0; other < probes_.size(); ++other) {
      if (static_cast<int>(other) == object) continue;
      object_contacts(probes_[object], pose, probes_[other], moment.objects_world[other],
                      options_.same_support, found);
      if (!found.empty()) return true;
    }
    return clip_.floor_height &&
           lowest(object, frame) < *clip_.floor_height + options_.same_support;
  }

  double lowest(int object, int frame) const {
    const Transform& pose = clip_.objects[object].poses_world[frame];
    double least = INFINITY;
    for (const Vec3& corner : probes_[object].corners) least = std::min(least, (pose * corner).y());
    return least;
  }

  // The middle one of the lowest points of frames [first, end).
  double height(int object, int first, int end) const {
    std::vector<double> heights;
    for (int f = first; f < end; ++f) heights.push_back(lowest(object, f));
    const auto middle = heights.begin() + std::ssize(heights) / 2;
    std::nth_element(heights.begin(), middle, heights.end());
    return *middle;
  }

  const Clip& clip_;
  const RestOptions& options_;
  std::vector<Probe> probes_;
  int least_frames_ = 0;
  int least_free_frames_ = 0;
};

}  // namespace

std::vector<Rest> unborne_rests(const Clip& clip, const RestOptions& options) {
  std::vector<Rest> rests;
  const RestSearch search(clip, options);
  for (int o = 0; o < std::ssize(clip.objects); ++o)
    if (!clip.objects[o].object->fixed) search.find(o, rests);
  return rests;
}

std::optional<Support> find_support(const Clip& clip, const RestOptions& options) {
  if (!validate(clip)) return std::nullopt;
  const std::vector<Rest> rests = unborne_rests(clip, options);
  const auto frames = [](const Rest& rest) { return rest.last - rest.first + 1; };
  // Around each rest, those at its height; the most time wins, and of equals the lowest.
  const auto near = [&](const Rest& a, const Rest& b) {
    return std::abs(a.height - b.height) <= options.same_support;
  };
  const Rest* best = nullptr;
  int most = 0;
  for (const Rest& rest : rests) {
    int sum = 0;
    for (const Rest& other : rests) sum += near(rest, other) ? frames(other) : 0;
    if (sum > most || (sum == most && best && rest.height < best->height)) {
      most = sum;
      best = &rest;
    }
  }
  if (!best) return std::nullopt;
  Support support;
  std::vector<std::pair<double, int>> heights;  // with the frames that each counts for
  for (const Rest& rest : rests) {
    if (!near(*best, rest)) continue;
    heights.emplace_back(rest.height, frames(rest));
    const std::string name = printable(clip.objects[rest.object].object->name);
    if (std::find(support.objects.begin(), support.objects.end(), name) == support.objects.end())
      support.objects.push_back(name);
  }
  // The height that half of the time is below.
  std::sort(heights.begin(), heights.end());
  int below = 0;
  for (const auto& [height, count] : heights) {
    below += count;
    support.height = height;
    if (2 * below >= most) break;
  }
  support.seconds = most / clip.frame_rate;
  return support;
}

}  // namespace prehend::audit
