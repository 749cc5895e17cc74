#include "jobs/rig_source.h"

#include "jobs/load_body.h"
#include "prehend/core/text.h"
#include "prehend/io/glb.h"
#include "prehend/io/mesh_file.h"

namespace prehend::jobs {
namespace {

// A table of a whole body as BVH text; nothing if it is none.
std::string body_text(const std::string& path, const LoadOptions& options) {
  if (options.hand.empty()) return "";
  const auto table = io::read_csv(path);
  const auto skeleton = physics::load_mjcf_skeleton(options.hand);
  if (!table || !skeleton || !moves_body(*table, *skeleton)) return "";
  const auto bvh = body_motion(*table, *skeleton, table_frame_rate(*table));
  return bvh ? io::format_bvh(*bvh) : "";
}

}  // namespace

Result<io::RigHints> rig_hints(const LoadOptions& options) {
  if (options.mirror && options.no_mirror)
    return Error{"--mirror and --no-mirror exclude each other"};
  io::RigHints hints;
  if (!options.map.empty()) {
    auto read = io::read_rig_hints(options.map);
    if (!read) return read.error();
    hints = std::move(*read);
  }
  if (!options.units.empty()) {
    const auto unit = io::parse_unit(options.units);
    if (!unit) return Error{"--units: " + unit.message()};
    hints.meters_per_unit = *unit;
  }
  hints.mirror |= options.mirror;
  if (!options.up.empty()) hints.up = options.up == "z" ? io::UpAxis::kZ : io::UpAxis::kY;
  if (!options.side.empty()) hints.side = options.side == "left" ? Side::kLeft : Side::kRight;
  return hints;
}

Result<std::vector<RigSource>> rig_sources(const std::vector<std::string>& paths,
                                           const LoadOptions& options) {
  const auto hints = rig_hints(options);
  if (!hints) return hints.error();
  std::vector<RigSource> sources;
  int hands = 0;
  for (const std::string& path : paths) {
    auto loaded = load_clip(path, options);
    if (!loaded) return loaded.error();
    RigSource source{.path = path,
                     .hints = loaded->rig.value_or(*hints),
                     .first_hand = hands,
                     .hand_count = static_cast<int>(loaded->clip.hands.size())};
    hands += source.hand_count;
    const std::string ending = file_ending(path);
    if (ending == ".csv") source.text = body_text(path, options);
    if (ending == ".glb") {
      const auto read = io::read_glb_clip(path, {.hints = *hints});
      source.glb = read && !read->own;
    }
    const bool rig = ending == ".bvh" || source.glb || !source.text.empty();
    if (rig && source.hand_count > 0) sources.push_back(std::move(source));
  }
  return sources;
}

}  // namespace prehend::jobs
