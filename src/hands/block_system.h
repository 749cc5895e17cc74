// Normal equations of a hand: digits have nothing to do with each other but for the border, which
// is the root and the joints that several digits hang on.
//
//   | B    C_1  C_2 .. | | s_border |     | g_border |
//   | C_1' D_1         | | s_1      | = - | g_1      |
//   | C_2'      D_2    | | s_2      |     | g_2      |
//
// The digits are eliminated first (Schur complement): five systems of six unknowns and one of the
// border instead of one of 36.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

namespace prehend::hands {

class BlockSystem {
 public:
  static constexpr int kBorder = -1;

  // The columns of a row that belong to the border and to each block; rows have `size` columns.
  BlockSystem(int size, std::vector<int> border, std::vector<std::vector<int>> blocks);

  // What the equations are about: the border or not, and some of the blocks. Clears them.
  void begin(bool with_border, std::span<const int> blocks);
  // From another system of the same columns.
  void copy(const BlockSystem& other);
  // Adds the matrix of one that is about the same.
  void add_matrix(const BlockSystem& other);

  // Adds (weight * value)^2, whose value has the derivative `row`, which concerns the border and
  // one block, or the border alone (kBorder).
  using Row = Eigen::Ref<const Eigen::RowVectorXd>;
  void add(const Row& row, double value, double weight, int block);
  // The same for a row that concerns two blocks. The matrix has no place for what links them, so
  // each of the k parts of the row gets k times its own square: (a + b)^2 <= 2 a^2 + 2 b^2. Steps
  // come out shorter, never longer, than with the link.
  void add_split(const Row& row, double value, double weight, int first, int second);
  // The same for a value that is a single column's.
  void add_single(int column, double value, double weight);

  // Adds to both entries of two columns that are of one block, or one of the border.
  void add_entry(int column, int other_column, double value);

  double gradient(int column) const;
  double diagonal(int column) const;
  // All columns that the equations are about.
  const std::vector<int>& columns() const { return columns_; }

  // The minimum over the columns that are not `fixed`, whose entries of `step` are given; to the
  // diagonal is added `damping`, one entry a column. False if the matrix is not positive definite.
  bool solve(const Eigen::VectorXd& damping, const std::vector<char>& fixed, Eigen::VectorXd& step);

 private:
  struct Block {
    std::vector<int> columns;
    Eigen::MatrixXd normal;
    Eigen::MatrixXd border;  // this block's rows, the border's columns
    Eigen::VectorXd gradient;
    // Scratch of `solve`, over the columns that are not fixed.
    std::vector<int> loose;
    Eigen::MatrixXd factor, reduced;
    Eigen::VectorXd right;
  };
  struct Place {  // of a column
    int block = kBorder;
    int index = 0;
  };
  Block& at(int block) { return block == kBorder ? border_ : blocks_[block]; }
  const Block& at(int block) const { return block == kBorder ? border_ : blocks_[block]; }
  static void add_part(Block& block, const Row& row, double slope, double curvature);
  void prepare(Block& block, const Eigen::VectorXd& damping, const std::vector<char>& fixed,
               const Eigen::VectorXd& step);
  void add_border_terms(Block& block, const Eigen::VectorXd& step);
  bool eliminate(Block& block);

  Block border_;
  std::vector<Block> blocks_;
  std::vector<Place> places_;
  bool with_border_ = false;
  std::vector<int> active_;  // blocks
  std::vector<int> columns_;
};

}  // namespace prehend::hands
