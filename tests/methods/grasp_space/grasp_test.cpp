#include "prehend/methods/grasp_space/grasp.h"

#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "prehend/geometry/capsule_contacts.h"
#include "tests/methods/grasp_space/grasp_fixture.h"

namespace prehend::grasp_space {
namespace {

constexpr double kRounding = 1e-9;  // rad

constexpr double kPenetration = 0.001;  // meters, of a proposed grasp

GraspProblem problem_of(ObjectPtr object) {
  GraspProblem problem;
  problem.hand = test_hand();
  problem.object = std::move(object);
  problem.space = general_space();
  return problem;
}

ObjectPtr ball(double radius) { return primitive(ShapeKind::kSphere, {radius, 0.0, 0.0}); }

GraspReport find(const GraspProblem& problem, const GraspOptions& options) {
  auto report = find_grasps(problem, options);
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.message());
  return report.ok() ? std::move(*report) : GraspReport{};
}

// Everything that a grasp says, bit by bit.
std::vector<double> numbers(const Grasp& grasp) {
  std::vector<double> all = {grasp.metric,           grasp.log_likelihood,
                             grasp.epsilon,          grasp.imbalance,
                             grasp.penetration,      grasp.self_penetration,
                             grasp.least_grip_force, grasp.proof.displacement,
                             grasp.proof.rotation,   grasp.proof.grip_force};
  const auto add = [&](const auto& v) { all.insert(all.end(), v.begin(), v.end()); };
  add(grasp.plan.pregrasp);
  add(grasp.plan.grasp);
  add(grasp.plan.squeeze);
  for (const Transform& t : {grasp.plan.pregrasp_root, grasp.plan.root_object}) {
    add(t.position);
    add(t.rotation.coeffs());
  }
  for (const TouchPoint& touch : grasp.touches) add(touch.point);
  for (const Vec3& force : grasp.forces) add(force);
  return all;
}

TEST(FindGrasps, FindsSomeThatHoldABall) {
  GraspOptions options;
  options.count = 3;
  const GraspProblem problem = problem_of(ball(0.035));
  const GraspReport report = find(problem, options);
  EXPECT_GE(report.held, options.count);
  EXPECT_EQ(report.summary.termination, Termination::kConverged);
  EXPECT_EQ(static_cast<int>(report.grasps.size()), report.proposed);
  const auto limits = coordinate_limits(*problem.hand);
  int held = 0;
  for (const Grasp& grasp : report.grasps) {
    EXPECT_EQ(grasp.proof.held, held < report.held) << "those that held come first";
    held += grasp.proof.held;
    EXPECT_TRUE(grasp.proof.held == grasp.proof.reason.empty());
    EXPECT_LT(grasp.penetration, kPenetration);
    EXPECT_GT(grasp.epsilon, options.least_epsilon);
    EXPECT_LT(grasp.imbalance, options.most_imbalance);
    EXPECT_GE(grasp.log_likelihood, problem.space->log_threshold);
    EXPECT_EQ(grasp.forces.size(), grasp.touches.size());
    EXPECT_LT(limit_violation(limits, grasp.plan.grasp), kRounding);
    EXPECT_LT((coordinates(*problem.hand, grasp.pose) - grasp.plan.grasp).cwiseAbs().maxCoeff(),
              1e-9);
  }
  EXPECT_EQ(held, report.held);
}

TEST(FindGrasps, TheirSqueezeIsBalancedAndInsideItsCones) {
  GraspOptions options;
  options.count = 3;
  options.verify = false;
  const GraspProblem problem = problem_of(ball(0.03));
  for (const Grasp& grasp : find(problem, options).grasps) {
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    double normal_sum = 0.0;
    for (size_t i = 0; i < grasp.forces.size(); ++i) {
      const Vec3& f = grasp.forces[i];
      const double normal = -f.dot(grasp.touches[i].normal);
      const double across = (f + normal * grasp.touches[i].normal).norm();
      EXPECT_GE(normal, -1e-9);
      EXPECT_LE(across, problem.object->friction / options.friction_margin * normal + 1e-6);
      force += f;
      torque += (grasp.touches[i].point - problem.object->center_of_mass).cross(f);
      normal_sum += normal;
    }
    EXPECT_LT(force.norm(), 1.01 * options.most_imbalance * normal_sum);
    EXPECT_LT(torque.norm(), 0.1 * options.most_imbalance * normal_sum);  // N m, of a 3 cm ball
  }
}

TEST(FindGrasps, CountIsHonouredAndGraspsDifferFromEachOther) {
  GraspOptions options;
  options.verify = false;
  for (const int count : {1, 7}) {
    options.count = count;
    const GraspReport report = find(problem_of(ball(0.035)), options);
    EXPECT_EQ(report.held, count);
    EXPECT_EQ(static_cast<int>(report.grasps.size()), count);
    for (size_t i = 0; i < report.grasps.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const Transform& a = report.grasps[i].plan.root_object;
        const Transform& b = report.grasps[j].plan.root_object;
        EXPECT_TRUE((a.position - b.position).norm() > options.different_shift ||
                    angle_between(a.rotation, b.rotation) > options.different_turn);
      }
    }
  }
}

