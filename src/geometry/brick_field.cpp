// A distance field in bricks of 8 x 8 x 8 cells, filled when first asked.
//
// Each node holds the distance and its gradient (four floats, one SIMD register). Between nodes the
// field is the tricubic Hermite interpolant with zero twists: C1 across cells and bricks, since
// neighbors share their nodes' values, and it reads 8 nodes where an interpolant of values alone
// reads 64. Tried on the way: Catmull-Rom on 4 x 4 x 4 values smooths a crease half as sharply
// again (0.375 against 0.25 of the spacing at its middle), for more memory traffic.
//
// In one direction, with u in [0, 1] across the cell and g the gradient times the spacing,
//   f(u) = w0 f0 + w1 f1 + d0 g0 + d1 g1,
//   w0 = (1 + 2u)(1 - u)^2, w1 = 1 - w0, d0 = u (1 - u)^2, d1 = -u^2 (1 - u);
// in three, a node's value takes w w w and its gradient along an axis takes that axis's d.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>

#include "geometry/primitive_distance.h"
#include "prehend/core/assert.h"
#include "prehend/geometry/repair.h"
#include "prehend/geometry/signed_distance.h"

namespace prehend::geometry {
namespace {

constexpr int kCells = 8;
constexpr int kNodes = kCells + 1;
constexpr double kNearBand = 0.02;  // m from the surface where the fine level ends
constexpr double kMargin = 0.05;    // m around the object that the coarse level covers
constexpr int kCoarser = 8;         // spacing of the coarse level over that of the fine one
constexpr double kMostBricks =
    64e6;  // of the tables' address space; only touched pages cost memory

using Float4 = Eigen::Array4f;

struct alignas(64) Brick {
  Float4 node[kNodes * kNodes * kNodes];  // distance, gradient times spacing
  Brick* next = nullptr;                  // of all bricks, for the destructor
};

// Marks a brick of the fine level that is far from the surface: the coarse level answers there.
Brick* far_brick() {
  static Brick brick;
  return &brick;
}

// Weights of one axis at the two ends of a cell, ready for the lanes (value, gx, gy, gz).
struct AxisWeights {
  Float4 end[2], slope[2];

  AxisWeights(float u, int axis) {
    const float v = 1.0F - u;
    const float w0 = (1.0F + 2.0F * u) * v * v;
    const float slope_w = 6.0F * u * v;
    end[0].setConstant(w0);
    end[1].setConstant(1.0F - w0);
    slope[0].setConstant(-slope_w);
    slope[1].setConstant(slope_w);
    end[0][axis + 1] = u * v * v;
    end[1][axis + 1] = -u * u * v;
    slope[0][axis + 1] = v * (1.0F - 3.0F * u);
    slope[1][axis + 1] = u * (3.0F * u - 2.0F);
  }
};

// One axis after the other: x halves 8 nodes to 4 pairs (value, x slope), and so on.
DistanceSample interpolate(const Float4* node, const float (&u)[3], double per_spacing) {
  const AxisWeights x(u[0], 0), y(u[1], 1), z(u[2], 2);
  Float4 value = Float4::Zero(), dx = Float4::Zero(), dy = Float4::Zero(), dz = Float4::Zero();
  for (int k = 0; k < 2; ++k) {
    Float4 row_value[2], row_dx[2];
    for (int j = 0; j < 2; ++j) {
      const Float4* pair = node + (k * kNodes + j) * kNodes;
      row_value[j] = x.end[0] * pair[0] + x.end[1] * pair[1];
      row_dx[j] = x.slope[0] * pair[0] + x.slope[1] * pair[1];
    }
    const Float4 face_value = y.end[0] * row_value[0] + y.end[1] * row_value[1];
    const Float4 face_dx = y.end[0] * row_dx[0] + y.end[1] * row_dx[1];
    const Float4 face_dy = y.slope[0] * row_value[0] + y.slope[1] * row_value[1];
    value += z.end[k] * face_value;
    dx += z.end[k] * face_dx;
    dy += z.end[k] * face_dy;
    dz += z.slope[k] * face_value;
  }
  return {value.sum(), per_spacing * Vec3(dx.sum(), dy.sum(), dz.sum())};
}

// A grid of bricks; a null entry is one that nobody asked for yet.
class Level {
 public:
  Level(const Box3& box, double spacing) : spacing_(spacing), per_spacing_(1.0 / spacing) {
    std::size_t total = 1;
    const double brick = spacing * kCells;
    for (int k = 0; k < 3; ++k) {
      count_[k] = std::max(1, static_cast<int>(std::ceil(box.sizes()[k] / brick)));
      total *= static_cast<std::size_t>(count_[k]);
    }
    lower_ = box.center();
    for (int k = 0; k < 3; ++k) lower_[k] -= 0.5 * brick * count_[k];
    // Zero pages straight from the system: a large, mostly empty table costs nothing.
    table_.reset(static_cast<Brick**>(std::calloc(total, sizeof(Brick*))));
    PREHEND_ASSERT(table_);
  }
  ~Level() {
    for (Brick* brick = bricks_.load(); brick;) delete std::exchange(brick, brick->next);
  }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  struct Cell {
    int brick[3];
    int node = 0;  // the cell's lowest, within the brick
    float u[3];
    std::size_t entry = 0;
  };

