#include "physics/skyline.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "tests/physics/physics_fixture.h"

namespace prehend::physics {
namespace {

constexpr double kTolerance = 1e-10;

struct Example {
  Eigen::MatrixXd matrix;
  std::vector<int> first;
  Skyline skyline;
};

// Digits beside each other and a border that joins those that touch; positive, zero elsewhere.
Example hand_like(const std::vector<int>& digits, int border, std::mt19937& random) {
  int size = border;
  for (const int digit : digits) size += digit;
  Example out;
  out.matrix = Eigen::MatrixXd::Identity(size, size);
  int begin = 0;
  for (size_t d = 0; d < digits.size(); ++d) {
    Eigen::MatrixXd part = Eigen::MatrixXd::Zero(size, digits[d] + border);
    for (int k = 0; k < part.cols(); ++k) {
      part.col(k).segment(begin, digits[d]) = random_vector(digits[d], random);
      if (d != 1) part.col(k).tail(border) = random_vector(border, random);
    }
    out.matrix += part * part.transpose();
    begin += digits[d];
  }
  for (int i = 0; i < size; ++i) {
    int first = 0;
    while (first < i && out.matrix(i, first) == 0.0) ++first;
    out.first.push_back(first);
  }
  out.skyline.reset(out.first);
  for (int i = 0; i < size; ++i)
    for (int j = out.first[i]; j <= i; ++j) out.skyline.at(i, j) = out.matrix(i, j);
  return out;
}

std::vector<Quad> padded(const Eigen::VectorXd& v) {
  std::vector<Quad> out((static_cast<size_t>(v.size()) + 3) / 4, Quad{});
  for (int i = 0; i < v.size(); ++i) out[i / 4].at[i % 4] = v[i];
  return out;
}
Eigen::VectorXd numbers(const std::vector<Quad>& quads, int size) {
  return Eigen::Map<const Eigen::VectorXd>(quads[0].at, size);
}

TEST(Skyline, MultipliesAndSolvesAsEigenDoes) {
  std::mt19937 random(3);
  for (const auto& [digits, border] :
       {std::pair{std::vector{9, 12, 9, 9, 12}, 12}, {{1, 1}, 1}, {{3, 5, 7}, 0}, {{8}, 4}}) {
    Example e = hand_like(digits, border, random);
    const int size = static_cast<int>(e.matrix.rows());
    const Eigen::VectorXd right = random_vector(size, random);
    std::vector<Quad> product(e.skyline.groups());
    e.skyline.multiply(padded(right).data(), product.data());
    EXPECT_LE((numbers(product, size) - e.matrix * right).norm(), kTolerance * right.norm());
    Skyline copy;
    copy.reset(e.first);
    copy.copy(e.skyline);
    for (Skyline* one : {&e.skyline, &copy}) {
      std::vector<Quad> x = padded(right);
      EXPECT_TRUE(one->factor(1e-15));
      one->solve(x.data());
      EXPECT_LE((e.matrix * numbers(x, size) - right).norm(), kTolerance * right.norm());
      EXPECT_LE((numbers(x, size) - e.matrix.llt().solve(right)).norm(), kTolerance * right.norm());
    }
  }
}

TEST(Skyline, WhatIsNotPositiveIsToldAndRaised) {
  Skyline flat;
  flat.reset({0, 0, 0});
  flat.at(0, 0) = 4.0;
  EXPECT_FALSE(flat.factor(1e-4));
  std::vector<Quad> x = {Quad{{8.0, 1e-4, 0.0, 0.0}}};
  flat.solve(x.data());
  EXPECT_NEAR(x[0].at[0], 2.0, kTolerance);
  EXPECT_NEAR(x[0].at[1], 1.0, kTolerance);
}

}  // namespace
}  // namespace prehend::physics