// The best of many are proven first, and every search ends at one stage.
TEST(FindGrasps, ChoosesTheBestOfMoreProposalsThanItProves) {
  GraspOptions options;
  options.count = 3;
  options.verify = false;
  const GraspReport chosen = find(problem_of(ball(0.035)), options);
  EXPECT_GE(chosen.different, options.ranked);
  int ended = 0;
  for (const int count : chosen.ended) ended += count;
  EXPECT_EQ(ended, chosen.candidates);
  EXPECT_GE(chosen.ended.back(), chosen.different);
  options.count = chosen.different;
  const GraspReport all = find(problem_of(ball(0.035)), options);
  ASSERT_EQ(all.grasps.size(), static_cast<size_t>(chosen.different));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(numbers(chosen.grasps[i]), numbers(all.grasps[i]));
}

TEST(FindGrasps, CandidatesRunOut) {
  GraspOptions options;
  options.count = 1000;
  options.max_candidates = 32;
  options.verify = false;
  const GraspReport report = find(problem_of(ball(0.035)), options);
  EXPECT_EQ(report.candidates, 32);
  EXPECT_LT(report.held, 1000);
  EXPECT_EQ(report.summary.termination, Termination::kLimitReached);
}

TEST(FindGrasps, SameAnswerForOneThreadAndTwo) {
  GraspOptions options;
  options.batch = 6;
  const GraspProblem problem =
      problem_of(std::make_shared<const Object>(geometry::builtin_object("soap").value()));
  std::vector<GraspReport> reports;
  for (const size_t threads : {1, 2}) {
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    reports.push_back(find(problem, options));
  }
  EXPECT_EQ(reports[0].candidates, reports[1].candidates);
  ASSERT_EQ(reports[0].grasps.size(), reports[1].grasps.size());
  EXPECT_FALSE(reports[0].grasps.empty());
  for (size_t i = 0; i < reports[0].grasps.size(); ++i) {
    EXPECT_EQ(numbers(reports[0].grasps[i]), numbers(reports[1].grasps[i]));
  }
}

TEST(FindGrasps, OtherSeedsFindOthers) {
  GraspOptions options;
  options.verify = false;
  const GraspReport first = find(problem_of(ball(0.035)), options);
  options.seed = 2;
  const GraspReport second = find(problem_of(ball(0.035)), options);
  ASSERT_FALSE(first.grasps.empty() || second.grasps.empty());
  EXPECT_NE(numbers(first.grasps[0]), numbers(second.grasps[0]));
}

TEST(FindGrasps, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  Monitor monitor;
  monitor.stop = source.get_token();
  const auto report = find_grasps(problem_of(ball(0.035)), {}, monitor);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->candidates, 0);
  EXPECT_EQ(report->summary.termination, Termination::kInterrupted);
}

