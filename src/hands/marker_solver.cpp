// Beyond the papers, which get their joint angles from the motion capture system (see the header).
#include "prehend/hands/marker_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/SVD>

#include "prehend/core/hand_builder.h"
#include "prehend/core/hand_kinematics.h"
#include "prehend/core/smooth.h"
#include "prehend/hands/digits.h"
#include "prehend/hands/posture.h"

namespace prehend::hands {
namespace {

constexpr double kMarkerScale = 0.001;  // m
constexpr double kPostureScale = 20.0;  // rad: weak, since it counts in every frame and places once
constexpr double kMetacarpalScale = 0.05;  // rad: metacarpals of fingers
// rad between two frames. At 0.08 it lagged a moving hand by degrees, at 0.3 noise came through.
constexpr double kChangeScale = 0.15;
// 1/rad^2, on the diagonal alone: steps of a joint that no marker tells stay small.
constexpr double kDamping = 10.0;
constexpr double kRelaxed = radians(20);  // flexion of every phalanx
constexpr double kSmoothing = 0.05;       // s to either side
// Of a marker that was filled in: against the palm, where its finger's bending is not known, and
// against the segment before its own.
constexpr double kRoughWeight = 0.01, kFilledWeight = 0.9;
constexpr double kPalmScale = 0.02, kSkinScale = 0.003;  // m, of MarkerPlace::scale
constexpr int kRounds = 40, kSteps = 4;                  // of calibration, of one pose in a round
constexpr int kFrameSteps = 6;
// Frames from which the places of markers are found, once the length is known: the noise of single
// frames would pass for places.
constexpr int kPlaceFrames = 200;
constexpr double kShortest = 0.15, kLongest = 0.23, kLengthStep = 0.01, kFinest = 0.0025;  // m

using Positions = std::vector<Vec3>;

struct Pose {
  Transform root_world;
  Eigen::VectorXd coordinates;
};

bool lost(const Vec3& position) { return !position.allFinite(); }

// The turn and shift that bring points onto others (Kabsch 1976).
Transform fitted(const Positions& from, const Positions& to) {
  Vec3 a = Vec3::Zero(), b = Vec3::Zero();
  for (std::size_t i = 0; i < from.size(); ++i) {
    a += from[i] / double(from.size());
    b += to[i] / double(from.size());
  }
  Mat3 sum = Mat3::Zero();
  for (std::size_t i = 0; i < from.size(); ++i) sum += (to[i] - b) * (from[i] - a).transpose();
  const Eigen::JacobiSVD<Mat3> svd(sum, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 sign = Mat3::Identity();
  sign(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant();
  const Quat turn(Mat3(svd.matrixU() * sign * svd.matrixV().transpose()));
  return {turn.normalized(), b - turn * a};
}

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool has_any(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return text.find(word) != std::string::npos; });
}

// On the back of a segment, at a share of its length.
MarkerPlace on_back(const Hand& hand, int marker, int segment, double share) {
  const SkinPoint skin = skin_point(hand, segment, 0, share, Vec3::UnitY());
  return {marker, segment, skin.point_segment, kSkinScale};
}

// One hand of one length against the recording.
class Solver {
 public:
  Solver(const Hand& hand, const MarkerRecording& recording, std::vector<MarkerPlace> places)
      : hand_(hand),
        recording_(recording),
        expected_(places),
        places_(std::move(places)),
        kinematics_(hand),
        limits_(coordinate_limits(hand)),
        jacobian_(3, 6 + hand.dof()) {
    stay_.setConstant(hand.dof(), 1.0 / (kPostureScale * kPostureScale));
    relaxed_.setZero(hand.dof());
    const std::vector<int> offsets = coordinate_offsets(hand);
    for (int s = 0; s < hand.segment_count(); ++s) {
      const Segment& segment = hand.segments[s];
      const bool stiff = segment.phalanx == 0 && segment.digit != Digit::kThumb;
      for (int c = offsets[s]; c < offsets[s + 1]; ++c)
        if (stiff) stay_[c] = 1.0 / (kMetacarpalScale * kMetacarpalScale);
      if (segment.phalanx > 0) set_angles(hand, s, kRelaxed, 0.0, relaxed_);
    }
    relaxed_ = relaxed_.cwiseMax(limits_.lower).cwiseMin(limits_.upper);
  }

  const std::vector<MarkerPlace>& places() const { return places_; }

