// Built-in objects written as distance functions: solids that are blended and cut.
#include <algorithm>
#include <cmath>

#include "geometry/builtin_parts.h"
#include "prehend/geometry/decimate.h"

namespace prehend::geometry {
namespace {

// An arc of an ellipse as a chain, angles in degrees from +X.
std::vector<Point2> arc(const Point2& center, double rx, double ry, double from_deg, double to_deg,
                        int steps = 32) {
  std::vector<Point2> chain;
  for (int i = 0; i <= steps; ++i) {
    const double angle = radians(from_deg + (to_deg - from_deg) * i / steps);
    chain.emplace_back(center.x() + rx * std::cos(angle), center.y() + ry * std::sin(angle));
  }
  return chain;
}

// The mesh at `cell`, then thinned: flat and gently bent places need few faces.
TriangleMesh carved(const Implicit& implicit, const Vec3& lower, const Vec3& upper, double cell,
                    int faces) {
  return decimate(mesh_implicit(implicit, Box3(lower, upper), cell), faces);
}

double from_axis(const Vec3& p) { return std::hypot(p.x(), p.z()); }

// A rod along X whose section is an ellipse; the distance is a lower bound away from it.
double elliptic_section(double y, double z, double half_y, double half_z) {
  return (std::hypot(y / half_y, z / half_z) - 1.0) * std::min(half_y, half_z);
}

}  // namespace

// 82 mm wide, 95 mm tall, wall 4 mm, and a handle that four fingers or two fit through.
TriangleMesh make_mug() {
  // The wall's middle line, thickened by 2 mm all around.
  const std::vector<Point2> wall = {
      {0.0, 0.003}, {0.034, 0.003}, {0.0375, 0.005}, {0.039, 0.009}, {0.039, 0.093}};
  const std::vector<Point2> loop = arc({0.0395, 0.049}, 0.034, 0.031, -90.0, 90.0);
  const Implicit mug = [=](const Vec3& p) {
    const double body = chain_distance({from_axis(p), p.y()}, wall) - 0.002;
    if (p.x() < 0.02) return body;  // the wall is nearer than the handle
    const double bend = band_distance(p, loop, 0.0035, 0.0065, 0.0034);
    const double handle = std::max(bend, 0.0395 - from_axis(p));
    return smooth_min(body, handle, 0.003);
  };
  return carved(mug, {-0.043, -0.002, -0.043}, {0.079, 0.098, 0.043}, 0.0012, 16000);
}

// A stock pot of 170 mm, 90 mm tall, wall 3 mm, two loops to carry it.
TriangleMesh make_pot() {
  const std::vector<Point2> wall = {{0.0, 0.0015},   {0.073, 0.0015}, {0.0785, 0.0035},
                                    {0.082, 0.008},  {0.0835, 0.014}, {0.0835, 0.086},
                                    {0.0855, 0.0885}};
  const std::vector<Point2> loop = arc({0.08, 0.0}, 0.033, 0.036, -90.0, 90.0);
  const Implicit pot = [=](const Vec3& p) {
    const double body = chain_distance({from_axis(p), p.y()}, wall) - 0.0016;
    if (std::abs(p.x()) < 0.05) return body;  // the wall is nearer than the loops
    // The loops lie level: their band is drawn in the x-z plane, the same on both sides.
    const Vec3 level(std::abs(p.x()), p.z(), p.y() - 0.07);
    const double bend = band_distance(level, loop, 0.004, 0.0055, 0.0039);
    const double handle = std::max(bend, 0.0838 - from_axis(p));
    return smooth_min(body, handle, 0.0025);
  };
  return carved(pot, {-0.119, -0.003, -0.09}, {0.119, 0.094, 0.09}, 0.0013, 24000);
}

// A kitchen turner: slotted blade of 2.4 mm on the table, the handle rising from it along -X.
TriangleMesh make_spatula() {
  const std::vector<Point2> neck = {{0.028, 0.0014}, {0.012, 0.003}, {-0.005, 0.010},
                                    {-0.022, 0.021}, {-0.04, 0.028}, {-0.075, 0.031}};
  const Implicit spatula = [=](const Vec3& p) {
    const double spread = 0.037 - 0.07 * std::max(0.0, 0.045 - p.x());
    double blade =
        rounded_box_distance(p - Vec3(0.06, 0.0014, 0.0), {0.045, 0.0012, 0.037}, 0.0011);
    blade = smooth_max(blade, 0.9 * (std::abs(p.z()) - spread), 0.004);
    for (const double z : {-0.021, -0.007, 0.007, 0.021}) {
      const double along = p.x() - std::clamp(p.x(), 0.05, 0.09);
      blade = smooth_max(blade, 0.0028 - std::hypot(along, p.z() - z), 0.001);
    }
    const double stem = band_distance(p, neck, 0.0022, 0.0075, 0.002);
    const double along = std::clamp(p.x(), -0.2, -0.072);
    const double grip = 0.0085 + 0.0035 * std::cos((along + 0.14) * 30.0);
    const double section = elliptic_section(p.y() - 0.031, p.z(), 0.0085, grip);
    const double handle = smooth_max(section, std::abs(p.x() + 0.137) - 0.07, 0.012);
    return smooth_min(smooth_min(blade, stem, 0.004), handle, 0.004);
  };
  return carved(spatula, {-0.215, -0.003, -0.042}, {0.109, 0.045, 0.042}, 0.0008, 20000);
}

// A lidded box of 90 mm with a ribbon around it and a bow on top.
TriangleMesh make_gift_box() {
  const std::vector<Point2> loop = arc({0.021, 0.091}, 0.019, 0.011, 0.0, 360.0, 48);
  const Implicit box = [=](const Vec3& p) {
    const double body = rounded_box_distance(p - Vec3(0, 0.035, 0), {0.043, 0.035, 0.043}, 0.0012);
    const double lid = rounded_box_distance(p - Vec3(0, 0.067, 0), {0.0455, 0.011, 0.0455}, 0.0012);
    // Each band is the outline grown by a millimeter, within its breadth.
    const double grown =
        std::min(rounded_box_distance(p - Vec3(0, 0.0345, 0), {0.0442, 0.0357, 0.0442}, 0.0012),
                 rounded_box_distance(p - Vec3(0, 0.067, 0), {0.0467, 0.0122, 0.0467}, 0.0012));
    const double breadth = std::min(std::abs(p.x()), std::abs(p.z())) - 0.008;
    const double bands = smooth_max(grown, breadth, 0.0008);
    const double solid = std::min({body, lid, bands});
    if (p.y() < 0.06) return solid;  // the box is nearer than the bow
    const Vec3 mirrored(std::abs(p.x()), p.y(), p.z());
    const double narrow = 0.004 + 0.2 * std::clamp(mirrored.x(), 0.0, 0.03);
    const double loops = 0.9 * band_distance(mirrored, loop, 0.0012, narrow, 0.0011);
    const double knot = rounded_box_distance(p - Vec3(0, 0.0855, 0), {0.007, 0.008, 0.0065}, 0.005);
    return smooth_min(solid, smooth_min(loops, knot, 0.002), 0.002);
  };
  return carved(box, {-0.05, -0.003, -0.05}, {0.05, 0.106, 0.05}, 0.0009, 24000);
}

// A cross-peen hammer that lies on its side: handle along X, head along Z at the +X end.
BuiltinSolid make_hammer() {
  constexpr double kHeadX = 0.105;
  const std::vector<Point2> peen = {{-0.012, -0.0115}, {-0.012, 0.0115},  {-0.032, 0.0095},
                                    {-0.058, 0.0018},  {-0.058, -0.0018}, {-0.032, -0.0095}};
  const Implicit head = [=](const Vec3& p) {
    const Vec3 q = p - Vec3(kHeadX, 0.0, 0.0);
    const double block = rounded_box_distance(q, {0.014, 0.0135, 0.017}, 0.002);
    const double around = std::hypot(q.x(), q.y());
    const double neck = std::max(around - 0.0108, std::abs(q.z() - 0.025) - 0.014);
    const double face = smooth_max(around - 0.0145, std::abs(q.z() - 0.044) - 0.0105, 0.003);
    const double wedge = smooth_max(polygon_distance({q.z(), q.y()}, peen) - 0.0008,
                                    std::abs(q.x()) - 0.0125, 0.002);
    return smooth_min(smooth_min(block, smooth_min(neck, face, 0.004), 0.004), wedge, 0.004);
  };
  const Implicit handle = [](const Vec3& p) {
    const double x = std::clamp(p.x(), -0.205, 0.122);
    // Swells towards the end that the hand holds.
    const double swell = 0.5 - 0.5 * std::cos(kPi * std::clamp((0.06 - x) / 0.2, 0.0, 1.0));
    const double section =
        elliptic_section(p.y(), p.z(), 0.0085 + 0.004 * swell, 0.0105 + 0.006 * swell);
    return smooth_max(0.95 * section, std::abs(p.x() + 0.0415) - 0.1635, 0.006);
  };
  const Implicit hammer = [=](const Vec3& p) { return smooth_min(head(p), handle(p), 0.0015); };
  BuiltinSolid solid;
  solid.mesh = carved(hammer, {-0.21, -0.02, -0.063}, {0.127, 0.02, 0.058}, 0.001, 16000);
  constexpr double kSteel = 7800.0, kWood = 750.0;
  solid.density = [=](const Vec3& p) {
    return hammer(p) >= 0.0 ? 0.0 : head(p) < 0.0 ? kSteel : kWood;
  };
  return solid;
}

}  // namespace prehend::geometry
