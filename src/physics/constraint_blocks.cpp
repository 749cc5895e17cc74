#include "physics/constraint_blocks.h"

#include <algorithm>
#include <cmath>

namespace prehend::physics {

void ConstraintBlocks::add(Kind kind, const mjData* d, int row, int rows, int nv) {
  Block b{};
  b.kind = kind, b.row = row, b.rows = rows;
  if (kind == Kind::kCone) {
    b.contact = d->contact + d->efc_id[row];
    const double square = b.contact->mu * b.contact->mu;
    b.stiffness = d->efc_D[row] / (square * (1.0 + square));
  }
  const double* jacobian = d->efc_J + static_cast<size_t>(row) * nv;
  std::fill(touched_.begin(), touched_.end(), 0);
  for (int i = 0; i < nv; ++i) {
    const int dof = structure_->order[i];
    for (int r = 0; r < rows; ++r) touched_[i / 4] |= jacobian[r * nv + dof] != 0.0;
  }
  b.first_group = static_cast<int>(groups_.size());
  for (size_t g = 0; g < touched_.size(); ++g)
    if (touched_[g]) groups_.push_back(static_cast<int>(g));
  b.groups = static_cast<int>(groups_.size()) - b.first_group;
  b.first_value = static_cast<int>(values_.size());
  values_.resize(values_.size() + static_cast<size_t>(rows) * b.groups, Quad{});
  Quad* value = values_.data() + b.first_value;
  for (int r = 0; r < rows; ++r) {
    for (int g = 0; g < b.groups; ++g, ++value) {
      const int place = 4 * groups_[b.first_group + g];
      for (int lane = 0; lane < std::min(4, nv - place); ++lane)
        value->at[lane] = jacobian[r * nv + structure_->order[place + lane]];
    }
  }
  blocks_.push_back(b);
}

void ConstraintBlocks::gather(const mjModel* m, const mjData* d, const SolverStructure& structure) {
  structure_ = &structure;
  weight_ = d->efc_D, bound_ = d->efc_frictionloss;
  blocks_.clear(), groups_.clear(), values_.clear();
  touched_.resize(static_cast<size_t>(m->nv + 3) / 4);
  for (int row = 0, rows; row < d->nefc; row += rows) {
    rows = 1;
    Kind kind = Kind::kLimit;
    if (d->efc_type[row] == mjCNSTR_EQUALITY) {
      kind = Kind::kEquality;
      while (row + rows < d->nefc && rows < kMostRows &&
             d->efc_type[row + rows] == mjCNSTR_EQUALITY && d->efc_id[row + rows] == d->efc_id[row])
        ++rows;
    } else if (d->efc_type[row] == mjCNSTR_FRICTION_DOF) {
      kind = Kind::kBounded;
    } else if (d->efc_type[row] == mjCNSTR_CONTACT_ELLIPTIC) {
      kind = Kind::kCone;
      rows = d->contact[d->efc_id[row]].dim;
    }
    add(kind, d, row, rows, m->nv);
  }
}

void ConstraintBlocks::lower(std::vector<int>& first) const {
  const int size = static_cast<int>(first.size());
  for (const Block& b : blocks_) {
    const int* groups = groups_.data() + b.first_group;
    for (int g = 0; g < b.groups; ++g)
      for (int i = 4 * groups[g]; i < std::min(4 * groups[g] + 4, size); ++i)
        first[i] = std::min(first[i], 4 * groups[0]);
  }
}

PREHEND_FOUR_WIDE void ConstraintBlocks::multiply(const Quad* x, double* out) const {
  for (const Block& b : blocks_) {
    const int* groups = groups_.data() + b.first_group;
    const Quad* value = values_.data() + b.first_value;
    for (int r = 0; r < b.rows; ++r) {
      Four total = {0.0, 0.0, 0.0, 0.0};
      for (int g = 0; g < b.groups; ++g) total += four(*value++) * four(x[groups[g]]);
      out[b.row + r] = sum(total);
    }
  }
}

double ConstraintBlocks::evaluate_cone(Block& b, const double* r, double* force) const {
  const mjContact& c = *b.contact;
  const double mu = c.mu, normal = mu * r[0];
  double square = 0.0;
  for (int j = 1; j < b.rows; ++j) square += c.friction[j - 1] * r[j] * c.friction[j - 1] * r[j];
  const double tangent = std::sqrt(square);
  if (normal >= mu * tangent) {
    b.zone = Zone::kFree;
    std::fill_n(force, b.rows, 0.0);
    return 0.0;
  }
  if (mu * normal + tangent <= 0.0) {
    b.zone = Zone::kSticking;
    double cost = 0.0;
    for (int j = 0; j < b.rows; ++j) {
      force[j] = -weight_[b.row + j] * r[j];
      cost -= 0.5 * force[j] * r[j];
    }
    return cost;
  }
  b.zone = Zone::kSliding;
  const double depth = normal - mu * tangent;
  force[0] = -b.stiffness * depth * mu;
  for (int j = 1; j < b.rows; ++j)
    force[j] = -force[0] / tangent * c.friction[j - 1] * c.friction[j - 1] * r[j];
  return 0.5 * b.stiffness * depth * depth;
}

double ConstraintBlocks::evaluate_bounded(Block& b, double residual, double& force) const {
  const double weight = weight_[b.row], bound = bound_[b.row];
  b.normal = residual;
  force = -weight * residual;
  b.zone = std::abs(force) <= bound ? Zone::kSticking : Zone::kSliding;
  if (b.zone == Zone::kSticking) return -0.5 * force * residual;
  force = std::copysign(bound, force);
  return bound * (std::abs(residual) - 0.5 * bound / weight);
}

double ConstraintBlocks::evaluate(const double* residual, double* force) {
  double cost = 0.0;
  for (Block& b : blocks_) {
    if (b.kind == Kind::kCone) {
      cost += evaluate_cone(b, residual + b.row, force + b.row);
      continue;
    }
    if (b.kind == Kind::kBounded) {
      cost += evaluate_bounded(b, residual[b.row], force[b.row]);
      continue;
    }
    const bool acts = b.kind == Kind::kEquality || residual[b.row] < 0.0;
    b.zone = acts ? Zone::kSticking : Zone::kFree;
    for (int i = b.row; i < b.row + b.rows; ++i) {
      force[i] = acts ? -weight_[i] * residual[i] : 0.0;
      cost -= 0.5 * force[i] * residual[i];
    }
  }
  return cost;
}

PREHEND_FOUR_WIDE void ConstraintBlocks::subtract_forces(const double* force,
                                                         Quad* gradient) const {
  for (const Block& b : blocks_) {
    if (b.zone == Zone::kFree) continue;
    const int* groups = groups_.data() + b.first_group;
    const Quad* value = values_.data() + b.first_value;
    for (int r = 0; r < b.rows; ++r)
      for (int g = 0; g < b.groups; ++g)
        four(gradient[groups[g]]) -= four(*value++) * force[b.row + r];
  }
}

void ConstraintBlocks::cone_curvature(const Block& b, const double* r, Curvature& out) const {
  const mjContact& c = *b.contact;
  const double mu = c.mu;
  double scaled[kMostRows], square = 0.0;
  for (int j = 1; j < b.rows; ++j) {
    scaled[j] = c.friction[j - 1] * r[j];
    square += scaled[j] * scaled[j];
  }
  const double tangent = std::sqrt(square), depth = mu * r[0] - mu * tangent;
  out[0][0] = b.stiffness * mu * mu;
  for (int j = 1; j < b.rows; ++j) {
    out[0][j] = out[j][0] = -out[0][0] * scaled[j] / tangent * c.friction[j - 1];
    for (int k = 1; k <= j; ++k) {
      const double along = scaled[j] * scaled[k] / square;
      const double bend = (j == k ? 1.0 : 0.0) - along;
      out[j][k] = out[k][j] = b.stiffness * c.friction[j - 1] * c.friction[k - 1] *
                              (mu * mu * along - mu * depth / tangent * bend);
    }
  }
}

PREHEND_FOUR_WIDE void ConstraintBlocks::add_curvature(const double* residual,
                                                       Skyline& hessian) const {
  Curvature curvature;
  for (const Block& b : blocks_) {
    if (b.zone == Zone::kFree) continue;
    const bool slides = b.zone == Zone::kSliding;
    if (slides && b.kind == Kind::kBounded) continue;  // a constant force has no curvature
    if (slides) cone_curvature(b, residual + b.row, curvature);
    const int* groups = groups_.data() + b.first_group;
    const Quad* values = values_.data() + b.first_value;
    for (int g = 0; g < b.groups; ++g) {
      // s'' J of four columns, a row each.
      Four turned[kMostRows];
      for (int j = 0; j < b.rows; ++j) {
        if (!slides) {
          turned[j] = four(values[j * b.groups + g]) * weight_[b.row + j];
          continue;
        }
        turned[j] = four(values[g]) * curvature[j][0];
        for (int k = 1; k < b.rows; ++k)
          turned[j] += four(values[k * b.groups + g]) * curvature[j][k];
      }
      for (int h = 0; h <= g; ++h) {
        for (int lane = 0; lane < 4; ++lane) {
          Four total = turned[0] * values[h].at[lane];
          for (int j = 1; j < b.rows; ++j) total += turned[j] * values[j * b.groups + h].at[lane];
          four(hessian.four_rows(groups[g], 4 * groups[h] + lane)) += total;
        }
      }
    }
  }
}

void ConstraintBlocks::prepare_line(const double* residual, const double* along) {
  residual_ = residual, along_ = along;
  for (Block& b : blocks_) {
    if (b.kind != Kind::kCone) continue;
    const mjContact& c = *b.contact;
    b.normal = c.mu * residual[b.row], b.normal_along = c.mu * along[b.row];
    b.square = b.mixed = b.square_along = 0.0;
    for (int j = 1; j < b.rows; ++j) {
      const double here = c.friction[j - 1] * residual[b.row + j];
      const double on = c.friction[j - 1] * along[b.row + j];
      b.square += here * here, b.mixed += here * on, b.square_along += on * on;
    }
  }
}

void ConstraintBlocks::sticking_slope(const Block& b, double step, double& first,
                                      double& second) const {
  for (int i = b.row; i < b.row + b.rows; ++i) {
    first += weight_[i] * (residual_[i] + step * along_[i]) * along_[i];
    second += weight_[i] * along_[i] * along_[i];
  }
}

void ConstraintBlocks::slope(double step, double& first, double& second) const {
  first = second = 0.0;
  for (const Block& b : blocks_) {
    if (b.kind == Kind::kBounded) {
      const double force = weight_[b.row] * (residual_[b.row] + step * along_[b.row]);
      if (std::abs(force) <= bound_[b.row])
        sticking_slope(b, step, first, second);
      else
        first += std::copysign(bound_[b.row], force) * along_[b.row];
      continue;
    }
    if (b.kind != Kind::kCone) {
      if (b.kind == Kind::kEquality || residual_[b.row] + step * along_[b.row] < 0.0)
        sticking_slope(b, step, first, second);
      continue;
    }
    const double mu = b.contact->mu, normal = b.normal + step * b.normal_along;
    const double tangent =
        std::sqrt(std::max(0.0, b.square + step * (2.0 * b.mixed + step * b.square_along)));
    if (normal >= mu * tangent) continue;
    if (mu * normal + tangent <= 0.0) {
      sticking_slope(b, step, first, second);
      continue;
    }
    const double tangent_along = (b.mixed + step * b.square_along) / tangent;
    const double bend = (b.square_along - tangent_along * tangent_along) / tangent;
    const double depth = normal - mu * tangent, depth_along = b.normal_along - mu * tangent_along;
    first += b.stiffness * depth * depth_along;
    second += b.stiffness * (depth_along * depth_along - depth * mu * bend);
  }
}

void ConstraintBlocks::states(int* out) const {
  constexpr int kStates[] = {mjCNSTRSTATE_SATISFIED, mjCNSTRSTATE_QUADRATIC, mjCNSTRSTATE_CONE};
  for (const Block& b : blocks_) {
    int state = kStates[static_cast<int>(b.zone)];
    if (b.kind == Kind::kBounded && b.zone == Zone::kSliding)
      state = b.normal < 0.0 ? mjCNSTRSTATE_LINEARNEG : mjCNSTRSTATE_LINEARPOS;
    std::fill_n(out + b.row, b.rows, state);
  }
}

}  // namespace prehend::physics