  // False outside the grid, and for points that are not numbers.
  bool locate(const Vec3& point, Cell& cell) const {
    int node[3];
    for (int k = 0; k < 3; ++k) {
      const double local = (point[k] - lower_[k]) * per_spacing_;
      if (!(local >= 0.0 && local < static_cast<double>(count_[k]) * kCells)) return false;
      const int whole = static_cast<int>(local);
      cell.brick[k] = whole / kCells;
      node[k] = whole % kCells;
      cell.u[k] = static_cast<float>(local - whole);
    }
    cell.node = (node[2] * kNodes + node[1]) * kNodes + node[0];
    cell.entry = (static_cast<std::size_t>(cell.brick[2]) * count_[1] + cell.brick[1]) * count_[0] +
                 cell.brick[0];
    return true;
  }

  Brick* find(const Cell& cell) const {
    return std::atomic_ref<Brick*>(table_.get()[cell.entry]).load(std::memory_order_acquire);
  }

  DistanceSample evaluate(const Brick& brick, const Cell& cell) const {
    return interpolate(brick.node + cell.node, cell.u, per_spacing_);
  }

  // Two threads may fill the same brick; both make the same, and one of them is kept.
  Brick* fill(const Cell& cell, const ExactDistance& exact, double near_band) {
    Brick* made = is_far(cell, exact, near_band) ? far_brick() : sampled(cell, exact).release();
    Brick* expected = nullptr;
    std::atomic_ref<Brick*> entry(table_.get()[cell.entry]);
    if (!entry.compare_exchange_strong(expected, made, std::memory_order_acq_rel)) {
      if (made != far_brick()) delete made;
      return expected;
    }
    if (made != far_brick()) {
      made->next = bricks_.load();
      while (!bricks_.compare_exchange_weak(made->next, made)) {
      }
      filled_.fetch_add(1, std::memory_order_relaxed);
    }
    return made;
  }

  double spacing() const { return spacing_; }
  std::size_t filled() const { return filled_.load(std::memory_order_relaxed); }

 private:
  bool is_far(const Cell& cell, const ExactDistance& exact, double near_band) const {
    const double reach = std::sqrt(3.0) / 2.0 * kCells * spacing_;
    const Vec3 middle(cell.brick[0] + 0.5, cell.brick[1] + 0.5, cell.brick[2] + 0.5);
    const Vec3 center = lower_ + spacing_ * kCells * middle;
    return std::abs(exact.sample(center).distance) > near_band + reach;
  }

  std::unique_ptr<Brick> sampled(const Cell& cell, const ExactDistance& exact) const {
    std::array<DistanceSample, kNodes * kNodes * kNodes> samples;
    const Vec3 start(cell.brick[0], cell.brick[1], cell.brick[2]);
    exact.sample_cube({lower_, spacing_, kCells * start, kNodes}, samples);
    auto brick = std::make_unique<Brick>();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Vec3 slope = spacing_ * samples[i].gradient;
      brick->node[i] =
          Float4(static_cast<float>(samples[i].distance), static_cast<float>(slope.x()),
                 static_cast<float>(slope.y()), static_cast<float>(slope.z()));
    }
    return brick;
  }

