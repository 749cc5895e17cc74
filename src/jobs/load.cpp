#include "prehend/jobs/load.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "jobs/load_csv.h"
#include "jobs/rig_source.h"
#include "jobs/scene_motion.h"
#include "prehend/core/limits.h"
#include "prehend/core/text.h"
#include "prehend/geometry/mirrored_object.h"
#include "prehend/geometry/repair.h"
#include "prehend/hands/marker_solver.h"
#include "prehend/io/bvh_clip.h"
#include "prehend/io/glb.h"
#include "prehend/io/marker_file.h"
#include "prehend/io/mesh_file.h"
#include "prehend/jobs/hand_labels.h"
#include "prehend/physics/mjcf_hand.h"

namespace prehend::jobs {
namespace {

Result<io::ObjectOptions> object_options(const LoadOptions& options) {
  io::ObjectOptions object;
  if (!options.object_units.empty()) {
    const auto unit = io::parse_unit(options.object_units);
    if (!unit) return Error{"--object-units: " + unit.message()};
    object.meters_per_unit = *unit;
  }
  return object;
}

double longest_side(const Object& object) {
  const geometry::Box3 box = geometry::bounding_box(*object.shape.mesh);
  return box.sizes().maxCoeff();
}

Result<Loaded> load_bvh(const std::string& path, const LoadOptions& options) {
  auto hints = rig_hints(options);
  if (!hints) return hints.error();
  auto read = io::read_bvh_clip(path, *hints);
  if (!read) return read.error();
  std::string reflected;
  if (read->import.left_handed && !hints->mirror && !options.no_mirror) {
    hints->mirror = true;
    read = io::read_bvh_clip(path, *hints);
    if (!read) return read.error();
    reflected =
        "note: the hand bends as the other side's, so the file is taken to be in left-handed "
        "coordinates and x is reflected (--no-mirror keeps it as it stands)\n";
  }
  hints->meters_per_unit = read->import.meters_per_unit;
  hints->up = read->import.up;
  return Loaded{
      std::move(read->clip), {path + "\n" + read->import.text() + reflected}, std::move(*hints)};
}

// An object where it stands, as a clip of one frame.
Result<Loaded> load_object_clip(const std::string& path, const LoadOptions& options) {
  const auto how = object_options(options);
  if (!how) return how.error();
  auto object = io::load_object(path, *how);
  if (!object) return object.error();
  Loaded loaded;
  loaded.notes = std::move(object->warnings);
  loaded.clip.name = object->object.name;
  const Transform pose_world =
      options.up == "z" ? Transform{exp_map(Vec3(-0.5 * kPi, 0, 0)), Vec3::Zero()} : Transform{};
  loaded.clip.objects.push_back(
      {std::make_shared<const Object>(std::move(object->object)), {pose_world}});
  return loaded;
}

// A GLB without our own data or a rig in it may still be a mesh.
Result<Loaded> load_gltf(const std::string& path, const LoadOptions& options) {
  const auto hints = rig_hints(options);
  if (!hints) return hints.error();
  auto clip = io::read_glb_clip(path, {.hints = *hints});
  if (clip) {
    Loaded loaded{std::move(clip->clip), {}, std::nullopt};
    if (!clip->own) loaded.notes.push_back(path + "\n" + clip->import.text());
    return loaded;
  }
  auto object = load_object_clip(path, options);
  if (!object) return clip.error();
  return object;
}

// Optical markers, solved to the joint angles of a hand whose size they tell.
Result<Loaded> load_markers(const std::string& path, const LoadOptions& options) {
  const auto recording = io::read_markers(path);
  if (!recording) return recording.error();
  hands::MarkerOptions how;
  if (options.side == "left") how.side = Side::kLeft;
  auto solved = hands::solve_markers(*recording, how);
  if (!solved) return Error{fmt::format("{}: {}", printable(path, 200), solved.message())};
  Loaded loaded;
  loaded.clip.name = std::filesystem::path(path).stem().string();
  loaded.clip.frame_rate = recording->frame_rate;
  loaded.clip.hands.push_back(std::move(solved->track));
  std::string note = fmt::format("{}: {}; {} hand", printable(path, 200), solved->summary.message,
                                 to_string(how.side));
  for (std::size_t i = 0; i < solved->not_on_hand.size(); ++i)
    note += (i == 0 ? "; not on the hand: " : ", ") + printable(solved->not_on_hand[i]);
  loaded.notes.push_back(std::move(note));
  return loaded;
}

Result<Loaded> load_hand_clip(const std::string& path) {
  Loaded loaded;
  const auto hand = load_hand(path, loaded.notes);
  if (!hand) return hand.error();
  loaded.clip.name = (*hand)->name;
  loaded.clip.hands.push_back({*hand, {rest_pose(**hand)}});
  return loaded;
}

// A scene's keyframes, with what stands around them.
Result<Loaded> load_scene_clip(const std::string& path, const LoadOptions& options) {
  const auto scene = io::read_scene(path);
  if (!scene) return scene.error();
  auto moved = scene_motion_clip(*scene, options.objects, scene_frame_rate(*scene));
  if (!moved) return moved.error();
  Loaded loaded;
  loaded.notes = std::move(moved->notes);
  loaded.clip = with_fixed(std::move(moved->clip), moved->fixed);
  return loaded;
}

int shortest_track(const Clip& clip) {
  std::size_t frames = SIZE_MAX;
  for (const HandTrack& track : clip.hands) frames = std::min(frames, track.poses.size());
  for (const ObjectTrack& track : clip.objects) frames = std::min(frames, track.poses_world.size());
  return frames == SIZE_MAX ? 0 : static_cast<int>(frames);
}

std::string resampled_note(const std::string& path, double from, double to) {
  return fmt::format("{}: {:.6g} frames a second, resampled at the first recording's {:.6g}",
                     printable(path, 200), from, to);
}

// An object in the unit that makes it a thing to hold: that of the motion, or meters.
Result<io::LoadedObject> load_moved_object(const ObjectArgument& argument,
                                           const LoadOptions& options, double motion_unit,
                                           Loaded& all) {
  constexpr double kSmallest = 0.01, kLargest = 0.6;  // m of the longest side: what hands hold
  auto how = object_options(options);
  if (!how) return how.error();
  auto object = io::load_object(argument.object, *how);
  if (!object || !options.object_units.empty() || file_ending(argument.object).empty())
    return object;
  const double side = longest_side(object->object) * motion_unit;
  if (motion_unit == 1.0 || side < kSmallest || side > kLargest) return object;
  all.notes.push_back(fmt::format("{}: read in the unit of its motion, {:g} m ({:.3f} m across)",
                                  argument.object, motion_unit, side));
  how->meters_per_unit = motion_unit;
  return io::load_object(argument.object, *how);
}

// An object that moves as the first root of a BVH file recorded with the hands does.
Status add_moved_object(const ObjectArgument& argument, const LoadOptions& options, Loaded& all) {
  const auto hints = all.rig ? Result<io::RigHints>(*all.rig) : rig_hints(options);
  if (!hints) return hints.error();
  const auto motion = io::read_bvh_object_motion(argument.motion, *hints);
  if (!motion) return motion.error();
  auto object = load_moved_object(argument, options, hints->meters_per_unit.value_or(1.0), all);
  if (!object) return object.error();
  if (hints->mirror) object->object = geometry::mirrored(std::move(object->object));
  for (std::string& warning : object->warnings) all.notes.push_back(std::move(warning));
  Clip part;
  part.frame_rate = motion->frame_rate;
  part.objects.push_back(
      {std::make_shared<const Object>(std::move(object->object)), motion->poses_world});
  if (shortest_track(all.clip) == 0) {
    all.clip.frame_rate = part.frame_rate;
  } else if (part.frame_rate != all.clip.frame_rate) {
    all.notes.push_back(resampled_note(argument.motion, part.frame_rate, all.clip.frame_rate));
    part = resample(part, all.clip.frame_rate);
  }
  all.clip.objects.push_back(std::move(part.objects[0]));
  return {};
}

// Cuts every track to the shortest; a single pose stands still through the whole clip instead.
void even_out(Loaded& all) {
  std::size_t longest = 0, shortest = SIZE_MAX;
  const auto see = [&](std::size_t frames) {
    longest = std::max(longest, frames);
    if (frames > 1) shortest = std::min(shortest, frames);
  };
  for (const HandTrack& track : all.clip.hands) see(track.poses.size());
  for (const ObjectTrack& track : all.clip.objects) see(track.poses_world.size());
  if (longest == 0) return;
  const std::size_t frames = longest == 1 ? 1 : shortest;
  if (frames < longest)
    all.notes.push_back(
        fmt::format("tracks of {} to {} frames: cut to {}", frames, longest, frames));
  const auto fit = [frames](auto& poses) {
    if (poses.size() == 1)
      poses.resize(frames, poses.front());
    else
      poses.resize(frames);
  };
  for (HandTrack& track : all.clip.hands) fit(track.poses);
  for (ObjectTrack& track : all.clip.objects) fit(track.poses_world);
  if (all.clip.has_contacts()) all.clip.contacts.resize(frames);
}

// Tracks of `part` beside those of `all`; indices in its contacts move with them.
void append(Clip part, Clip& all) {
  const int hands = static_cast<int>(all.hands.size());
  const int objects = static_cast<int>(all.objects.size());
  for (auto& track : part.hands) all.hands.push_back(std::move(track));
  for (auto& track : part.objects) all.objects.push_back(std::move(track));
  if (part.floor_height) all.floor_height = part.floor_height;
  if (!part.has_contacts()) return;
  all.contacts.resize(std::max(all.contacts.size(), part.contacts.size()));
  for (std::size_t f = 0; f < part.contacts.size(); ++f) {
    for (Contact contact : part.contacts[f]) {
      for (ContactSide* side : {&contact.by, &contact.on}) {
        if (side->is_hand()) side->index += hands;
        if (side->is_object()) side->index += objects;
      }
      all.contacts[f].push_back(contact);
    }
  }
  all.forces_recorded |= part.forces_recorded;
}

}  // namespace

Result<HandPtr> load_hand(const std::string& path, std::vector<std::string>& notes,
                          const LoadOptions& options) {
  const std::string ending = file_ending(path);
  if (ending == ".xml" || ending == ".mjcf") {
    const auto file = load_mjcf_hand(path);
    if (!file) return file.error();
    if (const Status good = check_sizes(*file->hand()); !good)
      return Error{fmt::format("{}: {}", printable(path, 200), good.message())};
    notes.insert(notes.end(), file->warnings().begin(), file->warnings().end());
    return file->hand();
  }
  const auto forms = {".glb", ".gltf", ".bvh", ".csv", ".tsv"};
  if (std::find(forms.begin(), forms.end(), ending) == forms.end())
    return Error{fmt::format("{}: a hand is read from .xml (MJCF), .glb, .bvh, .csv or .tsv",
                             printable(path, 200))};
  const auto loaded = load_clip(path, options);
  if (!loaded) return loaded.error();
  notes.insert(notes.end(), loaded->notes.begin(), loaded->notes.end());
  const auto& hands = loaded->clip.hands;
  if (hands.empty()) return Error{printable(path, 200) + ": holds no hand"};
  if (options.side.empty()) return hands[0].hand;
  for (const HandTrack& track : hands)
    if (options.side == to_string(track.hand->side)) return track.hand;
  return Error{fmt::format("{}: holds no {} hand", printable(path, 200), options.side)};
}

Result<Loaded> load_clip(const std::string& path, const LoadOptions& options) {
  const std::string ending = file_ending(path);
  if (ending == ".bvh") return load_bvh(path, options);
  if (ending == ".csv") return load_csv(path, options);
  if (ending == ".tsv") return load_markers(path, options);
  if (ending == ".glb" || ending == ".gltf") return load_gltf(path, options);
  if (ending == ".xml" || ending == ".mjcf") return load_hand_clip(path);
  if (ending == ".toml") return load_scene_clip(path, options);
  return load_object_clip(path, options);
}

Result<Loaded> load_clips(const std::vector<std::string>& paths, const LoadOptions& options) {
  Loaded all;
  for (const std::string& path : paths) {
    auto loaded = load_clip(path, options);
    if (!loaded) return loaded.error();
    for (std::string& note : loaded->notes) all.notes.push_back(std::move(note));
    for (std::string& name : loaded->without_shape) all.without_shape.push_back(std::move(name));
    if (loaded->rig && !all.rig) all.rig = loaded->rig;
    if (all.clip.name.empty()) all.clip.name = loaded->clip.name;
    const bool still = loaded->clip.frame_count() <= 1;
    if (shortest_track(all.clip) == 0 || (all.clip.frame_count() <= 1 && !still)) {
      all.clip.frame_rate = loaded->clip.frame_rate;
    } else if (!still && loaded->clip.frame_rate != all.clip.frame_rate) {
      all.notes.push_back(resampled_note(path, loaded->clip.frame_rate, all.clip.frame_rate));
      loaded->clip = resample(loaded->clip, all.clip.frame_rate);
    }
    append(std::move(loaded->clip), all.clip);
  }
  for (const std::string& text : options.objects) {
    const auto argument = parse_object_argument(text);
    if (!argument) return argument.error();
    if (!argument->from_bvh()) continue;
    const Status added = add_moved_object(*argument, options, all);
    if (!added) return added.error();
  }
  even_out(all);
  const Status good = validate(all.clip);
  if (!good) return Error{fmt::format("{}: {}", printable(paths.front(), 200), good.message())};
  return all;
}

io::Value clip_value(const Clip& clip) {
  io::Value value = io::Value::table();
  value["name"] = clip.name;
  value["frames"] = clip.frame_count();
  value["frame_rate"] = clip.frame_rate;
  value["duration_s"] = clip.duration();
  value["hands"] = io::Value::array();
  for (const HandTrack& track : clip.hands) {
    io::Value hand = io::Value::table();
    hand["name"] = track.hand->name;
    hand["side"] = to_string(track.hand->side);
    hand["profile"] = track.hand->profile;
    hand["dof"] = track.hand->dof();
    value["hands"].push_back(std::move(hand));
  }
  value["objects"] = io::Value::array();
  for (const ObjectTrack& track : clip.objects) {
    io::Value object = io::Value::table();
    object["name"] = track.object->name;
    object["mass_kg"] = track.object->mass;
    object["faces"] = static_cast<int>(track.object->shape.mesh->faces.size());
    value["objects"].push_back(std::move(object));
  }
  value["contacts_recorded"] = clip.has_contacts();
  value["forces_recorded"] = clip.forces_recorded;
  return value;
}

std::string clip_text(const Clip& clip) {
  std::string text = fmt::format("{} frames at {:.6g} Hz, {:.2f} s", clip.frame_count(),
                                 clip.frame_rate, clip.duration());
  for (const HandTrack& track : clip.hands)
    text += fmt::format(", {} hand ({})", to_string(track.hand->side), track.hand->profile);
  for (const ObjectTrack& track : clip.objects) text += ", " + track.object->name;
  if (clip.has_contacts()) text += clip.forces_recorded ? ", contact forces" : ", contacts";
  return text;
}

}  // namespace prehend::jobs
