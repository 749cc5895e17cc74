// The engine's constraints as a solver likes them: in blocks of rows that belong together (a weld,
// a limit, a contact), each with the few degrees of freedom that it concerns.
//
// Residuals r = J a - b cost s(r) = 1/2 sum D r^2 in welds, in limits where r < 0, and in contacts
// that stick. A row whose force is bounded by F costs F |r| - F^2 / (2 D) where |r| > F / D. With
// N = mu r_0 and T the length of the tangents f_j r_j, f the friction of each, a contact is free
// where N >= mu T, sticks where mu N + T <= 0, and slides between, where
// s = D_0 (N - mu T)^2 / (2 mu^2 (1 + mu^2)) goes on smoothly.
#pragma once

#include <vector>

#include "physics/engine_solver.h"
#include "physics/skyline.h"

namespace prehend::physics {

class ConstraintBlocks {
 public:
  // Places are the degrees of freedom in the structure's order.
  void gather(const mjModel* m, const mjData* d, const SolverStructure& structure);
  // Row i of H = M + J^T s'' J begins at first[i], which was M's.
  void lower(std::vector<int>& first) const;
  // out = J x
  void multiply(const Quad* x, double* out) const;
  // The cost of residuals, and forces -s'.
  double evaluate(const double* residual, double* force);
  // Of the residuals evaluated last: gradient -= J^T force, and hessian += J^T s'' J.
  void subtract_forces(const double* force, Quad* gradient) const;
  void add_curvature(const double* residual, Skyline& hessian) const;
  // First and second derivative of the cost along a line of residuals.
  void prepare_line(const double* residual, const double* along);
  void slope(double step, double& first, double& second) const;
  void states(int* out) const;

 private:
  static constexpr int kMostRows = 6;
  enum class Kind { kEquality, kLimit, kBounded, kCone };
  enum class Zone { kFree, kSticking, kSliding };
  struct Block {
    Kind kind;
    Zone zone;
    int row, rows;             // of the engine
    int groups, first_group;   // in groups_
    int first_value;           // in values_, row by row
    const mjContact* contact;  // of a cone
    double stiffness;          // of s where a contact slides
    // Along a line: N, and T^2 = square + 2 mixed step + square_along step^2. Of a bounded row
    // `normal` is the residual.
    double normal, normal_along, square, mixed, square_along;
  };
  using Curvature = double[kMostRows][kMostRows];

  void add(Kind kind, const mjData* d, int row, int rows, int nv);
  double evaluate_bounded(Block& b, double residual, double& force) const;
  double evaluate_cone(Block& b, const double* residual, double* force) const;
  void cone_curvature(const Block& b, const double* residual, Curvature& out) const;
  void sticking_slope(const Block& b, double step, double& first, double& second) const;

  const SolverStructure* structure_ = nullptr;
  const double *weight_ = nullptr, *bound_ = nullptr;  // D and F
  const double *residual_ = nullptr, *along_ = nullptr;
  std::vector<Block> blocks_;
  std::vector<int> groups_;   // of four places
  std::vector<Quad> values_;  // of the Jacobian
  std::vector<char> touched_;
};

}  // namespace prehend::physics
