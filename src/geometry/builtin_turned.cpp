// Built-in objects whose surface is a curve turned about an axis or pulled along one.
#include <algorithm>
#include <cmath>

#include "geometry/builtin_parts.h"
#include "prehend/geometry/decimate.h"
#include "prehend/geometry/primitive.h"

namespace prehend::geometry {
namespace {

constexpr int kAround = 96;

// A profile drawn like a path: straight lines and curves from where the pen is.
class Profile {
 public:
  explicit Profile(const Point2& start) : points_{start} {}

  // In steps of some millimeters, so that faces stay compact.
  Profile& line_to(double r, double y, double step = 0.008) {
    const Point2 from = points_.back(), to(r, y);
    const int steps = std::max(1, static_cast<int>(std::ceil((to - from).norm() / step)));
    for (int i = 1; i < steps; ++i) points_.push_back(from + (to - from) * i / steps);
    points_.push_back(to);
    return *this;
  }

  // A cubic Bezier curve.
  Profile& curve_to(const Point2& a, const Point2& b, const Point2& to, int steps = 10) {
    const Point2 from = points_.back();
    for (int i = 1; i < steps; ++i) {
      const double t = static_cast<double>(i) / steps, s = 1.0 - t;
      points_.push_back(s * s * s * from + 3 * s * s * t * a + 3 * s * t * t * b + t * t * t * to);
    }
    points_.push_back(to);
    return *this;
  }

  // A quarter of a circle (or ellipse) whose tangents meet at `corner`.
  Profile& round_to(const Point2& corner, const Point2& to, int steps = 5) {
    constexpr double kCircle = 0.5522847498;
    const Point2 from = points_.back();
    return curve_to(from + kCircle * (corner - from), to + kCircle * (corner - to), to, steps);
  }

  TriangleMesh turned(int around = kAround) const { return lathe(points_, around); }

