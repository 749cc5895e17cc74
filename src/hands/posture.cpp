// Postures are least-squares problems over the hand's joint coordinates within their limits:
//   1. goals          what the posture is about (a tip on a spot, a cylinder touched, a plane met)
//   2. overlap        capsules that pass through each other or through what is held
//   3. reference      a little pull towards the angles that the posture is known by
#include "prehend/hands/posture.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "prehend/optimize/least_squares.h"

namespace prehend::hands {

namespace {

constexpr double kOverlapWeight = 6.0;     // a meter of overlap against a meter of gap
constexpr double kReferenceWeight = 2e-3;  // meters a radian: 10 degrees weigh as much as 0.35 mm
constexpr double kThenarGive = 0.007;      // m that the ball of the thumb gives on a table
constexpr double kPinchGap = 0.005;        // m between the pulps of "pinch" (posture.h)
constexpr double kCylinderRadius = 0.025;  // m, of the cylinder in "wrap" (posture.h)

// A spot on the skin.
struct Spot {
  int segment = -1;
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::Zero();
};

// A problem under construction: variables are the joint coordinates, then `extra` of the posture's
// own.
struct Problem {
  const Hand& hand;
  Eigen::VectorXd reference;
  Eigen::VectorXd extra_start, extra_lower, extra_upper;
  std::function<void(const std::vector<Transform>& frames, const Eigen::VectorXd& extra,
                     std::vector<double>& residuals)>
      goals;
  double reference_weight = kReferenceWeight;

