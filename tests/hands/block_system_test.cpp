#include "hands/block_system.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "prehend/core/random.h"

namespace prehend::hands {
namespace {

constexpr double kSame = 1e-9;  // relative, two routes to the same step

// A border of three, two blocks of four and two; columns in no order.
class BlockSystemTest : public testing::Test {
 protected:
  static constexpr int kSize = 9;
  const std::vector<int> border_ = {4, 0, 7};
  const std::vector<std::vector<int>> blocks_ = {{1, 8, 2, 5}, {6, 3}};
  BlockSystem system_{kSize, border_, blocks_};
  Eigen::MatrixXd normal_ = Eigen::MatrixXd::Zero(kSize, kSize);
  Eigen::VectorXd gradient_ = Eigen::VectorXd::Zero(kSize);
  Random random_{5};

  Eigen::RowVectorXd row(const std::vector<std::vector<int>>& parts) {
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(kSize);
    for (const auto& columns : parts) {
      for (const int c : columns) row[c] = random_.normal();
    }
    return row;
  }
  void fill(bool with_border, int block) {
    for (int i = 0; i < 8; ++i) {
      std::vector<std::vector<int>> parts = {blocks_[block]};
      if (with_border) parts.push_back(border_);
      const Eigen::RowVectorXd r = row(parts);
      const double value = random_.normal(), weight = random_.uniform(0.5, 2.0);
      system_.add(r, value, weight, block);
      normal_ += weight * weight * r.transpose() * r;
      gradient_ += weight * weight * value * r.transpose();
    }
  }
  // The loose columns by dense factorization.
  Eigen::VectorXd dense(const Eigen::VectorXd& damping, const std::vector<char>& fixed,
                        Eigen::VectorXd step) const {
    std::vector<int> loose;
    for (int c = 0; c < kSize; ++c) {
      if (!fixed[c]) loose.push_back(c);
      if (!fixed[c]) step[c] = 0.0;
    }
    const Eigen::VectorXd right = -(gradient_ + normal_ * step);
    Eigen::MatrixXd damped = normal_;
    damped.diagonal() += damping;
    const Eigen::VectorXd solved =
        Eigen::MatrixXd(damped(loose, loose)).ldlt().solve(Eigen::VectorXd(right(loose)));
    for (size_t i = 0; i < loose.size(); ++i) step[loose[i]] = solved[i];
    return step;
  }
};

TEST_F(BlockSystemTest, AgreesWithADenseFactorization) {
  const int both[] = {0, 1};
  system_.begin(true, both);
  fill(true, 0);
  fill(true, 1);
  system_.add_single(7, 0.4, 3.0);
  normal_(7, 7) += 9.0;
  gradient_[7] += 0.4 * 9.0;
  const Eigen::VectorXd damping = Eigen::VectorXd::Constant(kSize, 0.01);
  for (const std::vector<int>& fixes : std::vector<std::vector<int>>{{}, {0, 8}, {6, 3, 2}}) {
    std::vector<char> fixed(kSize, 0);
    Eigen::VectorXd step = Eigen::VectorXd::Zero(kSize);
    for (const int c : fixes) fixed[c] = 1, step[c] = random_.normal();
    const Eigen::VectorXd wanted = dense(damping, fixed, step);
    ASSERT_TRUE(system_.solve(damping, fixed, step));
    EXPECT_LT((step - wanted).norm(), kSame * wanted.norm());
  }
}

TEST_F(BlockSystemTest, OneBlockAloneIsSolvedWithoutTheBorder) {
  const int one[] = {0};
  system_.begin(false, one);
  fill(false, 0);
  const Eigen::VectorXd damping = Eigen::VectorXd::Zero(kSize);
  std::vector<char> fixed(kSize, 1);
  for (const int c : blocks_[0]) fixed[c] = 0;
  Eigen::VectorXd step = Eigen::VectorXd::Zero(kSize);
  const Eigen::VectorXd wanted = dense(damping, fixed, step);
  ASSERT_TRUE(system_.solve(damping, fixed, step));
  EXPECT_LT((step - wanted).norm(), kSame * wanted.norm());
}

TEST_F(BlockSystemTest, ASplitRowIsNeverFlatterThanTheWholeOne) {
  const int both[] = {0, 1};
  system_.begin(false, both);
  const Eigen::RowVectorXd r = row({blocks_[0], blocks_[1]});
  system_.add_split(r, 1.0, 1.0, 0, 1);
  for (int c = 0; c < kSize; ++c) {
    if (r[c] == 0.0) continue;
    EXPECT_DOUBLE_EQ(system_.gradient(c), r[c]);
    EXPECT_DOUBLE_EQ(system_.diagonal(c), 2.0 * r[c] * r[c]);
  }
}

}  // namespace
}  // namespace prehend::hands
