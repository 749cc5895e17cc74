#include "prehend/methods/interaction/perturbation.h"

#include <cmath>

#include <gtest/gtest.h>

#include "prehend/methods/interaction/measure.h"
#include "prehend/methods/interaction/subject.h"

namespace prehend::interaction {
namespace {

SubjectRun pushed(Task task) {
  SubjectOptions options;
  options.task = SubjectTask::kPerturb;
  options.compliance = task;
  options.taps = 3;
  options.braced = true;
  return simulate_subject(options).value();
}

TEST(Perturbation, RecoversAKnownSecondOrderSystem) {
  // A rise of half a cosine, whose derivatives are known.
  constexpr double kMass = 0.017, kDamping = 2.04, kStiffness = 89.16, kForce = 0.677,
                   kRate = 500.0;
  std::vector<double> height, force;
  for (int i = 0; i <= 12; ++i) {
    const double t = i / kRate, w = kPi / 0.02;
    const double z = 0.003 * (1.0 - std::cos(w * t)), v = 0.003 * w * std::sin(w * t),
                 a = 0.003 * w * w * std::cos(w * t);
    // At rest until the first sample: the platform has no acceleration yet.
    height.push_back(z);
    force.push_back(kMass * a + kDamping * v + kStiffness * z + kForce);
  }
  const SecondOrderFit fit = fit_second_order(height, force, kForce, kRate);
  EXPECT_NEAR(fit.m, kMass, 0.03 * kMass);
  EXPECT_NEAR(fit.b, kDamping, 0.05 * kDamping);
  EXPECT_NEAR(fit.k, kStiffness, 0.05 * kStiffness);
}

TEST(Perturbation, StiffnessAgreesWithTheJointsCompliances) {
  for (const Task task : {Task::kExploring, Task::kScratching}) {
    const SubjectRun run = pushed(task);
    PerturbationOptions options;
    options.window = task == Task::kScratching ? 0.02 : 0.025;
    const Perturbation found = fit_perturbation(run.capture, run.compliance, options).value();
    EXPECT_EQ(found.counted, 3);
    EXPECT_NEAR(found.mean.k, found.k_endpoint, 0.15 * found.k_endpoint) << to_string(task);
    // Of a finger, as in table 2: 17 g, 2 to 4 N s/m.
    EXPECT_GT(found.mean.m, 0.008);
    EXPECT_LT(found.mean.m, 0.03);
    EXPECT_GT(found.mean.b, 1.0);
  }
}

TEST(Perturbation, ItAgreesWithCompliancesThatWereMeasuredFromTaps) {
  SubjectOptions taps;
  taps.taps = 5;
  const SubjectRun tapped = simulate_subject(taps).value();
  HandCompliance assumed = tapped.compliance;
  assumed.joints *= 3.0;
  HandCompliance measured = measure(tapped.capture, assumed).value().trajectory.compliance;
  measured.root.setZero();  // the pushed wrist is held
  const Perturbation found = fit_perturbation(pushed(Task::kExploring).capture, measured).value();
  EXPECT_NEAR(found.mean.k, found.k_endpoint, 0.15 * found.k_endpoint);
}

TEST(Perturbation, RefusesARateThatIsTooLow) {
  SubjectOptions options;
  options.task = SubjectTask::kPerturb;
  options.taps = 1;
  options.rate = 200.0;
  const SubjectRun run = simulate_subject(options).value();
  const auto found = fit_perturbation(run.capture, run.compliance);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.message().find("280 Hz"), std::string::npos) << found.message();
}

}  // namespace
}  // namespace prehend::interaction