  // Poses of some frames and the markers' places, in turn. Returns the cost.
  double calibrate(const std::vector<int>& frames, std::vector<Pose>& poses) {
    if (poses.empty())
      for (const int f : frames) poses.push_back(first_pose(recording_.positions_world[f]));
    double cost = 0.0;
    for (int round = 0; round < kRounds; ++round) {
      cost = 0.0;
      for (std::size_t i = 0; i < frames.size(); ++i)
        cost += solve(recording_.positions_world[frames[i]], {}, nullptr, kSteps, poses[i]);
      move_places(frames, poses);
    }
    for (std::size_t m = 0; m < places_.size(); ++m)
      cost += (places_[m].point_segment - expected_[m].point_segment).squaredNorm() /
              (places_[m].scale * places_[m].scale);
    return cost;
  }

  Pose first_pose(const Positions& measured) {
    Pose pose{{}, relaxed_};
    kinematics_.update(pose.root_world, pose.coordinates);
    Positions from, to;
    for (const MarkerPlace& place : places_) {
      if (lost(measured[place.marker])) continue;
      from.push_back(kinematics_.frames_world()[place.segment] * place.point_segment);
      to.push_back(measured[place.marker]);
    }
    pose.root_world = fitted(from, to);
    return pose;
  }

  // Gauss-Newton steps from `pose`, which is changed; the squared residuals over their scales.
  double solve(const Positions& measured, const std::vector<double>& weights, const Pose* before,
               int steps, Pose& pose) {
    const Eigen::Index size = 6 + hand_.dof();
    double cost = 0.0;
    for (int k = 0; k <= steps; ++k) {
      kinematics_.update(pose.root_world, pose.coordinates);
      normal_.setZero(size, size);
      right_.setZero(size);
      cost = add_markers(measured, weights);
      const Eigen::VectorXd off = pose.coordinates - relaxed_;
      cost += off.cwiseAbs2().dot(stay_);
      if (k == steps) break;
      normal_.diagonal().array() += kDamping;
      normal_.diagonal().tail(size - 6) += stay_;
      right_.tail(size - 6) -= stay_.cwiseProduct(off);
      if (before) {
        const double tie = 1.0 / (kChangeScale * kChangeScale);
        normal_.diagonal().tail(size - 6).array() += tie;
        right_.tail(size - 6) -= tie * (pose.coordinates - before->coordinates);
      }
      const Eigen::VectorXd step = normal_.llt().solve(right_);
      pose.root_world = moved_root(pose.root_world, step);
      pose.coordinates =
          (pose.coordinates + step.tail(size - 6)).cwiseMax(limits_.lower).cwiseMin(limits_.upper);
    }
    return cost;
  }

  // m, of each marker.
  std::vector<double> errors(const Positions& measured, const Pose& pose) {
    kinematics_.update(pose.root_world, pose.coordinates);
    std::vector<double> made;
    for (const MarkerPlace& place : places_)
      made.push_back(
          (kinematics_.frames_world()[place.segment] * place.point_segment - measured[place.marker])
              .norm());
    return made;
  }

 private:
  double add_markers(const Positions& measured, const std::vector<double>& weights) {
    double cost = 0.0;
    for (std::size_t m = 0; m < places_.size(); ++m) {
      const MarkerPlace& place = places_[m];
      if (lost(measured[place.marker])) continue;
      const double weight = (weights.empty() ? 1.0 : weights[m]) / (kMarkerScale * kMarkerScale);
      const Vec3 at = kinematics_.frames_world()[place.segment] * place.point_segment;
      const Vec3 error = measured[place.marker] - at;
      kinematics_.point_jacobian(place.segment, at, jacobian_);
      normal_.noalias() += weight * jacobian_.transpose() * jacobian_;
      right_.noalias() += weight * jacobian_.transpose() * error;
      cost += weight * error.squaredNorm();
    }
    return cost;
  }

