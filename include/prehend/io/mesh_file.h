// Meshes and objects from files of any common format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "prehend/core/object.h"
#include "prehend/core/result.h"

namespace prehend::io {

struct MeshOptions {
  // Meters in one unit of the file: 1 for meters, 0.001 for millimeters. (glTF is in meters, others
  // do not say.)
  double meters_per_unit = 1.0;
};

// "m", "cm", "mm", "in", "ft" or a positive number of meters, as MeshOptions wants it.
Result<double> parse_unit(std::string_view text);

// Every mesh of the file in one, placed by the file's nodes, equal vertices welded. Never throws
// and never crashes on a damaged file.
Result<TriangleMesh> read_mesh(const std::string& path, const MeshOptions& options = {});
// The same of a file in memory; `name` is for messages, and its ending says the format.
Result<TriangleMesh> parse_mesh(std::string_view bytes, const std::string& name,
                                const MeshOptions& options = {});

// By the ending: .obj, .ply or .stl (both binary).
Status write_mesh(const TriangleMesh& mesh, const std::string& path);

struct ObjectOptions {
  double meters_per_unit = 1.0;
  double mass = 0.0;      // kg; 0 takes it from the density, or a built-in's own
  double density = 0.0;   // kg/m^3; 0 means that of water, as most things to hold weigh about that
  double friction = 0.0;  // 0 keeps the default
  bool center = false;    // move the mesh so that the frame's origin is the center of mass
};

struct LoadedObject {
  Object object;
  // What was found and mended, one sentence each: "mug.stl: 97 m across; did you mean millimeters?"
  std::vector<std::string> warnings;
};

// A built-in's name, with its sides in meters if wanted ("sphere:0.24", "box:0.07x0.2x0.07"), or a
// file: welded, turned outward, holes filled for its volume; what stays open gives a warning.
Result<LoadedObject> load_object(const std::string& name_or_file,
                                 const ObjectOptions& options = {});

}  // namespace prehend::io
