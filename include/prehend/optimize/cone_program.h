// The least normal force within friction cones that gives a wrench.
//
//   minimize   sum of normal forces n_i
//   subject to sum_i wrench_map_i f_i = wrench,   f_i = (n, t1, t2, torsion)_i in its cone,
//              n_i <= max_normal_i
//
// A cone is elliptic: sqrt((t1^2 + t2^2) / friction^2 + torsion^2 / torsional_friction^2) <= n, the
// cone that MuJoCo's elliptic contacts have, so torsion and tangential force share one budget.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace prehend::optimize {

// Columns of a contact map its local force, in the order (normal, tangent 1, tangent 2, torsion),
// to the six numbers of a wrench. Any units will do for the torque: "nearest" below is measured in
// them, so a caller who wants forces and torques to weigh alike divides torques by a length.
struct ConeContact {
  Eigen::Matrix<double, 6, 4> wrench_map = Eigen::Matrix<double, 6, 4>::Zero();
  double friction = 0.6;            // 0: no tangential force
  double torsional_friction = 0.0;  // torque over normal force; 0: no torsion
  double max_normal = 0.0;          // 0: no bound
};

struct ConeProgramOptions {
  // Of the wrench, relative to its size: what still counts as explained. The normal force is found
  // to a tenth of it.
  double tolerance = 1e-6;
  // Interior-point steps converge in 8 to 20 whatever the number of contacts.
  int max_iterations = 100;
  // Explanations that need more normal force in total than this many times the wrench (in forces of
  // unit effect) count as none: it takes a lever of a micrometre to need them.
  double max_leverage = 1e6;
};

struct ConeProgramResult {
  std::vector<Eigen::Vector4d> forces;  // one a contact, in its cone
  double total_normal = 0.0;            // the least sum of normal forces
  // Wanted minus given wrench. When no forces explain the wrench, this is the shortest there is,
  // and its direction is the proof: pushing along it, no contact can help.
  Eigen::Matrix<double, 6, 1> residual = Eigen::Matrix<double, 6, 1>::Zero();
  // Of a feasible problem: d total_normal / d wrench. price . wrench minus what bounds cost is a
  // lower bound on the normal force of any answer, equal to total_normal at the optimum.
  Eigen::Matrix<double, 6, 1> price = Eigen::Matrix<double, 6, 1>::Zero();
  bool feasible = false;   // residual within tolerance
  bool converged = false;  // false: not-a-number input, or max_iterations too small
  int iterations = 0;      // interior-point steps
};

// Keeps its memory between calls: a solve with no more contacts than an earlier one does not
// allocate. One object a thread.
class ConeProgram {
 public:
  ConeProgram();
  ~ConeProgram();
  ConeProgram(ConeProgram&&) noexcept;
  ConeProgram& operator=(ConeProgram&&) noexcept;

  void reserve(int contacts);
  // When no forces give the wrench, the result has those that come nearest in the least-squares
  // sense, and among these (up to rounding) the least normal force.
  void solve(std::span<const ConeContact> contacts, const Eigen::Matrix<double, 6, 1>& wrench,
             ConeProgramResult& result, const ConeProgramOptions& options = {});

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

// The same for a single call.
ConeProgramResult solve_cone_program(std::span<const ConeContact> contacts,
                                     const Eigen::Matrix<double, 6, 1>& wrench,
                                     const ConeProgramOptions& options = {});

}  // namespace prehend::optimize
