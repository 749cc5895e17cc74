// After the search: the fingers are brought to touch without penetration while the shape stays near
// the natural one that was found.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Cholesky>

#include "prehend/core/hand_kinematics.h"
#include "prehend/hands/hand_gaps.h"
#include "prehend/methods/grasp_space/grasp_space.h"
#include "prehend/methods/grasp_space/table.h"

namespace prehend::grasp_space {

// A ball in the object's frame: only what is inside is grasped.
struct Region {
  Vec3 center = Vec3::Zero();
  double radius = 0.0;

  bool contains(const Vec3& point) const { return (point - center).norm() <= radius; }
};

struct RefineOptions {
  int max_iterations = 60;
  // Scales of the residuals: what weighs one.
  double touch = 0.001;         // m of gap
  double penetration = 0.0002;  // m of overlap, with the object
  double overlap = 0.0002;      // m of overlap, of the hand with itself
  double joint = 0.2;           // rad off the shape that the search found, within the grasp space
  double unnatural = 0.12;      // rad off that shape and out of the space
  double shift = 0.02;          // m, of the root
  double turn = 0.35;           // rad, of the root
  // Segments farther than about this from the object are not drawn to it.
  double reach = 0.012;
  // A contact: nearer than this when all is done.
  double contact = 0.001;
};

// A place where the hand touches the object.
struct TouchPoint {
  int segment = -1;
  Vec3 point = Vec3::Zero();    // on the object's surface, in its frame
  Vec3 normal = Vec3::UnitY();  // out of the object
  double gap = 0.0;
};

struct RefinedGrasp {
  Transform root_object;
  Eigen::VectorXd coordinates;
  std::vector<TouchPoint> touches;
  double penetration = 0.0;       // deepest overlap with the object, m
  double self_penetration = 0.0;  // m
  int iterations = 0;
};

// One object a thread.
class GraspRefiner {
 public:
  GraspRefiner(const Hand& hand, std::shared_ptr<const geometry::SignedDistance> distance,
               const RefineOptions& options = {}, const std::optional<Region>& region = {});

  // Directions of the coordinates that lead out of the grasp space cost more from now on.
  void keep_to(const GraspSpace& space);
  // The hand stays above it from now on.
  void keep_above(const Table& table) { table_ = table; }

  RefinedGrasp refine(const Transform& root_object, const Eigen::VectorXd& coordinates);
  // A pose near this one in which the whole hand is at least `margin` from the object.
  RefinedGrasp clear(const Transform& root_object, const Eigen::VectorXd& coordinates,
                     double margin);
  // What a pose touches as it stands.
  RefinedGrasp look(const Transform& root_object, const Eigen::VectorXd& coordinates);

 private:
  struct Linear {  // normal equations
    Eigen::MatrixXd normal;
    Eigen::VectorXd gradient;
  };
  void place(const Transform& root, const Eigen::VectorXd& q);
  void gather(double margin);
  double self_overlap() const;
  void add_object_terms();
  void add_table_terms();
  void add_self_terms();
  void add_prior_terms(const Transform& root, const Eigen::VectorXd& q);
  void add_residual(double residual);
  // Fills trial_ and returns the cost.
  double linearize(const Transform& root, const Eigen::VectorXd& q);
  RefinedGrasp minimize(const Transform& root_object, const Eigen::VectorXd& coordinates);

  const Hand& hand_;
  std::shared_ptr<const geometry::SignedDistance> distance_;
  RefineOptions options_;
  std::optional<Region> region_;  // outside of it nothing draws the hand
  std::optional<Table> table_;
  HandKinematics kinematics_;
  CoordinateLimits limits_;
  int size_ = 0;  // of a step: the root's six and the coordinates
  hands::HandGaps gaps_;
  std::vector<hands::ObstacleGap> near_;  // places that are near the object
  Transform start_root_;
  Eigen::VectorXd start_q_;
  Eigen::MatrixXd prior_;  // what a step of the coordinates costs: half of it its square
  Eigen::RowVectorXd row_;
  Eigen::VectorXd moved_, pull_;
  std::vector<int> used_;  // entries of row_ that are not zero
  Linear trial_, best_;
  Eigen::MatrixXd damped_;
  Eigen::LDLT<Eigen::MatrixXd> solver_;
  double cost_ = 0.0;
  double margin_ = 0.0;  // gap that the hand keeps; 0: it is drawn to touch
};

}  // namespace prehend::grasp_space