  // Each marker's best place for the poses: the mean of where it is seen, drawn to what is
  // expected.
  void move_places(const std::vector<int>& frames, const std::vector<Pose>& poses) {
    std::vector<Vec3> sums(places_.size(), Vec3::Zero());
    std::vector<double> counts(places_.size(), 0.0);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      kinematics_.update(poses[i].root_world, poses[i].coordinates);
      for (std::size_t m = 0; m < places_.size(); ++m) {
        const Vec3& seen = recording_.positions_world[frames[i]][places_[m].marker];
        if (lost(seen)) continue;
        sums[m] += kinematics_.frames_world()[places_[m].segment].inverse() * seen;
        counts[m] += 1.0;
      }
    }
    for (std::size_t m = 0; m < places_.size(); ++m) {
      const double w = 1.0 / (kMarkerScale * kMarkerScale);
      const double e = 1.0 / (places_[m].scale * places_[m].scale);
      places_[m].point_segment =
          (w * sums[m] + e * expected_[m].point_segment) / (w * counts[m] + e);
    }
  }

  const Hand& hand_;
  const MarkerRecording& recording_;
  std::vector<MarkerPlace> expected_, places_;
  HandKinematics kinematics_;
  CoordinateLimits limits_;
  Eigen::Matrix<double, 3, Eigen::Dynamic> jacobian_;
  Eigen::VectorXd stay_, relaxed_, right_;
  Eigen::MatrixXd normal_;
};

// Where the palm is in each frame, by its markers against the first frame in which all are seen.
std::vector<Transform> palm_frames(const MarkerRecording& recording, const std::vector<int>& palm) {
  std::vector<Transform> palms;
  Positions first;
  for (const Positions& positions : recording.positions_world) {
    Positions seen;
    for (const int marker : palm)
      if (!lost(positions[marker])) seen.push_back(positions[marker]);
    const bool whole = seen.size() == palm.size();
    if (whole && first.empty()) first = seen;
    palms.push_back(whole ? fitted(first, seen) : palms.empty() ? Transform{} : palms.back());
  }
  return palms;
}

// Lost markers between two sightings, from their place against what carries them: carrier(m, f) is
// the frame of that of marker m in frame f. `weights` says which were filled. Before the first and
// after the last sighting a marker keeps its place.
template <typename Carrier>
MarkerRecording filled(const MarkerRecording& recording, const std::vector<MarkerPlace>& places,
                       const Carrier& carrier, double weight,
                       std::vector<std::vector<double>>& weights) {
  MarkerRecording made = recording;
  const int frames = recording.frame_count();
  weights.assign(frames, std::vector<double>(places.size(), 1.0));
  for (std::size_t m = 0; m < places.size(); ++m) {
    const int marker = places[m].marker;
    int last = -1;
    for (int f = 0; f <= frames; ++f) {
      if (f < frames && lost(recording.positions_world[f][marker])) continue;
      for (int g = last + 1; g < f; ++g) {
        if (last < 0 && f == frames) break;
        const int a = last < 0 ? f : last, b = f == frames ? last : f;
        const Vec3 from = carrier(m, a).inverse() * recording.positions_world[a][marker];
        const Vec3 to = carrier(m, b).inverse() * recording.positions_world[b][marker];
        const double share = a == b ? 0.0 : double(g - a) / (b - a);
        made.positions_world[g][marker] = carrier(m, g) * Vec3(from + share * (to - from));
        weights[g][m] = weight;
      }
      last = f;
    }
  }
  return made;
}

// Cubics over a short time take away most of the cameras' noise and none of a hand's motion.
void smooth_markers(MarkerRecording& recording, const std::vector<MarkerPlace>& places) {
  Eigen::MatrixXd samples(recording.frame_count(), 3);
  for (const MarkerPlace& place : places) {
    for (int f = 0; f < recording.frame_count(); ++f)
      samples.row(f) = recording.positions_world[f][place.marker].transpose();
    if (!samples.allFinite()) continue;  // never seen
    samples = smooth(samples, recording.frame_rate, kSmoothing).value;
    for (int f = 0; f < recording.frame_count(); ++f)
      recording.positions_world[f][place.marker] = samples.row(f).transpose();
  }
}

std::vector<int> calibration_frames(const MarkerRecording& recording,
                                    const std::vector<MarkerPlace>& places, int count, int& whole) {
  std::vector<int> good;
  for (int f = 0; f < recording.frame_count(); ++f)
    if (std::none_of(places.begin(), places.end(), [&](const MarkerPlace& place) {
          return lost(recording.positions_world[f][place.marker]);
        }))
      good.push_back(f);
  whole = static_cast<int>(good.size());
  std::vector<int> chosen;
  for (int i = 0; i < std::min(count, whole); ++i)
    chosen.push_back(good[static_cast<std::size_t>((i + 0.5) * whole / std::min(count, whole))]);
  return chosen;
}

Result<Hand> hand_of(const MarkerOptions& options, double length) {
  HandOptions build;
  build.side = options.side;
  build.size.length = length;
  return build_hand(build);
}

// The pose of every frame, each from the one before.
std::vector<Pose> follow(Solver& solver, const MarkerRecording& whole,
                         const std::vector<std::vector<double>>& weights, const Monitor& monitor) {
  std::vector<Pose> poses;
  Pose pose = solver.first_pose(whole.positions_world[0]);
  solver.solve(whole.positions_world[0], weights[0], nullptr, kRounds, pose);
  for (int f = 0; f < whole.frame_count() && !monitor.stop.stop_requested(); ++f) {
    const Pose before = pose;
    solver.solve(whole.positions_world[f], weights[f], &before, kFrameSteps, pose);
    poses.push_back(pose);
    if (f % 100 == 0) monitor.report((f + 1.0) / whole.frame_count(), "markers solved");
  }
  return poses;
}

// Lost markers from their place against the segment before their own, which other markers show: a
// fingertip goes around its joint, and a line between two places of it would straighten the finger.
MarkerRecording filled_by_segments(const MarkerRecording& recording, const Hand& hand,
                                   const std::vector<MarkerPlace>& places,
                                   const std::vector<Pose>& poses,
                                   std::vector<std::vector<double>>& weights) {
  std::vector<std::vector<Transform>> frames;
  for (const Pose& pose : poses)
    frames.push_back(
        segment_frames(hand, pose_from_coordinates(hand, pose.root_world, pose.coordinates)));
  const auto carrier = [&](std::size_t m, int f) {
    const int parent = hand.segments[places[m].segment].parent;
    return frames[f][parent >= 0 ? parent : places[m].segment];
  };
  return filled(recording, places, carrier, kFilledWeight, weights);
}

}  // namespace

