#include "prehend/optimize/mixture.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "optimize/mixture_em.h"
#include "tests/optimize/count_allocations.h"

namespace prehend::optimize {
namespace {

Gaussian gaussian(double weight, const Eigen::VectorXd& mean, const Eigen::VectorXd& deviation,
                  double correlation = 0.0) {
  const Eigen::Index d = mean.size();
  Eigen::MatrixXd c = Eigen::MatrixXd::Constant(d, d, correlation);
  c.diagonal().setOnes();
  return {weight, mean, deviation.asDiagonal() * c * deviation.asDiagonal()};
}

// Three Gaussians of the plane, well apart but not round.
std::vector<Gaussian> plane_parts() {
  using Eigen::Vector2d;
  return {gaussian(0.5, Vector2d(-3, 0), Vector2d(0.5, 0.8), 0.6),
          gaussian(0.3, Vector2d(2, 2), Vector2d(1.0, 0.3), -0.4),
          gaussian(0.2, Vector2d(1, -3), Vector2d(0.4, 0.4))};
}

Eigen::MatrixXd draw(const std::vector<Gaussian>& parts, int count, std::uint64_t seed) {
  Random random(seed);
  const Eigen::Index d = parts.front().mean.size();
  Eigen::MatrixXd samples(count, d);
  for (int i = 0; i < count; ++i) {
    double left = random.uniform();
    size_t k = 0;
    while (k + 1 < parts.size() && left >= parts[k].weight) left -= parts[k++].weight;
    Eigen::VectorXd z(d);
    for (double& entry : z) entry = random.normal();
    const Eigen::MatrixXd l = parts[k].covariance.llt().matrixL();
    samples.row(i) = parts[k].mean + l * z;
  }
  return samples;
}

// Eq. 3 and 4 as written (normalizer corrected), with determinant and inverse.
double density_as_written(const std::vector<Gaussian>& parts, const Eigen::VectorXd& x) {
  double p = 0.0;
  for (const Gaussian& part : parts) {
    const Eigen::VectorXd off = x - part.mean;
    const double normalizer =
        std::sqrt(std::pow(2.0 * std::numbers::pi, static_cast<double>(x.size())) *
                  part.covariance.determinant());
    p += part.weight * std::exp(-0.5 * off.dot(part.covariance.inverse() * off)) / normalizer;
  }
  return p;
}

const Gaussian& nearest_part(const Mixture& mixture, const Eigen::VectorXd& mean) {
  return *std::min_element(mixture.parts().begin(), mixture.parts().end(),
                           [&](const Gaussian& a, const Gaussian& b) {
                             return (a.mean - mean).norm() < (b.mean - mean).norm();
                           });
}

TEST(Mixture, DensityIsThePapersFormula) {
  const Mixture mixture(plane_parts());
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Eigen::Vector2d x(random.uniform(-6, 6), random.uniform(-6, 6));
    const double p = density_as_written(mixture.parts(), x);
    EXPECT_NEAR(mixture.log_density(x), std::log(p), 1e-10);
  }
}

TEST(Mixture, DensityIntegratesToOne) {
  // The trapezoid rule converges faster than any power for functions that vanish at the ends.
  const Mixture plane(plane_parts());
  const double step = 0.05;
  double total = 0.0;
  for (double x = -10.0; x <= 10.0; x += step) {
    for (double y = -10.0; y <= 10.0; y += step) {
      total += std::exp(plane.log_density(Eigen::Vector2d(x, y))) * step * step;
    }
  }
  EXPECT_NEAR(total, 1.0, 1e-9);
  using Eigen::Vector3d;
  const Mixture space({gaussian(0.6, Vector3d(0, 1, 0), Vector3d(0.5, 0.6, 0.7), 0.3),
                       gaussian(0.4, Vector3d(1, 0, -1), Vector3d(0.8, 0.5, 0.5))});
  total = 0.0;
  const double coarse = 0.2;
  for (double x = -6.0; x <= 6.0; x += coarse) {
    for (double y = -6.0; y <= 6.0; y += coarse) {
      for (double z = -6.0; z <= 6.0; z += coarse) {
        total += std::exp(space.log_density(Vector3d(x, y, z))) * std::pow(coarse, 3);
      }
    }
  }
  EXPECT_NEAR(total, 1.0, 1e-6);
}

TEST(Mixture, GradientIsTheFiniteDifference) {
  using Eigen::Vector3d;
  const Mixture mixture({gaussian(0.6, Vector3d(0, 1, 0), Vector3d(0.5, 0.6, 0.7), 0.3),
                         gaussian(0.4, Vector3d(1, 0, -1), Vector3d(0.8, 0.5, 0.5))});
  Random random(5);
  const double step = 1e-5;
  for (int i = 0; i < 100; ++i) {
    Eigen::VectorXd x(3), gradient(3);
    for (double& entry : x) entry = random.uniform(-3, 3);
    EXPECT_EQ(mixture.log_density(x, gradient), mixture.log_density(x));
    for (int j = 0; j < 3; ++j) {
      const Eigen::VectorXd side = step * Eigen::VectorXd::Unit(3, j);
      const double difference =
          (mixture.log_density(x + side) - mixture.log_density(x - side)) / (2.0 * step);
      EXPECT_NEAR(gradient[j], difference, 1e-6 * (1.0 + std::abs(difference)));
    }
  }
}

TEST(Mixture, FarAwayTheLogDensityStaysFinite) {
  const Mixture mixture(plane_parts());
  Eigen::VectorXd gradient(2);
  const Eigen::Vector2d far(1e6, -1e6);
  EXPECT_TRUE(std::isfinite(mixture.log_density(far)));
  EXPECT_EQ(mixture.log_density(far, gradient), mixture.log_density(far));
  EXPECT_TRUE(gradient.allFinite());
  EXPECT_EQ(Mixture().log_density(Eigen::VectorXd()), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(mixture.log_density(Eigen::Vector2d(std::nan(""), 0.0)),
            -std::numeric_limits<double>::infinity());
}

TEST(Mixture, DensityAllocatesNothing) {
  const Mixture mixture(plane_parts());
  const Eigen::VectorXd x = Eigen::Vector2d(0.3, 0.4);
  Eigen::VectorXd gradient(2);
  const size_t before = allocations();
  double sum = mixture.log_density(x) + mixture.log_density(x, gradient);
  sum += mixture.log_density(Eigen::Vector2d(1.0, 2.0));
  EXPECT_EQ(allocations(), before);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(Mixture, TellsValidPartsFromOthers) {
  EXPECT_TRUE(Mixture::valid(plane_parts()));
  const auto with = [](auto change) {
    std::vector<Gaussian> parts = plane_parts();
    change(parts[1]);
    return Mixture::valid(parts);
  };
  EXPECT_FALSE(with([](Gaussian& g) { g.weight = -0.1; }));
  EXPECT_FALSE(with([](Gaussian& g) { g.weight = std::nan(""); }));
  EXPECT_FALSE(with([](Gaussian& g) { g.mean = Eigen::VectorXd::Zero(3); }));
  EXPECT_FALSE(with([](Gaussian& g) { g.covariance(0, 1) += 0.1; }));
  EXPECT_FALSE(with([](Gaussian& g) { g.covariance.setOnes(); }));
  EXPECT_FALSE(with([](Gaussian& g) { g.covariance.resize(2, 3); }));
}

TEST(MixtureFit, OneGaussianHasTheSamplesMeanAndCovariance) {
  const Eigen::MatrixXd samples = draw(plane_parts(), 500, 3);
  MixtureOptions options;
  options.regularization = 1e-3;
  const MixtureFit fit = fit_mixture(samples, 1, options);
  const Eigen::RowVectorXd mean = samples.colwise().mean();
  const Eigen::MatrixXd centered = samples.rowwise() - mean;
  Eigen::MatrixXd covariance = centered.transpose() * centered / 500.0;
  covariance.diagonal().array() += 1e-3 * covariance.trace() / 2.0;
  const Gaussian& part = fit.mixture.parts().front();
  EXPECT_NEAR((part.mean - mean.transpose()).norm(), 0.0, 1e-12);
  EXPECT_NEAR((part.covariance - covariance).norm(), 0.0, 1e-12);
  // 2 + 3 free parameters.
  EXPECT_NEAR(fit.bic.front(), -2.0 * fit.log_likelihood + 5.0 * std::log(500.0), 1e-9);
}

TEST(MixtureFit, RecoversTheGaussiansThatSamplesWereDrawnFrom) {
  const std::vector<Gaussian> truth = plane_parts();
  const MixtureFit fit = fit_mixture(draw(truth, 6000, 9), 3);
  ASSERT_EQ(fit.mixture.parts().size(), 3u);
  for (const Gaussian& part : truth) {
    const Gaussian& found = nearest_part(fit.mixture, part.mean);
    EXPECT_NEAR(found.weight, part.weight, 0.02);
    EXPECT_NEAR((found.mean - part.mean).norm(), 0.0, 0.05);
    EXPECT_NEAR((found.covariance - part.covariance).norm() / part.covariance.norm(), 0.0, 0.1);
  }
}

TEST(MixtureFit, LikelihoodNeverFallsOverIterations) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Eigen::MatrixXd samples = draw(plane_parts(), 400, seed);
    for (const double blur : {1e-9, 1e-3, 0.3}) {
      Random random(seed);
      MixtureEm em(samples, 5, blur, random);
      double before = em.expect();
      for (int i = 0; i < 60; ++i) {
        em.maximize();
        const double now = em.expect();
        EXPECT_GE(now, before - 1e-12) << "seed " << seed << ", blur " << blur << ", " << i;
        before = now;
      }
    }
  }
}

TEST(MixtureFit, CriterionPicksTheNumberOfGaussians) {
  const std::vector<Gaussian> all = plane_parts();
  for (int k = 1; k <= 3; ++k) {
    std::vector<Gaussian> truth(all.begin(), all.begin() + k);
    double total = 0.0;
    for (const Gaussian& part : truth) total += part.weight;
    for (Gaussian& part : truth) part.weight /= total;
    for (const std::uint64_t seed : {1, 2, 3}) {
      const MixtureFit fit = fit_mixture_by_bic(draw(truth, 800, seed));
      EXPECT_EQ(fit.mixture.parts().size(), static_cast<size_t>(k)) << "seed " << seed;
      ASSERT_GE(fit.bic.size(), static_cast<size_t>(k));
      EXPECT_EQ(std::min_element(fit.bic.begin(), fit.bic.end()) - fit.bic.begin(), k - 1);
      EXPECT_LE(fit.bic.size(), static_cast<size_t>(k + 3)) << "stops after three rises";
    }
  }
}

TEST(MixtureFit, DuplicatedAndFewSamplesAreFitted) {
  const auto finite = [](const MixtureFit& fit) {
    return Mixture::valid(fit.mixture.parts()) && std::isfinite(fit.log_likelihood) &&
           std::isfinite(fit.bic.front());
  };
  const Eigen::MatrixXd one = draw(plane_parts(), 1, 1);
  const Eigen::MatrixXd same = one.replicate(50, 1);
  const Eigen::MatrixXd three = draw(plane_parts(), 3, 1);
  const Eigen::MatrixXd doubled = three.replicate(40, 1);
  Eigen::MatrixXd line(60, 2);
  line << Eigen::VectorXd::LinSpaced(60, -1.0, 1.0), Eigen::VectorXd::LinSpaced(60, -2.0, 2.0);
  for (const Eigen::MatrixXd& samples : {one, same, three, doubled, line}) {
    for (const int components : {1, 2, 5, 12}) {
      EXPECT_TRUE(finite(fit_mixture(samples, components))) << samples.rows() << " " << components;
    }
    EXPECT_TRUE(finite(fit_mixture_by_bic(samples)));
  }
  EXPECT_EQ(fit_mixture(same, 5).mixture.parts().size(), 1u);
  EXPECT_EQ(fit_mixture(doubled, 5).mixture.parts().size(), 3u);
  EXPECT_EQ(fit_mixture_by_bic(three).bic.size(), 1u) << "more parameters than samples";
}

TEST(MixtureFit, SameSeedSameBytes) {
  const Eigen::MatrixXd samples = draw(plane_parts(), 300, 2);
  const MixtureFit a = fit_mixture_by_bic(samples), b = fit_mixture_by_bic(samples);
  EXPECT_EQ(a.bic, b.bic);
  EXPECT_EQ(a.log_likelihood, b.log_likelihood);
  for (size_t k = 0; k < a.mixture.parts().size(); ++k) {
    EXPECT_EQ(a.mixture.parts()[k].covariance, b.mixture.parts()[k].covariance);
  }
}

}  // namespace
}  // namespace prehend::optimize