 private:
  std::vector<Point2> points_;
};

}  // namespace

// A door wedge: 90 long, 30 high, 45 mm deep.
TriangleMesh make_wedge() { return extrude({{-0.045, 0.0}, {0.045, 0.0}, {0.045, 0.03}}, 0.0225); }

// A hardback that lies on its cover: 130 x 27 x 190 mm, the spine rounded, the pages set back.
TriangleMesh make_book() {
  std::vector<Point2> outline;
  constexpr double kHalf = 0.0135, kCover = 0.0025, kEdge = 0.065, kPages = 0.061;
  const double inner = kHalf - kCover;
  outline.emplace_back(kEdge, -kHalf);
  outline.emplace_back(kEdge, -inner);
  for (int i = 0; i <= 8; ++i) {
    const double t = -1.0 + 0.25 * i;
    outline.emplace_back(kPages - 0.003 * (1.0 - t * t), inner * t);
  }
  outline.emplace_back(kEdge, inner);
  outline.emplace_back(kEdge, kHalf);
  for (int i = 0; i <= 16; ++i) {
    const double angle = kPi / 2.0 * (1.0 + i / 8.0);
    outline.emplace_back(-0.0585 + 0.0065 * std::cos(angle), kHalf * std::sin(angle));
  }
  return extrude(outline, 0.095);
}

// A bar of 90 x 32 x 58 mm, well rounded: a superellipsoid.
TriangleMesh make_soap() {
  TriangleMesh mesh = subdivide(box_mesh(Vec3::Ones()), 5);
  const Vec3 half(0.045, 0.016, 0.029);
  constexpr double kPower = 3.2;
  for (Vec3& v : mesh.vertices) {
    // tan spreads the cube's grid evenly over directions.
    const Vec3 d = v.unaryExpr([](double x) { return std::tan(x * kPi / 4.0); });
    const double sum = d.cwiseAbs().array().pow(kPower).sum();
    v = d.cwiseProduct(half) * std::pow(sum, -1.0 / kPower);
  }
  return mesh;
}

// A beaker without a handle: 95 mm tall, 62 mm wide at the foot and 80 mm at the rim, 3 mm thick.
TriangleMesh make_cup() {
  Profile p({0.0, 0.002});
  p.line_to(0.024, 0.002).line_to(0.026, 0.0);
  p.line_to(0.0285, 0.0).round_to({0.031, 0.0}, {0.0313, 0.003});
  p.line_to(0.04, 0.0935).round_to({0.04, 0.095}, {0.0385, 0.095}, 4);
  p.round_to({0.037, 0.095}, {0.037, 0.0935}, 4);
  p.line_to(0.0287, 0.011).round_to({0.028, 0.0055}, {0.022, 0.0055}, 6).line_to(0.0, 0.0055);
  return p.turned();
}

// Half a litre of water, capped: 65 mm wide, 205 mm tall, waisted for the grip.
TriangleMesh make_bottle() {
  Profile p({0.0, 0.006});
  p.curve_to({0.008, 0.006}, {0.014, 0.004}, {0.02, 0.0}, 6).line_to(0.026, 0.0);
  p.round_to({0.0325, 0.0}, {0.0325, 0.007}).line_to(0.0325, 0.055);
  p.curve_to({0.0325, 0.065}, {0.0285, 0.07}, {0.0285, 0.085}, 8);
  p.curve_to({0.0285, 0.1}, {0.0325, 0.105}, {0.0325, 0.115}, 8).line_to(0.0325, 0.135);
  p.curve_to({0.0325, 0.158}, {0.0135, 0.165}, {0.0125, 0.18}, 14).line_to(0.0125, 0.183);
  p.line_to(0.0165, 0.184).line_to(0.0165, 0.1855).line_to(0.0145, 0.187);
  p.line_to(0.0145, 0.2035).round_to({0.0145, 0.205}, {0.013, 0.205}, 3).line_to(0.0, 0.205);
  return p.turned();
}

// Bordeaux, 0.75 l, corked and full: 75 mm wide, 300 mm tall, with a punt.
TriangleMesh make_wine_bottle() {
  Profile p({0.0, 0.025});
  p.curve_to({0.012, 0.025}, {0.02, 0.012}, {0.027, 0.001}, 8);
  p.curve_to({0.028, 0.0}, {0.029, 0.0}, {0.0305, 0.0}, 3).round_to({0.0375, 0.0}, {0.0375, 0.007});
  p.line_to(0.0375, 0.185, 0.012);
  p.curve_to({0.0375, 0.212}, {0.0155, 0.208}, {0.0145, 0.235}, 14).line_to(0.0135, 0.283);
  p.round_to({0.0150, 0.2835}, {0.0150, 0.2855}, 3).line_to(0.0150, 0.293);
  p.round_to({0.0150, 0.2945}, {0.0138, 0.2955}, 3).line_to(0.0132, 0.2985);
  p.round_to({0.0130, 0.3}, {0.0115, 0.3}, 3).line_to(0.0, 0.3);
  return p.turned();
}

// 205 mm tall, bowl of 80 mm open at the top, wall 1.5 mm, foot of 70 mm.
TriangleMesh make_wineglass() {
  Profile p({0.0, 0.0});
  p.line_to(0.0335, 0.0).round_to({0.035, 0.0}, {0.035, 0.0012}, 3);
  p.round_to({0.035, 0.0022}, {0.033, 0.0026}, 3);
  p.curve_to({0.018, 0.0055}, {0.0045, 0.006}, {0.0042, 0.018}, 12);
  p.curve_to({0.0036, 0.035}, {0.0036, 0.07}, {0.0042, 0.088}, 10);
  p.curve_to({0.005, 0.1}, {0.022, 0.096}, {0.0335, 0.115}, 12);
  p.curve_to({0.044, 0.135}, {0.041, 0.17}, {0.0345, 0.204}, 14);
  p.round_to({0.0343, 0.205}, {0.0336, 0.205}, 3).round_to({0.0329, 0.205}, {0.033, 0.204}, 3);
  p.curve_to({0.0394, 0.17}, {0.0424, 0.136}, {0.0322, 0.1165}, 14);
  p.curve_to({0.022, 0.1}, {0.008, 0.1005}, {0.0, 0.1}, 12);
  return p.turned();
}

// 100 mm long, 4 mm thick, with a head of 9 mm and a four-millimeter point; it lies along X.
TriangleMesh make_nail() {
  Profile p({0.0, 0.0});
  p.line_to(0.0009, 0.003).line_to(0.002, 0.008).line_to(0.002, 0.098, 0.004);
  p.line_to(0.0043, 0.0988).line_to(0.0045, 0.0992).line_to(0.0045, 0.0998);
  p.line_to(0.0042, 0.1).line_to(0.0, 0.1);
  TriangleMesh mesh = p.turned(32);
  for (Vec3& v : mesh.vertices) v = Vec3(v.y(), -v.x(), v.z());  // a quarter turn about Z
  return mesh;
}

// A screw bulb, the screw below: glass of 60 mm, 108 mm in all.
TriangleMesh make_bulb() {
  Profile p({0.0, 0.0});
  p.line_to(0.004, 0.0).round_to({0.0055, 0.0}, {0.0055, 0.0015}, 3).line_to(0.0095, 0.005, 0.003);
  p.line_to(0.0122, 0.0055);
  constexpr int kTurns = 5, kSteps = 8;
  for (int i = 1; i <= kTurns * kSteps; ++i) {
    const double y = 0.0055 + 0.0195 * i / (kTurns * kSteps);
    p.line_to(0.0129 - 0.0007 * std::cos(2.0 * kPi * i / kSteps), y);
  }
  p.line_to(0.0128, 0.026).line_to(0.0128, 0.029);
  p.curve_to({0.0135, 0.047}, {0.03, 0.052}, {0.03, 0.078}, 18);
  p.round_to({0.03, 0.108}, {0.0, 0.108}, 20);
  return p.turned();
}

}  // namespace prehend::geometry