std::vector<MarkerPlace> marker_places(const Hand& hand, const std::vector<std::string>& names) {
  std::vector<MarkerPlace> places;
  const int wrist = hand.wrist(), knuckle = segment_of(hand, Digit::kMiddle, 1);
  const auto rest = segment_frames(hand, rest_pose(hand));
  const Vec3 knuckle_wrist = rest[wrist].inverse() * rest[knuckle].position;
  for (int m = 0; m < static_cast<int>(names.size()); ++m) {
    const std::string name = lowered(names[m]);
    Digit digit = Digit::kNone;
    for (const Digit d : kDigits)
      if (name.find(to_string(d)) != std::string::npos &&
          (digit == Digit::kNone || name.find(to_string(d)) < name.find(to_string(digit))))
        digit = d;
    if (has_any(name, {"pinky"})) digit = Digit::kLittle;
    if (digit == Digit::kNone) {
      if (!has_any(name, {"hand", "palm", "wrist"})) continue;
      // On the back of the hand: the top one by the knuckles, left and right by the wrist.
      const double along = has_any(name, {"top", "front", "distal"}) ? 0.75 : 0.25;
      const double across = has_any(name, {"left"})    ? -0.018
                            : has_any(name, {"right"}) ? 0.018
                                                       : 0.0;
      places.push_back({m, wrist, along * knuckle_wrist + Vec3(across, 0.015, 0.0), kPalmScale});
      continue;
    }
    // What follows the digit's name.
    const std::string part =
        name.substr(name.find(to_string(digit)) == std::string::npos
                        ? 0
                        : name.find(to_string(digit)) + std::string(to_string(digit)).size());
    const bool thumb = digit == Digit::kThumb;
    if (has_any(part, {"tip", "nail", "distal"}))
      places.push_back(on_back(hand, m, segment_of(hand, digit, 3), 0.8));
    else if (has_any(part, {"intermediate"}) && !thumb)
      places.push_back(on_back(hand, m, segment_of(hand, digit, 2), 0.5));
    else if (has_any(part, {"middle", "mid", "pip", "ip", "proximal"}))
      places.push_back(on_back(hand, m, segment_of(hand, digit, 1), 0.8));
    else if (has_any(part, {"knuckle", "mcp", "base"}))
      places.push_back(
          on_back(hand, m, segment_of(hand, digit, thumb ? 0 : 1), thumb ? 0.5 : 0.05));
  }
  return places;
}