  struct Free {
    void operator()(Brick** table) const { std::free(table); }
  };

  double spacing_;
  double per_spacing_;
  Vec3 lower_ = Vec3::Zero();
  int count_[3] = {};
  std::unique_ptr<Brick*, Free> table_;
  std::atomic<Brick*> bricks_{nullptr};
  std::atomic<std::size_t> filled_{0};
};

double chosen_spacing(const Box3& box, double asked) {
  if (asked > 0.0) return asked;
  const double spacing = std::clamp(box.diagonal().norm() / 350.0, 0.00025, 0.001);
  const Vec3 extent = box.sizes() + Vec3::Constant(2.0 * kNearBand);
  return std::max(spacing, std::cbrt(extent.prod() / kMostBricks) / kCells);
}

Box3 grown(const Box3& box, double by) {
  return {box.min() - Vec3::Constant(by), box.max() + Vec3::Constant(by)};
}

Box3 shape_box(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return {-Vec3::Constant(shape.size.x()), Vec3::Constant(shape.size.x())};
    case ShapeKind::kBox:
      return {-shape.size, shape.size};
    case ShapeKind::kCylinder:
    case ShapeKind::kCapsule: {
      const double cap = shape.kind == ShapeKind::kCapsule ? shape.size.x() : 0.0;
      const Vec3 half(shape.size.x(), shape.size.y() + cap, shape.size.x());
      return {-half, half};
    }
    case ShapeKind::kMesh:
      break;
  }
  return bounding_box(*shape.mesh);
}

class BrickFieldImpl final : public BrickField {
 public:
  BrickFieldImpl(std::shared_ptr<const ExactDistance> exact, const Box3& box, double spacing)
      : exact_(std::move(exact)),
        box_(box),
        fine_(grown(box, kNearBand), spacing),
        coarse_(grown(box, kMargin), kCoarser * spacing) {}

  DistanceSample sample(const Vec3& point) const override {
    Level::Cell cell;
    if (fine_.locate(point, cell)) {
      const Brick* brick = fine_.find(cell);
      if (!brick) brick = fine_.fill(cell, *exact_, kNearBand);
      if (brick != far_brick()) return fine_.evaluate(*brick, cell);
    }
    return sample_far(point);
  }

  double spacing() const override { return fine_.spacing(); }
  std::size_t brick_count() const override { return fine_.filled() + coarse_.filled(); }
  std::size_t memory_bytes() const override { return brick_count() * sizeof(Brick); }

 private:
  DistanceSample sample_far(const Vec3& point) const {
    Level::Cell cell;
    if (coarse_.locate(point, cell)) {
      const Brick* brick = coarse_.find(cell);
      if (!brick) brick = coarse_.fill(cell, *exact_, std::numeric_limits<double>::infinity());
      return coarse_.evaluate(*brick, cell);
    }
    if (!point.allFinite()) return {std::numeric_limits<double>::quiet_NaN(), Vec3::UnitY()};
    return box_distance(point - box_.center(), 0.5 * box_.sizes());
  }

  std::shared_ptr<const ExactDistance> exact_;
  Box3 box_;
  mutable Level fine_, coarse_;  // what they answer never changes; when they compute it does
};

}  // namespace

std::shared_ptr<const BrickField> brick_field(std::shared_ptr<const ExactDistance> exact,
                                              const Shape& shape,
                                              const BrickFieldOptions& options) {
  PREHEND_ASSERT(exact);
  const Box3 box = shape_box(shape);
  return std::make_shared<BrickFieldImpl>(std::move(exact), box,
                                          chosen_spacing(box, options.spacing));
}

std::shared_ptr<const SignedDistance> fast_distance(const Shape& shape) {
  auto exact = exact_distance(shape);
  if (shape.kind != ShapeKind::kMesh) return exact;
  return brick_field(std::move(exact), shape);
}

}  // namespace prehend::geometry
