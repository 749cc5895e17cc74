#include "prehend/methods/interaction/measure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "interaction_fixture.h"
#include "methods/interaction/spring_fit.h"
#include "prehend/core/random.h"
#include "prehend/methods/interaction/subject.h"

namespace prehend::interaction {
namespace {

TEST(Polynomial, FitsALineAndAParabolaExactly) {
  std::vector<double> t, line, curve;
  for (int i = 0; i < 20; ++i) {
    t.push_back(0.01 * i);
    line.push_back(1.0 + 2.0 * t.back());
    curve.push_back(1.0 + 2.0 * t.back() - 7.0 * t.back() * t.back());
  }
  const Polynomial a = fit_polynomial(t, line, 0.1, 0), b = fit_polynomial(t, curve, 0.1, 0);
  EXPECT_EQ(a.degree, 1);
  EXPECT_NEAR(a.slope(5.0), 2.0, 1e-9);
  EXPECT_EQ(b.degree, 2);
  EXPECT_NEAR(b.slope(0.3), 2.0 - 14.0 * 0.3, 1e-9);
  EXPECT_NEAR(b.value(0.3), 1.0 + 0.6 - 0.63, 1e-9);
}

TEST(Onsets, AreFoundInNoiseWithinTwoSamples) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> force;
    const int start = 150 + trial;
    for (int i = 0; i < 600; ++i) {
      const double pressed = i < start || i > start + 200 ? 0.0 : std::min(1.5, 0.06 * (i - start));
      force.push_back(std::abs(pressed + 0.02 * random.normal()));
    }
    const auto onsets = find_onsets(force);
    ASSERT_EQ(onsets.size(), 1u) << trial;
    // The force climbs by three standard deviations a sample, 30 N/s at 500 Hz.
    EXPECT_NEAR(onsets[0].onset, start, 2.0) << trial;
    EXPECT_NEAR(onsets[0].end, start + 201, 2.0) << trial;
  }
}

Measurement tapped(Task task, int taps) {
  SubjectOptions options;
  options.compliance = task;
  options.taps = taps;
  const SubjectRun run = simulate_subject(options).value();
  // Starting from other values than the subject's own: what is not measured would show.
  HandCompliance assumed = typical_compliance(*run.capture.hand, task);
  assumed.joints *= 3.0;
  assumed.root *= 3.0;
  return measure(run.capture, assumed).value();
}

const JointCompliance& joint(const Measurement& measured, const std::string& name) {
  static const JointCompliance none;
  for (const JointCompliance& j : measured.joints)
    if (j.name == name) return j;
  ADD_FAILURE() << "no joint " << name;
  return none;
}

struct Row {
  const char* name;
  double exploring, scratching;
};
constexpr Row kTable1[] = {{"wrist-flexion", 0.3488, 0.1531},
                           {"index-proximal-flexion", 0.9882, 0.4788},
                           {"index-intermediate-flexion", 0.6715, 0.8},
                           {"index-distal-flexion", 2.0052, 0.8}};

TEST(Measure, RecoversTheSubjectsCompliancesWithoutNoise) {
  for (const Task task : {Task::kExploring, Task::kScratching}) {
    const Measurement measured = tapped(task, 5);
    EXPECT_EQ(measured.events.size(), 5u);
    for (const Row& row : kTable1) {
      const double truth = task == Task::kExploring ? row.exploring : row.scratching;
      EXPECT_NEAR(joint(measured, row.name).compliance, truth, 0.05 * truth)
          << to_string(task) << " " << row.name;
    }
  }
}

// Noise of what `tapped` simulates, added afterwards: one simulation serves many seeds.
Capture with_noise(Capture capture, std::uint64_t seed) {
  constexpr double kAngle = 0.01414, kPosition = 3e-4, kForce = 0.02;  // rad, m, N
  Random random(seed, 77);
  const auto normal = [&] { return Vec3(random.normal(), random.normal(), random.normal()); };
  for (int f = 0; f < capture.frame_count(); ++f) {
    for (double& x : capture.coordinates[f]) x += kAngle * random.normal();
    Transform& root = capture.roots_world[f];
    root.position += kPosition * normal();
    root.rotation = (exp_map(0.5 * kAngle * normal()) * root.rotation).normalized();
  }
  for (ForceChannel& channel : capture.channels)
    for (Vec3& force : channel.forces_world) force += kForce * normal();
  return capture;
}

// Estimator and tap were chosen on seeds 1 to 6, so others are tested. The knuckle is the least
// certain: of ten seeds one is a little outside (docs/methods/interaction.md).
TEST(Measure, RecoversThemWithNoise) {
  SubjectOptions options;
  options.taps = 20;
  const SubjectRun run = simulate_subject(options).value();
  HandCompliance assumed = run.compliance;
  assumed.joints *= 3.0;
  assumed.root *= 3.0;
  for (const std::uint64_t seed : {101u, 102u, 103u}) {
    const Measurement measured = measure(with_noise(run.capture, seed), assumed).value();
    for (const Row& row : kTable1) {
      const JointCompliance& j = joint(measured, row.name);
      EXPECT_NEAR(j.compliance, row.exploring, 0.2 * row.exploring) << row.name << " " << seed;
      EXPECT_LT(j.low, j.high);
      EXPECT_EQ(j.events + static_cast<int>(j.discarded.size()), 20);
    }
  }
}