Result<SolvedMarkers> solve_markers(const MarkerRecording& recording, const MarkerOptions& options,
                                    const Monitor& monitor) {
  const auto shape = hand_of(options, options.length > 0.0 ? options.length : 0.19);
  if (!shape) return shape.error();
  SolvedMarkers made;
  made.places = marker_places(*shape, recording.names);
  std::vector<int> palm;
  for (const MarkerPlace& place : made.places)
    if (place.segment == shape->wrist()) palm.push_back(place.marker);
  for (int m = 0; m < static_cast<int>(recording.names.size()); ++m)
    if (std::none_of(made.places.begin(), made.places.end(),
                     [&](const MarkerPlace& place) { return place.marker == m; }))
      made.not_on_hand.push_back(recording.names[m]);
  if (palm.size() < 3 || made.places.size() == palm.size())
    return Error{fmt::format(
        "{} markers on the back of the hand and {} on digits; three and one are needed, called "
        "such as hand_left and index_tip",
        palm.size(), made.places.size() - palm.size())};
  std::vector<std::vector<double>> weights;
  const std::vector<Transform> palms = palm_frames(recording, palm);
  MarkerRecording whole = filled(
      recording, made.places, [&](std::size_t, int f) { return palms[f]; }, kRoughWeight, weights);
  smooth_markers(whole, made.places);
  const auto frames_for = [&](int count) {
    return calibration_frames(recording, made.places, count, made.gap_free);
  };
  const std::vector<int> frames = frames_for(options.calibration_frames);
  if (frames.empty()) return Error{"no frame in which all markers of the hand are seen"};

  // The length at which markers sit where they are expected, then finer around it.
  const auto cost_of = [&](double length) {
    const auto hand = hand_of(options, length);
    if (!hand) return HUGE_VAL;
    Solver solver(*hand, whole, marker_places(*hand, recording.names));
    std::vector<Pose> poses;
    return solver.calibrate(frames, poses);
  };
  made.length = options.length;
  if (options.length <= 0.0) {
    double least = HUGE_VAL;
    const auto look = [&](double from, double to, double step) {
      for (double length = from; length <= to + 1e-9; length += step) {
        const double cost = cost_of(length);
        if (cost >= least) continue;
        least = cost;
        made.length = length;
      }
    };
    look(kShortest, kLongest, kLengthStep);
    const double middle = made.length;
    look(middle - kLengthStep + kFinest, middle + kLengthStep - kFinest, kFinest);
  }
  auto built = hand_of(options, made.length);
  if (!built) return built.error();
  const HandPtr hand = std::make_shared<const Hand>(std::move(*built));
  Solver solver(*hand, whole, marker_places(*hand, recording.names));
  std::vector<Pose> poses;
  solver.calibrate(frames_for(kPlaceFrames), poses);
  made.places = solver.places();

  std::vector<Pose> followed = follow(solver, whole, weights, monitor);
  if (made.gap_free < recording.frame_count() && !monitor.stop.stop_requested()) {
    whole = filled_by_segments(recording, *hand, made.places, followed, weights);
    smooth_markers(whole, made.places);
    followed = follow(solver, whole, weights, monitor);
  }
  made.track.hand = hand;
  double squares = 0.0, counted = 0.0, gaps = 0.0;
  for (std::size_t f = 0; f < followed.size(); ++f) {
    const Pose& pose = followed[f];
    made.track.poses.push_back(pose_from_coordinates(*hand, pose.root_world, pose.coordinates));
    const auto missing =
        std::count_if(weights[f].begin(), weights[f].end(), [](double w) { return w < 1.0; });
    gaps += double(missing);
    if (missing > 0) continue;
    for (const double error : solver.errors(recording.positions_world[f], pose)) {
      squares += error * error;
      counted += 1.0;
      made.worst = std::max(made.worst, error);
    }
  }
  made.residual = counted > 0.0 ? std::sqrt(squares / counted) : 0.0;
  made.filled_fraction =
      gaps / std::max(1.0, double(whole.frame_count()) * double(made.places.size()));
  made.summary.residual = made.residual;
  made.summary.message = fmt::format(
      "{} markers on a hand of {:.0f} mm, {:.1f} mm RMS, {:.1f} % filled in", made.places.size(),
      1e3 * made.length, 1e3 * made.residual, 100.0 * made.filled_fraction);
  return made;
}

}  // namespace prehend::hands