  explicit Problem(const Hand& h) : hand(h), reference(Eigen::VectorXd::Zero(h.dof())) {}
};

// Overlap of every pair of segments that should not overlap; one number a pair, so that the count
// is fixed.
void overlap_residuals(const Hand& hand, const std::vector<Transform>& frames,
                       std::vector<double>& residuals) {
  for (int a = 0; a < hand.segment_count(); ++a) {
    for (int b = a + 1; b < hand.segment_count(); ++b) {
      if (hand.may_overlap(a, b)) continue;
      double depth = 0.0;
      for (const Capsule& first : hand.segments[a].capsules) {
        const Capsule first_world = frames[a] * first;
        for (const Capsule& second : hand.segments[b].capsules) {
          depth = std::max(depth, -distance(first_world, frames[b] * second));
        }
      }
      residuals.push_back(kOverlapWeight * depth);
    }
  }
}

// Bends PIP and DIP together: fingers cannot flex the last joint alone.
void coupling_residuals(const Hand& hand, const Eigen::VectorXd& q, const std::vector<int>& offsets,
                        std::vector<double>& residuals) {
  for (int s = 0; s < hand.segment_count(); ++s) {
    const Segment& segment = hand.segments[s];
    if (segment.phalanx != 3 || segment.digit == Digit::kThumb || segment.dof() != 1) continue;
    if (hand.segments[segment.parent].dof() != 1) continue;
    residuals.push_back(2.0 * kReferenceWeight *
                        (q[offsets[s]] - 2.0 / 3.0 * q[offsets[segment.parent]]));
  }
}

struct Solved {
  HandPose pose;
  Eigen::VectorXd extra;
};

Solved solve(const Problem& problem) {
  const Hand& hand = problem.hand;
  const CoordinateLimits limits = coordinate_limits(hand);
  const std::vector<int> offsets = coordinate_offsets(hand);
  const int dof = hand.dof(), extra = static_cast<int>(problem.extra_start.size());
  Eigen::VectorXd start(dof + extra), lower(dof + extra), upper(dof + extra);
  start << problem.reference, problem.extra_start;
  lower << limits.lower, problem.extra_lower;
  upper << limits.upper, problem.extra_upper;
  std::vector<double> list;
  const auto evaluate = [&](const Eigen::VectorXd& x) {
    list.clear();
    const Eigen::VectorXd q = x.head(dof);
    const auto frames = segment_frames(hand, pose_from_coordinates(hand, {}, q));
    if (problem.goals) problem.goals(frames, x.tail(extra), list);
    overlap_residuals(hand, frames, list);
    coupling_residuals(hand, q, offsets, list);
    for (int i = 0; i < dof; ++i) {
      list.push_back(problem.reference_weight * (q[i] - problem.reference[i]));
    }
  };
  evaluate(start);
  const int count = static_cast<int>(list.size());
  const optimize::Residuals residuals = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r) {
    evaluate(x);
    r = Eigen::Map<const Eigen::VectorXd>(list.data(), count);
  };
  const auto result = optimize::minimize_squares(residuals, count, start, lower, upper);
  return {pose_from_coordinates(hand, {}, result.x.head(dof)), result.x.tail(extra)};
}

const Capsule& flesh(const Hand& hand, int segment) {
  return hand.segments[segment].capsules.back();
}

// Point on a segment's skin at a fraction of its length, in the direction given in the segment's
// frame.
Spot spot(const Hand& hand, int segment, double fraction, const Vec3& direction) {
  const Capsule& capsule = flesh(hand, segment);
  const Vec3 normal = direction.normalized();
  return {segment, capsule.a + fraction * (capsule.b - capsule.a) + capsule.radius * normal,
          normal};
}

int segment_of(const Hand& hand, Digit digit, int phalanx) {
  for (int s = 0; s < hand.segment_count(); ++s) {
    if (hand.segments[s].digit == digit && hand.segments[s].phalanx == phalanx) return s;
  }
  return -1;
}

// Towards the thumb, in any segment's frame.
Vec3 radial(const Hand& hand) { return {hand.side == Side::kRight ? -1.0 : 1.0, 0.0, 0.0}; }

// Kapandji's stations 1 to 10.
Spot station(const Hand& hand, int number) {
  const Vec3 palm = -Vec3::UnitY();
  const Vec3 pulp = Vec3(0.0, -1.0, -0.6);
  switch (number) {
    case 1:
      return spot(hand, segment_of(hand, Digit::kIndex, 2), 0.5, radial(hand));
    case 2:
      return spot(hand, segment_of(hand, Digit::kIndex, 3), 0.5, radial(hand));
    case 3:
      return spot(hand, segment_of(hand, Digit::kIndex, 3), 1.0, pulp);
    case 4:
      return spot(hand, segment_of(hand, Digit::kMiddle, 3), 1.0, pulp);
    case 5:
      return spot(hand, segment_of(hand, Digit::kRing, 3), 1.0, pulp);
    case 6:
      return spot(hand, segment_of(hand, Digit::kLittle, 3), 1.0, pulp);
    case 7:
      return spot(hand, segment_of(hand, Digit::kLittle, 3), 0.0, palm);
    case 8:
      return spot(hand, segment_of(hand, Digit::kLittle, 2), 0.0, palm);
    case 9:
      return spot(hand, segment_of(hand, Digit::kLittle, 1), 0.35, palm);
    default:
      return spot(hand, segment_of(hand, Digit::kLittle, 0), 0.85, palm);
  }
}

// Brings the end of the thumb onto a spot, `gap` away from it, pulp first.
void oppose(Problem& problem, const Spot& target, double gap) {
  const Hand& hand = problem.hand;
  const int thumb = hand.pads[0].segment;
  const Capsule& tip = flesh(hand, thumb);
  problem.goals = [&hand, target, gap, thumb, tip](const std::vector<Transform>& frames,
                                                   const Eigen::VectorXd&,
                                                   std::vector<double>& residuals) {
    const Vec3 normal = frames[target.segment].turn(target.normal);
    const Vec3 wanted = frames[target.segment] * target.point + (tip.radius + gap) * normal;
    const Vec3 error = frames[thumb] * tip.b - wanted;
    for (int k = 0; k < 3; ++k) residuals.push_back(error[k]);
    // The pulp faces the spot: only what turns it more than 60 degrees away counts.
    const double facing = -normal.dot(frames[thumb].turn(hand.pads[0].normal));
    residuals.push_back(0.01 * std::max(0.0, 0.5 - facing));
  };
}

double opposition_error(const Hand& hand, const HandPose& pose, const Spot& target, double gap) {
  const auto frames = segment_frames(hand, pose);
  const int thumb = hand.pads[0].segment;
  const Capsule tip = frames[thumb] * flesh(hand, thumb);
  return std::abs((tip.b - frames[target.segment] * target.point).norm() - tip.radius - gap);
}

void finger_reference(Problem& problem, Digit digit, double mcp_deg, double pip_deg, double dip_deg,
                      double deviation_deg = 0.0) {
  const double angles[4] = {0.0, mcp_deg, pip_deg, dip_deg};
  for (int phalanx = 1; phalanx < 4; ++phalanx) {
    const int segment = segment_of(problem.hand, digit, phalanx);
    if (segment < 0) continue;
    set_angles(problem.hand, segment, radians(angles[phalanx]),
               phalanx == 1 ? radians(deviation_deg) : 0.0, problem.reference);
  }
}

void thumb_reference(Problem& problem, double cmc_flexion_deg, double cmc_abduction_deg,
                     double mcp_deg, double ip_deg) {
  const double flexion[4] = {cmc_flexion_deg, mcp_deg, 0.0, ip_deg};
  for (int phalanx : {0, 1, 3}) {
    const int segment = segment_of(problem.hand, Digit::kThumb, phalanx);
    if (segment < 0) continue;
    set_angles(problem.hand, segment, radians(flexion[phalanx]),
               phalanx == 0 ? radians(cmc_abduction_deg) : 0.0, problem.reference);
  }
}

constexpr Digit kFingers[4] = {Digit::kIndex, Digit::kMiddle, Digit::kRing, Digit::kLittle};

Posture fist(const Hand& hand) {
  Problem problem(hand);
  for (Digit finger : kFingers) finger_reference(problem, finger, 88, 103, 72);
  thumb_reference(problem, 30, 30, 45, 40);
  problem.reference_weight = 2.0 * kReferenceWeight;
  // Fingertips on the palm, and the thumb across the backs of the index and middle fingers.
  const int thumb = hand.pads[0].segment;
  const int index = segment_of(hand, Digit::kIndex, 2);
  const int middle = segment_of(hand, Digit::kMiddle, 2);
  problem.goals = [&hand, thumb, index, middle](const std::vector<Transform>& frames,
                                                const Eigen::VectorXd&,
                                                std::vector<double>& residuals) {
    const auto gap = [&](int a, int b) {
      return distance(frames[a] * flesh(hand, a), frames[b] * flesh(hand, b));
    };
    residuals.push_back(gap(thumb, index));
    residuals.push_back(gap(thumb, middle));
    for (Digit finger : kFingers) {
      const int palm = segment_of(hand, finger, 0);
      const int tip = hand.pads[static_cast<int>(finger)].segment;
      residuals.push_back(palm < 0 ? 0.0 : 2.0 * gap(tip, palm));
    }
  };
  return {solve(problem).pose};
}

Posture spread(const Hand& hand) {
  Problem problem(hand);
  finger_reference(problem, Digit::kIndex, -10, 0, 0, 20);
  finger_reference(problem, Digit::kMiddle, -10, 0, 0, 3);
  finger_reference(problem, Digit::kRing, -10, 0, 0, -12);
  finger_reference(problem, Digit::kLittle, -10, 0, 0, -25);
  thumb_reference(problem, -30, 0, -5, -10);
  return {solve(problem).pose};
}

Posture point(const Hand& hand) {
  Problem problem(hand);
  for (Digit finger : kFingers) finger_reference(problem, finger, 80, 95, 60);
  finger_reference(problem, Digit::kIndex, 5, 3, 2);
  thumb_reference(problem, 15, 10, 40, 40);
  return {solve(problem).pose};
}

// Palm down on a table: extras are the table's height and its two tilts.
Posture flat(const Hand& hand) {
  Problem problem(hand);
  thumb_reference(problem, -15, -22, 0, 0);
  problem.reference_weight = 5.0 * kReferenceWeight;
  problem.extra_start = Eigen::Vector3d(-0.12 * hand.length, 0.0, 0.0);
  problem.extra_lower = Eigen::Vector3d(-0.5 * hand.length, -0.3, -0.3);
  problem.extra_upper = Eigen::Vector3d(0.0, 0.3, 0.3);
  const auto normal_of = [](const Eigen::VectorXd& extra) {
    return exp_map({extra[1], 0.0, extra[2]}) * Vec3::UnitY();
  };
  problem.goals = [&hand, normal_of](const std::vector<Transform>& frames,
                                     const Eigen::VectorXd& extra, std::vector<double>& residuals) {
    const Vec3 normal = normal_of(extra), origin(0.0, extra[0], 0.0);
    for (int s = 0; s < hand.segment_count(); ++s) {
      double lowest = INFINITY;
      for (const Capsule& local : hand.segments[s].capsules) {
        const Capsule capsule = frames[s] * local;
        lowest = std::min({lowest, normal.dot(capsule.a - origin) - capsule.radius,
                           normal.dot(capsule.b - origin) - capsule.radius});
      }
      const bool lies = hand.segments[s].phalanx == 3 || hand.segments[s].phalanx == 0;
      // The ball of the thumb is soft and lets the thumb come down.
      if (hand.segments[s].phalanx == 0 && hand.segments[s].digit == Digit::kThumb) {
        lowest += kThenarGive;
      }
      residuals.push_back(lowest < 0.0 ? kOverlapWeight * lowest : lies ? lowest : 0.0);
    }
  };
  const Solved solved = solve(problem);
  Posture posture{solved.pose};
  posture.plane_point = Vec3(0.0, solved.extra[0], 0.0);
  posture.plane_normal = normal_of(solved.extra);
  return posture;
}

// Around a cylinder of 50 mm: extras are where its axis passes and how it is turned.
Posture wrap(const Hand& hand) {
  Problem problem(hand);
  for (Digit finger : kFingers) finger_reference(problem, finger, 55, 60, 40);
  thumb_reference(problem, 10, 25, 25, 25);
  const Vec3 knuckle = xr_frames(hand, rest_pose(hand))[xr_joint_of(Digit::kMiddle, 1)].position;
  const double sign = hand.side == Side::kRight ? 1.0 : -1.0;
  problem.extra_start.resize(4);
  problem.extra_start << knuckle.y() - kCylinderRadius - 0.12 * hand.length, 0.9 * knuckle.z(), 0.0,
      sign * 0.25;
  const Eigen::Vector4d slack(0.05, 0.05, 0.6, 0.7);
  problem.extra_lower = problem.extra_start - slack;
  problem.extra_upper = problem.extra_start + slack;
  const auto cylinder = [](const Eigen::VectorXd& extra) {
    const Vec3 axis = exp_map({0.0, extra[3], extra[2]}) * Vec3::UnitX();
    const Vec3 center(0.0, extra[0], extra[1]);
    return Capsule{center - axis, center + axis, kCylinderRadius};
  };
  problem.goals = [&hand, cylinder](const std::vector<Transform>& frames,
                                    const Eigen::VectorXd& extra, std::vector<double>& residuals) {
    const Capsule held = cylinder(extra);
    for (int s = 0; s < hand.segment_count(); ++s) {
      double gap = INFINITY;
      for (const Capsule& local : hand.segments[s].capsules) {
        gap = std::min(gap, distance(frames[s] * local, held));
      }
      // The wrist need not touch; everything else should, and nothing may pass through.
      residuals.push_back(gap < 0.0                      ? kOverlapWeight * gap
                          : hand.segments[s].phalanx < 0 ? 0.0
                                                         : gap);
    }
  };
  const Solved solved = solve(problem);
  Posture posture{solved.pose};
  posture.held = cylinder(solved.extra);
  return posture;
}

Posture opposed(const Hand& hand, const Spot& target, double gap, double finger_flexion_deg) {
  Problem problem(hand);
  for (Digit finger : kFingers)
    finger_reference(problem, finger, 0.6 * finger_flexion_deg, finger_flexion_deg,
                     0.6 * finger_flexion_deg);
  thumb_reference(problem, 10, 20, 20, 20);
  oppose(problem, target, gap);
  Posture posture{solve(problem).pose};
  posture.gap_error = opposition_error(hand, posture.pose, target, gap);
  return posture;
}

Posture kapandji(const Hand& hand, int number) {
  // The farther stations are reached by a thumb that sweeps over flatter fingers.
  const double flexion = number <= 2 ? 35 : number <= 6 ? 45 : number == 7 ? 40 : 20;
  return opposed(hand, station(hand, number), 0.0, flexion);
}

// Pulp on pulp with a 5 mm disc between.
Posture pinch(const Hand& hand) {
  const int index = segment_of(hand, Digit::kIndex, 3);
  return opposed(hand, spot(hand, index, 0.8, {0.0, -1.0, 0.0}), kPinchGap, 40);
}

bool has_all_digits(const Hand& hand) {
  for (Digit digit : kDigits) {
    for (int phalanx : {1, 3}) {
      const int segment = segment_of(hand, digit, phalanx);
      if (segment < 0 || hand.segments[segment].capsules.empty()) return false;
    }
  }
  for (Digit digit : kFingers) {
    const int segment = segment_of(hand, digit, 2);
    if (segment < 0 || hand.segments[segment].capsules.empty()) return false;
  }
  return hand.pads[0].segment >= 0;
}

}  // namespace