TEST(SpringFit, ATorqueBehindADamperIsTheClosedForm) {
  // T x' + x = r t has x = r (t - T + T exp(-t / T)).
  constexpr double kStep = 0.002, kDamping = 0.02, kRate = 3.0;
  std::vector<double> torque;
  for (int i = 0; i < 60; ++i) torque.push_back(kRate * i * kStep);
  const std::vector<double> x = lagged(torque, kStep, kDamping);
  for (int i = 0; i < 60; ++i) {
    const double t = i * kStep;
    EXPECT_NEAR(x[i], kRate * (t - kDamping + kDamping * std::exp(-t / kDamping)), 1e-12);
  }
}

// A joint of known compliance, damping and free motion, with noise.
TouchReading made_reading(double compliance, double damping_time, double noise, Random& random) {
  TouchReading made;
  for (int i = -75; i < 48; ++i) {
    const double t = i * made.step;
    made.time.push_back(t);
    made.torque.push_back(t < 0.0 ? 0.0 : 0.8 * t);
    made.part.push_back(t < -0.003  ? TouchReading::Part::kFree
                        : t < 0.029 ? TouchReading::Part::kNeither
                                    : TouchReading::Part::kTouching);
  }
  const std::vector<double> x = lagged(made.torque, made.step, damping_time);
  for (std::size_t i = 0; i < x.size(); ++i)
    made.angle.push_back(0.2 - 0.5 * made.time[i] + compliance * x[i] + noise * random.normal());
  return made;
}

TEST(SpringFit, IsExactWithoutNoiseAndUnbiasedWithIt) {
  Random random(5);
  EXPECT_NEAR(fit_touch(made_reading(1.3, 0.02, 0.0, random), 0.02, 1).compliance, 1.3, 1e-9);
  double sum = 0.0, error = 0.0;
  constexpr int kMany = 1000;
  for (int i = 0; i < kMany; ++i) {
    const TouchFit fit = fit_touch(made_reading(1.3, 0.02, 0.014, random), 0.02, 1);
    sum += fit.compliance / kMany;
    error += fit.error / kMany;
  }
  // The mean of a thousand is as near as its own standard error says, which is thirty times less
  // than that of one.
  EXPECT_NEAR(sum, 1.3, 3.0 * error / std::sqrt(double(kMany)));
  EXPECT_LT(error, 0.5);
}

TEST(SpringFit, FindsDampingAndADegree) {
  Random random(6);
  JointReadings joint;
  for (int i = 0; i < 20; ++i) joint.readings.push_back(made_reading(1.3, 0.03, 1e-4, random));
  EXPECT_NEAR(likeliest_damping_time({&joint, 1}), 0.03, 0.0011);
  EXPECT_EQ(free_degree(joint.readings), 1);
  for (TouchReading& reading : joint.readings)
    for (std::size_t i = 0; i < reading.time.size(); ++i)
      reading.angle[i] += 20.0 * reading.time[i] * reading.time[i];
  EXPECT_EQ(free_degree(joint.readings), 2);
}

TEST(Measure, ReferenceIsTheAnglesWhereNothingTouches) {
  SubjectOptions options;
  options.taps = 1;
  const SubjectRun run = simulate_subject(options).value();
  const InteractionTrajectory trajectory = reference_trajectory(run.capture, run.compliance);
  const Eigen::MatrixXd torques = contact_torques(run.capture);
  double deviation = 0.0;
  for (int f = 0; f < run.capture.frame_count(); ++f) {
    const double apart =
        (trajectory.coordinates[f] - run.capture.coordinates[f]).cwiseAbs().maxCoeff();
    if (torques.col(f).isZero()) {
      ASSERT_EQ(apart, 0.0);
    }
    deviation = std::max(deviation, apart);
  }
  EXPECT_GT(deviation, radians(1.0));
}

TEST(Measure, RefusesARateThatIsTooLow) {
  SubjectOptions options;
  options.taps = 1;
  options.rate = 100.0;
  const SubjectRun run = simulate_subject(options).value();
  const auto measured = measure(run.capture, run.compliance);
  ASSERT_FALSE(measured.ok());
  EXPECT_NE(measured.message().find("124 Hz"), std::string::npos) << measured.message();
}

TEST(Capture, RefusesForcesWithoutMotionAndNoOverlap) {
  Capture capture;
  EXPECT_NE(validate(capture).message().find("no motion"), std::string::npos);
  capture.hand = test_hand();
  capture.coordinates.assign(100, pointing());
  capture.roots_world.resize(100);
  EXPECT_NE(validate(capture).message().find("no forces"), std::string::npos);
  ForceChannel& channel = capture.channels.emplace_back();
  channel.segment = 1;
  channel.start = 7.0;
  channel.forces_world.assign(10, Vec3::Zero());
  channel.points_segment.assign(10, Vec3::Zero());
  EXPECT_NE(validate(capture).message().find("do not overlap"), std::string::npos);
}

TEST(Capture, ClocksAreBroughtTogether) {
  SubjectOptions options;
  options.taps = 3;
  SubjectRun run = simulate_subject(options).value();
  shift_forces(run.capture, 0.137);
  const auto offset = clock_offset(run.capture);
  ASSERT_TRUE(offset.has_value());
  EXPECT_NEAR(*offset, -0.137, 0.006);
}

}  // namespace
}  // namespace prehend::interaction
