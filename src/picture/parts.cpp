// Shapes to triangles, and smooth normals.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "picture/tracer.h"

namespace prehend::picture::detail {
namespace {

constexpr int kSides = 40;
constexpr int kCapRings = 10;
constexpr int kMaxRefine = 4;
// Corners around one point beyond which faces keep their own normal: the work grows as the square.
constexpr std::size_t kMaxValence = 512;

SurfaceMaterial surface_material(const Material& material) {
  return {linear_from_srgb(material.color_srgb),
          std::clamp(static_cast<float>(material.roughness), 0.05f, 1.0f),
          std::clamp(static_cast<float>(material.opacity), 0.0f, 1.0f),
          std::clamp(static_cast<float>(material.subsurface), 0.0f, 1.0f)};
}

// A surface of revolution about the axis from `a` along the unit `axis`: each ring is a radius at
// a distance along the axis. Rings of radius 0 become points.
struct Ring {
  double along;
  double radius;
};

void add_revolution(const Vec3& a, const Vec3& axis, std::span<const Ring> rings, Part& part) {
  const Vec3 u = any_orthogonal(axis), v = axis.cross(u);
  const auto base = static_cast<std::uint32_t>(part.vertices.size());
  for (const Ring& ring : rings) {
    for (int side = 0; side < kSides; ++side) {
      const double angle = 2.0 * kPi * side / kSides;
      part.vertices.push_back(
          (a + ring.along * axis + ring.radius * (std::cos(angle) * u + std::sin(angle) * v))
              .cast<float>());
    }
  }
  for (std::uint32_t r = 0; r + 1 < rings.size(); ++r) {
    for (std::uint32_t side = 0; side < kSides; ++side) {
      const std::uint32_t next = (side + 1) % kSides;
      const std::uint32_t p = base + r * kSides + side, q = base + r * kSides + next;
      if (rings[r].radius > 0.0) part.faces.push_back({p, q, q + kSides});
      if (rings[r + 1].radius > 0.0) part.faces.push_back({p, q + kSides, p + kSides});
    }
  }
}

Part capsule_part(const PictureCapsule& capsule, const Vec3& center) {
  Part part;
  part.material = surface_material(capsule.material);
  part.mark = capsule.mark;
  const Vec3 bone = capsule.b_world - capsule.a_world;
  const double length = bone.norm();
  const Vec3 axis = length > 1e-12 ? Vec3(bone / length) : Vec3(Vec3::UnitY());
  std::vector<Ring> rings;
  for (int i = 0; i <= kCapRings; ++i) {
    const double angle = 0.5 * kPi * i / kCapRings;
    rings.push_back(
        {-capsule.radius * std::cos(angle), i == 0 ? 0.0 : capsule.radius * std::sin(angle)});
  }
  const std::size_t half = rings.size();
  for (std::size_t i = half; i-- > 0;) rings.push_back({length - rings[i].along, rings[i].radius});
  add_revolution(capsule.a_world - center, axis, rings, part);
  set_corner_normals(radians(60.0), part);
  return part;
}

Part arrow_part(const PictureArrow& arrow, const Vec3& center) {
  Part part;
  part.material = surface_material(arrow.material);
  part.mark = true;
  const double length = arrow.vector_world.norm();
  const Vec3 axis = arrow.vector_world / length;
  // The head keeps its shape on long arrows and shrinks with short ones.
  const double head = std::min(6.0 * arrow.radius, 0.6 * length);
  const double head_radius = 2.4 * arrow.radius * head / (6.0 * arrow.radius);
  const double shaft = std::min(arrow.radius, 0.6 * head_radius);
  const Ring rings[] = {{0.0, 0.0},
                        {0.0, shaft},
                        {length - head, shaft},
                        {length - head, head_radius},
                        {length, 0.0}};
  add_revolution(arrow.tail_world - center, axis, rings, part);
  set_corner_normals(radians(40.0), part);
  return part;
}

// Phong tessellation (Boubekeur and Alexa, SIGGRAPH Asia 2008): an edge's middle moves most of the
// way to the mean of its projections onto the tangent planes at the edge's ends.
Vec3f bulged_middle(const Vec3f& p, const Vec3f& np, const Vec3f& q, const Vec3f& nq) {
  const Vec3f middle = 0.5f * (p + q);
  const Vec3f on_p = middle - (middle - p).dot(np) * np, on_q = middle - (middle - q).dot(nq) * nq;
  return 0.25f * middle + 0.375f * (on_p + on_q);
}

// Which way the edges bulge is the same on both sides of a crease, or the crease would gape.
void refine(Part& part) {
  Part round{part.vertices, part.faces, {}, part.material};
  set_corner_normals(kPi, round);
  Part fine;
  fine.material = part.material;
  for (std::size_t f = 0; f < part.faces.size(); ++f) {
    const auto base = static_cast<std::uint32_t>(fine.vertices.size());
    std::array<Vec3f, 6> normals;  // corners, then the middles of the edges that start at them
    for (int i = 0; i < 3; ++i) {
      fine.vertices.push_back(part.vertices[part.faces[f][i]]);
      normals[i] = part.normals[f][i];
    }
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      // The same order of the ends from both sides of an edge, so that the sides stay together to
      // the last bit.
      const Vec3f &p = fine.vertices[base + i], &q = fine.vertices[base + j];
      const bool swap =
          std::lexicographical_compare(q.data(), q.data() + 3, p.data(), p.data() + 3);
      const Vec3f &np = round.normals[f][i], &nq = round.normals[f][j];
      const Vec3f middle = swap ? bulged_middle(q, nq, p, np) : bulged_middle(p, np, q, nq);
      fine.vertices.push_back(middle);
      normals[3 + i] = (normals[i] + normals[j]).normalized();
    }
    for (const auto& t : {std::array{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}}) {
      fine.faces.push_back({base + t[0], base + t[1], base + t[2]});
      fine.normals.push_back({normals[t[0]], normals[t[1]], normals[t[2]]});
    }
  }
  part = std::move(fine);
}

Part mesh_part(const PictureMesh& mesh, const Vec3& center) {
  Part part;
  part.material = surface_material(mesh.material);
  part.vertices.reserve(mesh.mesh->vertices.size() + 1);
  for (const Vec3& v : mesh.mesh->vertices)
    part.vertices.push_back((mesh.world_from_mesh * v - center).cast<float>());
  part.faces.reserve(mesh.mesh->faces.size());
  for (const auto& f : mesh.mesh->faces)
    part.faces.push_back({static_cast<std::uint32_t>(f[0]), static_cast<std::uint32_t>(f[1]),
                          static_cast<std::uint32_t>(f[2])});
  set_corner_normals(mesh.crease, part);
  for (int level = 0; level < std::min(mesh.refine, kMaxRefine); ++level) refine(part);
  return part;
}

// Corners (3 * face + i) sorted by position, so that equal positions are neighbors.
std::vector<std::uint32_t> corners_by_position(const Part& part) {
  std::vector<std::uint32_t> order(3 * part.faces.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&part](std::uint32_t c) {
    const Vec3f& v = part.vertices[part.faces[c / 3][c % 3]];
    return std::array<float, 3>{v.x(), v.y(), v.z()};
  };
  std::sort(order.begin(), order.end(), [&key](std::uint32_t a, std::uint32_t b) {
    const auto ka = key(a), kb = key(b);
    return ka != kb ? ka < kb : a < b;
  });
  return order;
}

// The angle of a face at one of its corners: the weight that makes a normal independent of how
// the surface is cut into triangles.
float corner_angle(const Part& part, std::uint32_t corner) {
  const auto& face = part.faces[corner / 3];
  const Vec3f& p = part.vertices[face[corner % 3]];
  const Vec3f e = part.vertices[face[(corner + 1) % 3]] - p;  // corner % 3 == corner in its face
  const Vec3f f = part.vertices[face[(corner + 2) % 3]] - p;
  return std::atan2(e.cross(f).norm(), e.dot(f));
}

}  // namespace

