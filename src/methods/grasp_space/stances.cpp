// Beyond the paper, whose user places the hand: where searches begin. The palm faces the surface,
// or a handle with the fingers across it, turned as people's hands are above a table.
#include "methods/grasp_space/stances.h"

#include <algorithm>
#include <cmath>

#include "methods/grasp_space/handles.h"
#include "methods/grasp_space/naturalness.h"
#include "prehend/hands/palm.h"

namespace prehend::grasp_space {
namespace {

// The approach leans by at most this from the surface's normal.
constexpr double kMostLean = radians(60.0);
// The palm begins at most this far from the surface, in lengths of the hand: a finger's length.
constexpr double kFarthestPalm = 0.45;
// Of an object with a handle, the share of searches that begin at it. People take handles to use a
// thing and bodies to hand it over (ContactDB); half of that, since few of them pass all stages and
// every one costs time.
constexpr double kHandleShare = 0.25;
// The fingers lie across a handle, give or take this: a power grip's handle crosses the palm
// obliquely.
constexpr double kMostOblique = radians(30.0);
constexpr double kStandsOut = 0.02;  // m from the center of mass to a handle's line
constexpr int kMostTries = 100;      // of drawing a comfortable stance

// A shape drawn from the mixture: one of its Gaussians' means, moved by its own spread.
Eigen::VectorXd draw_shape(const GraspSpace& space, Random& random) {
  const auto& parts = space.mixture.parts();
  double left = random.uniform();
  size_t k = 0;
  while (k + 1 < parts.size() && left > parts[k].weight) left -= parts[k++].weight;
  Eigen::VectorXd standard(parts[k].mean.size());
  for (int i = 0; i < standard.size(); ++i) standard[i] = random.normal();
  const Eigen::LLT<Eigen::MatrixXd> factor(parts[k].covariance);
  const Eigen::VectorXd x = parts[k].mean + factor.matrixL() * standard;
  return space.natural(x) ? x : parts[k].mean;
}

}  // namespace

StanceDrawer::StanceDrawer(const GraspProblem& problem, const GraspTarget& target)
    : problem_(problem),
      target_(target),
      sampler_(*target.search_mesh),
      wrist_from_palm_(hands::palm_in_wrist(*problem.hand).inverse()) {
  for (size_t i = 0; i < target.parts.size(); ++i)
    if (target.parts[i].handle > kHandle) handles_.push_back(static_cast<int>(i));
}

bool StanceDrawer::begins_at_handle(Random& random) const {
  return !handles_.empty() && random.uniform() < kHandleShare;
}

Stance StanceDrawer::draw(Random& random, bool at_handle) const {
  Stance stance;
  stance.reduced = draw_shape(*problem_.space, random);
  if (problem_.wrist_object) {
    stance.palm_object = *problem_.wrist_object * hands::palm_in_wrist(*problem_.hand);
    return stance;
  }
  int tries = 0;
  do {
    stance.palm_object = at_handle ? face_handle(random) : face_surface(random);
  } while (++tries < kMostTries && !comfortable(stance.palm_object, random));
  return stance;
}

// The palm faces a point of the surface from a distance between touching and a finger's length.
Transform StanceDrawer::face_surface(Random& random) const {
  const geometry::SurfacePoint at = sampler_.draw(random);
  Vec3 away = at.normal;
  do {
    away = random.direction();
  } while (away.dot(at.normal) < std::cos(kMostLean));
  const Quat facing = Quat::FromTwoVectors(Vec3::UnitY(), away) *
                      Quat(Eigen::AngleAxisd(random.uniform(0.0, 2.0 * kPi), Vec3::UnitY()));
  const double distance = random.uniform(0.0, kFarthestPalm * problem_.hand->length);
  return {facing, at.point + distance * away};
}

// The palm faces a handle from any side, near enough for a power grip or for the pulps, and the
// fingers lie across it.
Transform StanceDrawer::face_handle(Random& random) const {
  const PartPoint& part = target_.parts[handles_[std::min<size_t>(
      handles_.size() - 1, static_cast<size_t>(random.uniform() * double(handles_.size())))]];
  // People reach for a handle from where it stands out, not across the rest of the object.
  Vec3 out = part.point - problem_.object->center_of_mass;
  out -= out.dot(part.axis) * part.axis;
  const bool stands_out = out.norm() > kStandsOut;
  Vec3 away = part.normal;
  int tries = 0;
  do {
    away = random.direction();
  } while (++tries < kMostTries &&
           (away.dot(part.normal) < std::cos(kMostLean) || (stands_out && away.dot(out) < 0.0)));
  Vec3 across = part.axis - part.axis.dot(away) * away;
  if (across.norm() < 1e-3) across = any_orthogonal(away);
  Mat3 axes;
  axes.col(0) = (random.uniform() < 0.5 ? 1.0 : -1.0) * across.normalized();
  axes.col(1) = away;
  axes.col(2) = axes.col(0).cross(away);
  const double oblique = random.uniform(-kMostOblique, kMostOblique);
  const Quat facing = Quat(axes).normalized() * Quat(Eigen::AngleAxisd(oblique, Vec3::UnitY()));
  const double distance = random.uniform(0.0, kFarthestPalm * problem_.hand->length);
  return {facing, part.point + distance * away};
}

// Above a table hands come more often the more comfortable they are, and never through it.
bool StanceDrawer::comfortable(const Transform& palm_object, Random& random) const {
  if (!problem_.table) return true;
  const Transform wrist = palm_object * wrist_from_palm_;
  const double comfort = wrist_comfort(problem_.hand->side, wrist.rotation, problem_.table->up);
  return random.uniform() < comfort * comfort &&
         problem_.table->above(palm_object.position) > 0.0 &&
         problem_.table->above(forearm_object(wrist, problem_.table->up)) > 0.0;
}

}  // namespace prehend::grasp_space
