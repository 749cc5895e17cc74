// The contact solver's objective and bounds, linearized about a pose.
#pragma once

#include <vector>

#include "hands/block_system.h"
#include "hands/ik_tree.h"
#include "prehend/hands/contact_ik.h"

namespace prehend::hands {

// Something that must not be negative: a gap, or how well a pad faces its surface.
struct IkBound {
  double value = 0.0;
  double weight = 0.0;  // of a negative value in the cost
  int block = BlockSystem::kBorder;
  int other_block = BlockSystem::kBorder;  // of a gap between two digits
  int margin = -1;                         // IkModel's margin that was taken off the value
};

struct IkLinear {
  explicit IkLinear(const IkTree& tree, int size, int rows);

  // The row of a new bound, zero.
  Eigen::RowVectorXd::MapType add(const IkBound& bound);
  Eigen::Map<const Eigen::RowVectorXd> row(size_t bound) const {
    return {rows.data() + bound * static_cast<size_t>(size), size};
  }

  int size = 0;
  double cost = 0.0;         // with the bounds
  double worst_error = 0.0;  // m, of the group's targets
  BlockSystem system;        // of Gauss and Newton, without the bounds
  BlockSystem bend;          // what Newton's has more: only its matrix counts
  std::vector<IkBound> bounds;
  std::vector<double> rows;  // derivatives of the bounds, one after the other
};

// Its variables x are the root's shift and turn from the problem's root, then the coordinates.
class IkModel {
 public:
  IkModel(const Hand& hand, const ContactIkOptions& options);

  const IkTree& tree() const { return tree_; }
  int size() const { return size_; }
  int bound_capacity() const;

  // Takes a new problem, which must outlive its use, and the x where all begins.
  void begin(const ContactIkProblem& problem, bool root_moves, const Eigen::VectorXd& x);
  void linearize(const IkGroup& group, const Eigen::VectorXd& x, IkLinear& linear);
  // Bounds that are broken by more than the tolerance are asked for more by as much, so that the
  // next minimum keeps them. False if there are none.
  bool raise_margins(const IkLinear& linear);
  void clear_margins();
  // Without bounds the objective alone counts.
  void heed_bounds(bool heed) { heed_bounds_ = heed; }
  // The cost as it is without margins.
  double true_cost(const IkLinear& linear) const;
  // Whether a target is far from reached, or a bound broken.
  bool misses(const IkLinear& linear) const;
  // Whether all targets are met, some of them or others at bounds, and no bound is broken.
  bool settled(const IkLinear& linear) const;
  // What x does, for the caller.
  void report(const Eigen::VectorXd& x, ContactIkResult& result);

 private:
  double lack(const IkBound& bound) const;
  Transform root(const Eigen::VectorXd& x) const;
  void place(const IkGroup& group, const Eigen::VectorXd& x);
  bool holds(const IkGroup& group, int block) const;
  void turn_row(Eigen::Ref<Eigen::RowVectorXd> row) const;
  void add_curvature(int segment, const Vec3& point_world, const Vec3& slope, bool with_border,
                     IkLinear& linear);
  void add_targets(const IkGroup& group, IkLinear& linear);
  void add_facing(int target, const Vec3& point_world, int block, IkLinear& linear);
  void add_preferences(const Eigen::VectorXd& x, IkLinear& linear);
  void add_obstacles(const IkGroup& group, IkLinear& linear);
  void add_pairs(const IkGroup& group, IkLinear& linear);

  const Hand& hand_;
  ContactIkOptions options_;
  HandKinematics kinematics_;
  HandGaps gaps_;
  IkTree tree_;
  int size_;
  const ContactIkProblem* problem_ = nullptr;
  bool root_moves_ = false;
  bool heed_bounds_ = true;
  Mat3 turn_jacobian_ = Mat3::Identity();  // world's angular velocity over the rate of x's turn
  std::vector<char> clear_;                // segments that must not enter obstacles
  // Beyond zero, what each bound is asked for: capsules by obstacles, pairs, targets' facings.
  std::vector<double> margins_;
  int pair_margin_ = 0, target_margin_ = 0;
  Eigen::RowVectorXd row_;
  struct Turn {  // what moves a point: a column, the ball that it is of, its axis and the point's
                 // way
    int column, ball;
    Vec3 axis_world, way_world;
  };
  std::vector<Turn> chain_;
  std::vector<int> balls_;  // number of the ball that each coordinate is of
};

}  // namespace prehend::hands