float linear_from_srgb(float value) {
  return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

float srgb_from_linear(float value) {
  return value <= 0.0031308f ? 12.92f * value : 1.055f * std::pow(value, 1.0f / 2.4f) - 0.055f;
}

Color linear_from_srgb(const Vec3& color_srgb) {
  Color color;
  for (int i = 0; i < 3; ++i)
    color[i] = linear_from_srgb(std::clamp(static_cast<float>(color_srgb[i]), 0.0f, 1.0f));
  return color;
}

void set_corner_normals(double crease, Part& part) {
  std::vector<Vec3f> flat(part.faces.size());
  for (std::size_t f = 0; f < flat.size(); ++f) {
    const auto& face = part.faces[f];
    const Vec3f& p = part.vertices[face[0]];
    flat[f] = (part.vertices[face[1]] - p).cross(part.vertices[face[2]] - p).stableNormalized();
  }
  const auto order = corners_by_position(part);
  const auto position = [&part](std::uint32_t c) -> const Vec3f& {
    return part.vertices[part.faces[c / 3][c % 3]];
  };
  const auto cos_crease = static_cast<float>(std::cos(crease));
  part.normals.assign(part.faces.size(), {});
  std::vector<float> angles;
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    for (end = begin + 1; end < order.size() && position(order[end]) == position(order[begin]);)
      ++end;
    angles.clear();
    for (std::size_t i = begin; i < end; ++i) angles.push_back(corner_angle(part, order[i]));
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3f& own = flat[order[i] / 3];
      Vec3f sum = Vec3f::Zero();
      for (std::size_t j = begin; j < end && end - begin <= kMaxValence; ++j) {
        const Vec3f& other = flat[order[j] / 3];
        if (own.dot(other) >= cos_crease) sum += angles[j - begin] * other;
      }
      const float norm = sum.norm();
      part.normals[order[i] / 3][order[i] % 3] = norm > 1e-6f ? Vec3f(sum / norm) : own;
    }
  }
}

std::vector<Part> make_parts(const PictureScene& scene, const Vec3& center) {
  std::vector<Part> parts;
  for (const PictureMesh& mesh : scene.meshes)
    if (mesh.mesh && !mesh.mesh->empty()) parts.push_back(mesh_part(mesh, center));
  for (const PictureCapsule& capsule : scene.capsules)
    if (capsule.radius > 0.0) parts.push_back(capsule_part(capsule, center));
  for (const PictureArrow& arrow : scene.arrows)
    if (arrow.vector_world.norm() > 1e-9) parts.push_back(arrow_part(arrow, center));
  return parts;
}

}  // namespace prehend::picture::detail
