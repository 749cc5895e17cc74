// The complementarity problem of one step of a replay.
#pragma once

#include <vector>

#include "methods/interaction/replay_body.h"
#include "prehend/optimize/lcp.h"

namespace prehend::interaction {

// Where the hand is and where it would be next without contact.
struct HandStep {
  const HandKinematics& kinematics;
  const Transform& root_world;
  // Root's shift and turn and the change of each coordinate that would bring the hand to the next
  // reference pose.
  const Eigen::VectorXd& free_step;
  const HandCompliance& compliance;
  const CoordinateLimits& limits;
  const Eigen::VectorXd& coordinates;
};

struct StepSettings {
  double timestep = 0.002;
  double overlap_per_step = 2e-4;
  Vec3 gravity = gravity_world();
};

class ContactProblem {
 public:
  ContactProblem(const Hand& hand, int pyramid_edges);

  // Builds the problem, solves it and writes the contacts' forces and slips; carries the active set
  // to the next step.
  void solve(const HandStep& hand, const std::vector<ReplayBody>& bodies,
             const StepSettings& settings, std::vector<LiveContact>& contacts);

  const optimize::LcpResult& result() const { return result_; }
  // Displacement of root and coordinates by the forces: C J^T f, joint limits included.
  const Eigen::VectorXd& yielding() const { return yielding_; }
  // rad: eq. 7's error before the step, from the forces of the step before at the contacts of now.
  double equilibrium_error() const { return equilibrium_error_; }

 private:
  struct Remembered {
    int capsule, first, second;
    Vec3 point_world, force_world;
    bool used;
  };
  void collect_limits(const HandStep& hand);
  void build_rows(const HandStep& hand, const std::vector<ReplayBody>& bodies,
                  const StepSettings& settings, const std::vector<LiveContact>& contacts);
  void add_body_columns(const ReplayBody& body, int column, double sign, double timestep,
                        const Vec3& gravity, const LiveContact& contact, int row);
  void build_matrix(const std::vector<LiveContact>& contacts);
  void recall(const std::vector<LiveContact>& contacts);
  void take_forces(const HandStep& hand, std::vector<LiveContact>& contacts);
  int block() const { return edges_ + 2; }

  struct Limit {
    int coordinate;
    double sign;  // 1: the lower bound
    double room;  // rad to it
  };
  int edges_, hand_columns_;
  Eigen::Matrix<double, 3, Eigen::Dynamic> directions_;  // normal and edges in a contact's frame
  Eigen::MatrixXd rows_;      // contacts' normals and tangents, then limits: J sqrt(C), and bodies
  Eigen::MatrixXd coupling_;  // G - U of the rows
  Eigen::MatrixXd matrix_;
  Eigen::Matrix<double, 3, Eigen::Dynamic> jacobian_, product_, edge_product_;
  Eigen::VectorXd free_motion_, vector_, row_forces_, scaled_, yielding_, roots_;
  std::vector<Limit> limits_, last_limits_;
  std::vector<Remembered> remembered_;
  std::vector<char> last_active_, guess_;
  std::vector<int> body_column_;
  optimize::LcpSolver solver_;
  optimize::LcpResult result_;
  double equilibrium_error_ = 0.0;
  int row_count_ = 0, column_count_ = 0;
};

}  // namespace prehend::interaction
