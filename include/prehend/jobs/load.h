// Anything that the command takes as motion, a hand or an object, as a clip: dispatches on the
// ending and, where endings are shared, on the content.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/result.h"
#include "prehend/io/report.h"
#include "prehend/io/rig_map.h"

namespace prehend::jobs {

struct LoadOptions {
  std::string map;    // TOML file that corrects how a rig's joints are understood
  std::string units;  // of BVH files: "cm", "0.01"; empty: guessed
  // Of mesh files; empty: meters, or the unit of the BVH that moves them if that makes a thing of
  // a size to hold.
  std::string object_units;
  std::string up;  // "y" or "z"; empty: guessed
  // "left" or "right": of a rig whose names do not tell, or which hand of a file that holds two.
  std::string side;
  bool mirror = false;     // BVH and its objects are in left-handed coordinates: reflect x
  bool no_mirror = false;  // even where a hand bends as the other side's
  std::string hand;        // MJCF file whose joints a CSV's columns name
  // "MOTION.bvh=OBJECT" moves an object by the first root of a BVH file; "NAME=OBJECT" gives its
  // shape to the object of that name in a CSV. An OBJECT is a mesh file or a built-in's name.
  std::vector<std::string> objects;
};

struct Loaded {
  Clip clip;
  std::vector<std::string> notes;  // what was assumed, one line or paragraph each
  // How a BVH was understood: objects recorded with it share its unit and axes.
  std::optional<io::RigHints> rig;
  // Objects that move in a CSV but have no shape: they and their contacts are not in the clip.
  std::vector<std::string> without_shape = {};
};

// A clip (.glb, .gltf, .bvh, .csv), a hand (.xml, .glb) at rest, an object (mesh file or built-in's
// name) at the origin: the last two as clips of one frame.
Result<Loaded> load_clip(const std::string& path, const LoadOptions& options = {});

// Several as one: tracks side by side at the first one's frame rate, cut to the shortest.
Result<Loaded> load_clips(const std::vector<std::string>& paths, const LoadOptions& options = {});

// The hand of an .xml (MJCF) file, or that of a recorded performer (.glb .bvh .csv .tsv): of two
// the one of the side that `options` asks for, else the first. What was approximated is added to
// `notes`.
Result<HandPtr> load_hand(const std::string& path, std::vector<std::string>& notes,
                          const LoadOptions& options = {});

// What is in a clip, as a report says it.
io::Value clip_value(const Clip& clip);
std::string clip_text(const Clip& clip);

}  // namespace prehend::jobs