const std::vector<std::string>& posture_names() {
  static const std::vector<std::string> kNames = {
      "rest",       "flat",       "fist",       "spread",     "point",      "pinch",
      "wrap",       "kapandji-1", "kapandji-2", "kapandji-3", "kapandji-4", "kapandji-5",
      "kapandji-6", "kapandji-7", "kapandji-8", "kapandji-9", "kapandji-10"};
  return kNames;
}

Result<Posture> make_posture(const Hand& hand, const std::string& name) {
  const auto& names = posture_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    return Error{fmt::format("no posture '{}'; there are {}", name, fmt::join(names, ", "))};
  }
  if (name == "rest") return Posture{rest_pose(hand)};
  if (!has_all_digits(hand)) {
    return Error{fmt::format("posture '{}' needs five digits with contact shapes", name)};
  }
  if (name == "flat") return flat(hand);
  if (name == "fist") return fist(hand);
  if (name == "spread") return spread(hand);
  if (name == "point") return point(hand);
  if (name == "pinch") return pinch(hand);
  if (name == "wrap") return wrap(hand);
  return kapandji(hand, std::stoi(name.substr(name.find('-') + 1)));
}

int kapandji_score(const Hand& hand, double tolerance) {
  for (int number = 1; number <= 10; ++number) {
    const Posture posture = kapandji(hand, number);
    if (posture.gap_error > tolerance) return number - 1;
    if (self_penetration(hand, posture.pose).depth > tolerance) return number - 1;
  }
  return 10;
}

void set_angles(const Hand& hand, int segment, double flexion, double deviation,
                Eigen::VectorXd& q) {
  int next = coordinate_offsets(hand)[segment];
  // Towards the thumb for a finger, away from the palm for the thumb: both towards -X on a right
  // hand.
  const double about_y = hand.side == Side::kRight ? deviation : -deviation;
  const Vec3 wanted(-flexion, about_y, 0.0);
  for (const Joint& joint : hand.segments[segment].joints) {
    if (joint.type == JointType::kBall) {
      q.segment<3>(next) = wanted;
    } else {
      int main_axis;
      if (joint.axis.cwiseAbs().maxCoeff(&main_axis) > 0.7) {
        q[next] = wanted[main_axis] * (joint.axis[main_axis] > 0.0 ? 1.0 : -1.0);
      }
    }
    next += joint.dof();
  }
}

}  // namespace prehend::hands