// The digits that touch the object within a millimeter, inside the ball and beside it, looked at
// anew with the exact distance.
struct Touched {
  std::set<Digit> inside, beside;
};
Touched touched(const GraspProblem& problem, const Region& ball, const HandPose& pose) {
  constexpr double kTouches = 1e-3;  // m
  const auto exact = geometry::exact_distance(problem.object->shape);
  const auto frames = segment_frames(*problem.hand, pose);
  Touched digits;
  for (int s = 0; s < problem.hand->segment_count(); ++s) {
    for (const Capsule& capsule : problem.hand->segments[s].capsules) {
      std::array<geometry::FieldContact, geometry::kMaxFieldContacts> found;
      const int count =
          geometry::capsule_field_contacts(*exact, frames[s] * capsule, kTouches, found);
      for (int i = 0; i < count; ++i) {
        auto& where = ball.contains(found[i].point) ? digits.inside : digits.beside;
        where.insert(problem.hand->segments[s].digit);
      }
    }
  }
  return digits;
}

// Grasps that must hold the head put the thumb and two fingers at least on it, which those of the
// bunny anywhere do not. Other digits may touch beside it by chance: three or four do in this small
// space of shapes, and four or five of a hand that may hold the bunny anywhere.
TEST(FindGrasps, ARegionIsRespected) {
  const auto bunny = geometry::builtin_object("bunny");
  ASSERT_TRUE(bunny.ok()) << bunny.message();
  GraspProblem problem = problem_of(std::make_shared<const Object>(*bunny));
  const Region head{Vec3(0.0, 0.05, 0.0), 0.06};  // and ears
  GraspOptions options;
  options.verify = false;
  options.count = 2;
  struct Found {
    int by_the_head = 0;
    std::size_t beside = 0;
  };
  const auto look = [&] {
    const GraspReport report = find(problem, options);
    EXPECT_EQ(report.grasps.size(), 2u);
    Found found;
    for (const Grasp& grasp : report.grasps) {
      const Touched digits = touched(problem, head, grasp.pose);
      found.by_the_head += digits.inside.contains(Digit::kThumb) && digits.inside.size() >= 3;
      found.beside += digits.beside.size();
    }
    return found;
  };
  const Found anywhere = look();
  problem.region = head;
  const Found on_the_head = look();
  EXPECT_EQ(on_the_head.by_the_head, 2);
  EXPECT_LT(anywhere.by_the_head, 2);
  EXPECT_LT(on_the_head.beside, anywhere.beside);
}

// Looked at anew: every capsule of hand and forearm, in the grasp and before it.
TEST(FindGrasps, NoneReachesBelowTheTable) {
  GraspProblem problem = problem_of(ball(0.035));
  GraspOptions options;
  options.count = 4;
  options.verify = false;
  const auto lowest = [&](const Grasp& grasp) {
    double least = INFINITY;
    for (const auto& [root, q] : {std::pair(grasp.plan.root_object, grasp.plan.grasp),
                                  std::pair(grasp.plan.pregrasp_root, grasp.plan.pregrasp)}) {
      const auto frames =
          segment_frames(*problem.hand, pose_from_coordinates(*problem.hand, root, q));
      for (int s = 0; s < problem.hand->segment_count(); ++s)
        for (const Capsule& capsule : problem.hand->segments[s].capsules) {
          const Capsule placed = frames[s] * capsule;
          least = std::min(least, std::min(placed.a.y(), placed.b.y()) - placed.radius);
        }
    }
    return least;
  };
  const auto count_below = [&] {
    const GraspReport report = find(problem, options);
    EXPECT_EQ(report.proposed, options.count);
    return std::count_if(report.grasps.begin(), report.grasps.end(),
                         [&](const Grasp& grasp) { return lowest(grasp) < -0.035; });
  };
  EXPECT_GT(count_below(), 0) << "in the air hands come from anywhere";
  problem.table = Table{Vec3::UnitY(), -0.035};
  EXPECT_EQ(count_below(), 0);
}

TEST(FindGrasps, FailsInOneLine) {
  GraspProblem problem = problem_of(ball(0.035));
  const auto message = [&] {
    const auto report = find_grasps(problem);
    EXPECT_FALSE(report.ok());
    const std::string text = report.ok() ? "" : report.message();
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return text;
  };
  problem.region = Region{{0.5, 0.0, 0.0}, 0.01};
  EXPECT_NE(message().find("region"), std::string::npos);
  problem.region.reset();
  problem.object = ball(0.5);
  EXPECT_NE(message().find("too large"), std::string::npos);
  problem.object = ball(0.001);
  EXPECT_NE(message().find("too small"), std::string::npos);
}

}  // namespace
}  // namespace prehend::grasp_space
