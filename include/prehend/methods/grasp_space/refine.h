// After the search: the fingers are brought to touch without penetration while the shape stays near
// the natural one that was found.
#pragma once

#include <memory>
#include <vector>

#include "prehend/core/hand_kinematics.h"
#include "prehend/geometry/capsule_contacts.h"

namespace prehend::grasp_space {

struct RefineOptions {
  int max_iterations = 60;
  // Scales of the residuals: what weighs one.
  double touch = 0.001;         // m of gap
  double penetration = 0.0002;  // m of overlap, with the object
  double overlap = 0.0002;      // m of overlap, of the hand with itself
  double joint = 0.35;          // rad off the shape that the search found
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
               const RefineOptions& options = {});

  RefinedGrasp refine(const Transform& root_object, const Eigen::VectorXd& coordinates);
  // A pose near this one in which the whole hand is at least `margin` from the object.
  RefinedGrasp clear(const Transform& root_object, const Eigen::VectorXd& coordinates,
                     double margin);
  // What a pose touches as it stands.
  RefinedGrasp look(const Transform& root_object, const Eigen::VectorXd& coordinates);

 private:
  struct Field {  // one place where a capsule comes near the object
    int segment;
    geometry::FieldContact contact;
  };
  struct Pair {
    int segment_a, capsule_a, segment_b, capsule_b;
  };
  void gather(double margin);
  double self_overlap() const;
  void add_object_terms();
  void add_self_terms();
  void add_prior_terms(const Transform& root, const Eigen::VectorXd& q);
  void add_residual(double residual);
  double linearise(const Transform& root, const Eigen::VectorXd& q, bool derivatives);
  RefinedGrasp minimise(const Transform& root_object, const Eigen::VectorXd& coordinates);

  const Hand& hand_;
  std::shared_ptr<const geometry::SignedDistance> distance_;
  RefineOptions options_;
  HandKinematics kinematics_;
  CoordinateLimits limits_;
  std::vector<Pair> pairs_;
  std::vector<Field> fields_;
  Transform start_root_;
  Eigen::VectorXd start_q_;
  Eigen::RowVectorXd row_;
  Eigen::MatrixXd normal_;
  Eigen::VectorXd gradient_;
  double cost_ = 0.0;
  double margin_ = 0.0;  // gap that the hand keeps; 0: it is drawn to touch
  bool derivatives_ = false;
};

}  // namespace prehend::grasp_space
