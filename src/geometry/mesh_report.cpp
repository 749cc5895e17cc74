#include "prehend/geometry/mesh_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "geometry/topology.h"
#include "prehend/geometry/repair.h"

namespace prehend::geometry {
namespace {

// Things that a hand holds. Outside of it, some unit other than the meter explains the size better.
constexpr double kSmallest = 0.002;
constexpr double kLargest = 3.0;

std::string plural(int count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string size_warning(const Vec3& extent) {
  const double largest = extent.maxCoeff();
  const char* way = largest == extent.y() ? "tall" : "across";
  struct Unit {
    const char* name;
    double meters;
  };
  const Unit units[] = {{"millimeters", 0.001}, {"centimeters", 0.01}, {"inches", 0.0254}};
  if (largest > kLargest) {
    for (const Unit& unit : units) {
      const double meters = largest * unit.meters;
      if (meters > 0.02 && meters < 1.0) {
        return fmt::format("{:.3g} m {}; did you mean {}?", largest, way, unit.name);
      }
    }
    return fmt::format("{:.3g} m {}: far larger than a hand can hold", largest, way);
  }
  if (largest < kSmallest) {
    return fmt::format("only {:.3g} mm {}; is its unit the meter?", 1000.0 * largest, way);
  }
  return "";
}

void add_warnings(MeshReport& report) {
  const auto warn = [&](std::string text) {
    if (!text.empty()) report.warnings.push_back(std::move(text));
  };
  warn(size_warning(report.upper - report.lower));
  if (report.boundary_edges > 0) {
    warn(fmt::format("open: {} ({})", plural(report.holes, "hole", "holes"),
                     plural(report.boundary_edges, "boundary edge", "boundary edges")));
  }
  if (report.non_manifold_edges > 0) {
    warn(fmt::format("{} shared by more than two faces",
                     plural(report.non_manifold_edges, "edge", "edges")));
  }
  if (report.flipped_faces == report.faces) {
    warn("inside out: every face looks inward");
  } else if (report.flipped_faces > 0) {
    warn(fmt::format("{} the wrong way round", plural(report.flipped_faces, "face", "faces")));
  }
  if (report.degenerate_faces > 0) {
    warn(fmt::format("{} without area", plural(report.degenerate_faces, "face", "faces")));
  }
  if (report.parts > 1) warn(fmt::format("{} separate parts", report.parts));
}

}  // namespace

MeshReport inspect(const TriangleMesh& mesh) {
  MeshReport report;
  report.vertices = static_cast<int>(mesh.vertices.size());
  report.faces = static_cast<int>(mesh.faces.size());
  if (const Status status = validate(mesh); !status) {
    report.warnings.push_back(status.message());
    return report;
  }
  const TriangleMesh welded = weld(mesh);
  const std::vector<EdgeUse> uses = sorted_edge_uses(welded);
  for_each_edge(uses, [&](const EdgeUse* first, const EdgeUse* last) {
    report.boundary_edges += last - first == 1;
    report.non_manifold_edges += last - first > 2;
  });
  report.holes = static_cast<int>(boundary_loops(welded).size());
  for (const auto& face : mesh.faces) report.degenerate_faces += is_degenerate(mesh, face);
  const std::vector<char> flips = faces_to_flip(welded);
  report.flipped_faces = static_cast<int>(std::count(flips.begin(), flips.end(), 1));
  if (report.flipped_faces == static_cast<int>(welded.faces.size())) {
    report.flipped_faces = report.faces;
  }
  for (const int part : face_parts(welded, uses)) report.parts = std::max(report.parts, part + 1);
  const Box3 box = bounding_box(mesh);
  report.lower = box.min();
  report.upper = box.max();
  add_warnings(report);
  return report;
}

}  // namespace prehend::geometry
