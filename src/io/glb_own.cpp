#include "io/glb_own.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/glb_extras.h"

namespace prehend::io {
namespace {

using nlohmann::json;

constexpr int kMaxFrames = 10'000'000;

// tinygltf writes an empty list as null.
bool is_list(const json& j, const char* key) {
  return j.contains(key) && (j[key].is_array() || j[key].is_null());
}

class ClipReader {
 public:
  ClipReader(const gltf::Document& document, const json& description)
      : document_(document), description_(description) {}

  Result<Clip> read();

 private:
  Status read_header();
  Status add_hand(const json& description);
  Status add_object(const json& description);
  Status add_contacts(const json& description);
  // Sides of so many contacts.
  Status read_sides(const json& j, std::size_t count, std::vector<Contact>& contacts) const;

  Result<int> integer(const json& j, const char* key, int limit) const;
  // The values of one of the animation's tracks, one a frame.
  Result<const std::vector<double>*> track(int node, gltf::Path path) const;
  Result<std::vector<Quat>> rotations(int node) const;
  Result<std::vector<Vec3>> positions(int node) const;
  Result<std::vector<double>> contact_numbers(const json& j, const char* key, int components,
                                              std::size_t count) const;
  Result<std::vector<int>> contact_integers(const json& j, const char* key, int components,
                                            std::size_t count) const;
  Result<std::shared_ptr<const TriangleMesh>> source_mesh(const json& description, int node) const;

  const gltf::Document& document_;
  const json& description_;
  Clip clip_;
  int frames_ = 0;
  int version_ = kExtrasVersion;
};

Result<int> ClipReader::integer(const json& j, const char* key, int limit) const {
  if (!j.contains(key) || !j[key].is_number_integer())
    return Error{fmt::format("{}: its Prehend data lacks {}", document_.source, key)};
  const auto value = j[key].get<std::int64_t>();
  if (value < 0 || value >= limit)
    return Error{fmt::format("{}: {} is {}, out of range", document_.source, key, value)};
  return static_cast<int>(value);
}

Result<const std::vector<double>*> ClipReader::track(int node, gltf::Path path) const {
  for (const gltf::Channel& channel : document_.animations[0].channels) {
    if (channel.node != node || channel.path != path) continue;
    if (channel.interpolation != gltf::Interpolation::kLinear ||
        channel.times.size() != static_cast<std::size_t>(frames_))
      return Error{
          fmt::format("{}: the track of node {} has {} keys, not one for each of {} frames",
                      document_.source, node, channel.times.size(), frames_)};
    return &channel.values;
  }
  return Error{fmt::format("{}: node {} has no track", document_.source, node)};
}

Result<std::vector<Quat>> ClipReader::rotations(int node) const {
  const auto values = track(node, gltf::Path::kRotation);
  if (!values) return values.error();
  std::vector<Quat> rotations;
  rotations.reserve(frames_);
  for (int f = 0; f < frames_; ++f) {
    const double* v = (*values)->data() + 4 * f;
    const Quat q(v[3], v[0], v[1], v[2]);
    if (std::abs(q.norm() - 1.0) > 1e-3)
      return Error{
          fmt::format("{}: node {}, frame {}: no unit quaternion", document_.source, node, f)};
    rotations.push_back(q.normalized());
  }
  return rotations;
}

Result<std::vector<Vec3>> ClipReader::positions(int node) const {
  const auto values = track(node, gltf::Path::kTranslation);
  if (!values) return values.error();
  std::vector<Vec3> positions;
  positions.reserve(frames_);
  for (int f = 0; f < frames_; ++f) positions.emplace_back((*values)->data() + 3 * f);
  return positions;
}

Status ClipReader::read_header() {
  const auto version = integer(description_, "version", 1 << 30);
  if (!version) return version.error();
  version_ = *version;
  if (version_ < 1 || version_ > kExtrasVersion)
    return Error{
        fmt::format("{}: written by another version of Prehend (form {}, 1 to {} are known)",
                    document_.source, *version, kExtrasVersion)};
  const auto frames = integer(description_, "frames", kMaxFrames);
  if (!frames) return frames.error();
  frames_ = *frames;
  // Nothing is made room for that the file does not hold.
  const auto& channels = document_.animations[0].channels;
  if (channels.empty() || channels[0].times.size() != static_cast<std::size_t>(frames_))
    return Error{
        fmt::format("{}: says {} frames, which its tracks have not", document_.source, frames_)};
  const bool complete = description_.value("frame_rate", json()).is_number() &&
                        description_.value("name", json()).is_string() &&
                        description_.value("forces_recorded", json()).is_boolean() &&
                        is_list(description_, "hands") && is_list(description_, "objects");
  if (!complete) return Error{document_.source + ": its Prehend data lacks what a clip needs"};
  clip_.name = description_["name"];
  clip_.frame_rate = description_["frame_rate"];
  clip_.forces_recorded = description_["forces_recorded"];
  if (const json floor = description_.value("floor_height", json()); floor.is_number())
    clip_.floor_height = floor.get<double>();
  else if (!floor.is_null())
    return Error{document_.source + ": the floor's height is not a number"};
  return {};
}

Status ClipReader::add_hand(const json& description) {
  const std::string where =
      fmt::format("{}: hand {} of its Prehend data", document_.source, clip_.hands.size());
  auto hand = hand_from_json(description, where);
  if (!hand) return hand.error();
  const int segments = hand->segment_count();
  if (!is_list(description, "nodes") ||
      description["nodes"].size() != static_cast<std::size_t>(segments))
    return Error{where + " has not one node a segment"};

  HandTrack track;
  HandPose empty;
  empty.rotations.assign(segments, Quat::Identity());
  track.poses.assign(frames_, empty);
  for (int s = 0; s < segments; ++s) {
    const json& node = description["nodes"][s];
    if (!node.is_number_integer()) return Error{where + " names a node that is no number"};
    const auto turned = rotations(node.get<int>());
    if (!turned) return turned.error();
    for (int f = 0; f < frames_; ++f)
      (s == 0 ? track.poses[f].root_world.rotation : track.poses[f].rotations[s]) = (*turned)[f];
  }
  const auto moved = positions(description["nodes"][0].get<int>());
  if (!moved) return moved.error();
  for (int f = 0; f < frames_; ++f) track.poses[f].root_world.position = (*moved)[f];
  track.hand = std::make_shared<const Hand>(std::move(*hand));
  clip_.hands.push_back(std::move(track));
  return {};
}

// The mesh before it was cut open for shading.
Result<std::shared_ptr<const TriangleMesh>> ClipReader::source_mesh(const json& description,
                                                                    int node) const {
  if (document_.nodes[node].mesh < 0)
    return Error{fmt::format("{}: node {} has no mesh", document_.source, node)};
  auto shaded = document_.mesh(document_.nodes[node].mesh);
  if (!shaded) return shaded.error();
  const auto accessor = integer(description, "vertex_source", document_.accessor_count());
  if (!accessor) return accessor.error();
  const auto source = document_.integers(*accessor, 1);
  if (!source) return source.error();
  const auto& vertices = shaded->triangles.vertices;
  if (source->size() != vertices.size())
    return Error{fmt::format("{}: {} vertex sources for {} vertices", document_.source,
                             source->size(), vertices.size())};
  TriangleMesh mesh;
  mesh.vertices.resize(vertices.size());
  int count = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const int vertex = (*source)[i];
    if (vertex < 0 || static_cast<std::size_t>(vertex) >= vertices.size())
      return Error{document_.source + ": a vertex source is out of range"};
    mesh.vertices[vertex] = vertices[i];
    count = std::max(count, vertex + 1);
  }
  mesh.vertices.resize(count);
  mesh.faces = shaded->triangles.faces;
  for (auto& face : mesh.faces)
    for (int& corner : face) corner = (*source)[corner];
  return std::make_shared<const TriangleMesh>(std::move(mesh));
}

Status ClipReader::add_object(const json& description) {
  const std::string where =
      fmt::format("{}: object {} of its Prehend data", document_.source, clip_.objects.size());
  auto object = object_from_json(description, where);
  if (!object) return object.error();
  const auto node = integer(description, "node", static_cast<int>(document_.nodes.size()));
  if (!node) return node.error();
  auto mesh = source_mesh(description, *node);
  if (!mesh) return mesh.error();
  object->shape.mesh = std::move(*mesh);
  const auto turned = rotations(*node);
  if (!turned) return turned.error();
  const auto moved = positions(*node);
  if (!moved) return moved.error();
  ObjectTrack track;
  for (int f = 0; f < frames_; ++f) track.poses_world.push_back({(*turned)[f], (*moved)[f]});
  track.object = std::make_shared<const Object>(std::move(*object));
  clip_.objects.push_back(std::move(track));
  return {};
}

Result<std::vector<double>> ClipReader::contact_numbers(const json& j, const char* key,
                                                        int components, std::size_t count) const {
  const auto accessor = integer(j, key, document_.accessor_count());
  if (!accessor) return accessor.error();
  auto numbers = document_.numbers(*accessor, components);
  if (!numbers) return numbers.error();
  if (numbers->size() != count * components)
    return Error{fmt::format("{}: {} of the contacts has {} entries, not {}", document_.source, key,
                             numbers->size() / components, count)};
  return numbers;
}

Result<std::vector<int>> ClipReader::contact_integers(const json& j, const char* key,
                                                      int components, std::size_t count) const {
  if (const auto numbers = contact_numbers(j, key, components, count); !numbers)
    return numbers.error();
  return document_.integers(j[key].get<int>(), components);
}

Status ClipReader::read_sides(const json& j, std::size_t count,
                              std::vector<Contact>& contacts) const {
  if (version_ == 1) {
    const auto parties = contact_integers(j, "parties", 3, count);
    if (!parties) return parties.error();
    for (std::size_t i = 0; i < count; ++i) {
      const int hand = (*parties)[3 * i], segment = (*parties)[3 * i + 1];
      contacts[i].by = hand >= 0      ? ContactSide::hand(hand, segment)
                       : segment >= 0 ? ContactSide::object(segment)
                                      : ContactSide::surroundings();
      contacts[i].on = ContactSide::object((*parties)[3 * i + 2]);
    }
    return {};
  }
  const auto by = contact_integers(j, "by", 3, count);
  if (!by) return by.error();
  const auto on = contact_integers(j, "on", 3, count);
  if (!on) return on.error();
  const auto side = [](const int* numbers) -> ContactSide {
    return {static_cast<ContactSide::Kind>(numbers[0]), numbers[1], numbers[2]};
  };
  for (std::size_t i = 0; i < count; ++i) {
    contacts[i].by = side(by->data() + 3 * i);
    contacts[i].on = side(on->data() + 3 * i);
  }
  return {};
}

Status ClipReader::add_contacts(const json& j) {
  const auto offsets = contact_integers(j, "offsets", 1, frames_ + 1);
  if (!offsets) return offsets.error();
  if (offsets->front() != 0 || !std::is_sorted(offsets->begin(), offsets->end()))
    return Error{document_.source + ": the contacts' offsets do not increase from 0"};
  clip_.contacts.resize(frames_);
  const auto count = static_cast<std::size_t>(offsets->back());
  if (count == 0) return {};

  std::vector<Contact> contacts(count);
  if (const Status s = read_sides(j, count, contacts); !s) return s;
  const auto points = contact_numbers(j, version_ == 1 ? "points_object" : "points_on", 3, count);
  if (!points) return points.error();
  const auto normals = contact_numbers(j, "normals_world", 3, count);
  if (!normals) return normals.error();
  const auto forces = contact_numbers(j, "forces_world", 3, count);
  if (!forces) return forces.error();
  const auto torques = contact_numbers(j, "torques_normal", 1, count);
  if (!torques) return torques.error();
  const auto gaps = contact_numbers(j, "gaps", 1, count);
  if (!gaps) return gaps.error();
  for (int f = 0; f < frames_; ++f) {
    for (int i = (*offsets)[f]; i < (*offsets)[f + 1]; ++i) {
      Contact& contact = contacts[static_cast<std::size_t>(i)];
      contact.point_on = Vec3(points->data() + 3 * i);
      contact.normal_world = Vec3(normals->data() + 3 * i);
      contact.force_world = Vec3(forces->data() + 3 * i);
      contact.torque_normal = (*torques)[i];
      contact.gap = (*gaps)[i];
      clip_.contacts[f].push_back(contact);
    }
  }
  return {};
}

Result<Clip> ClipReader::read() {
  if (Status status = read_header(); !status) return status.error();
  for (const json& hand : description_["hands"])
    if (Status status = add_hand(hand); !status) return status.error();
  for (const json& object : description_["objects"])
    if (Status status = add_object(object); !status) return status.error();
  if (description_.contains("contacts"))
    if (Status status = add_contacts(description_["contacts"]); !status) return status.error();
  if (Status status = validate(clip_); !status)
    return Error{fmt::format("{}: {}", document_.source, status.message())};
  return std::move(clip_);
}

}  // namespace

bool is_own_glb(const gltf::Document& document) {
  // The extras name accessors by number, which other programs renumber.
  if (document.generator != "Prehend" || document.animations.size() != 1) return false;
  const json extras = json::parse(document.animations[0].extras, nullptr, false);
  return extras.is_object() && extras.contains("prehend") && extras["prehend"].is_object();
}

Result<Clip> own_clip(const gltf::Document& document) {
  PREHEND_ASSERT(is_own_glb(document));
  const json extras = json::parse(document.animations[0].extras, nullptr, false);
  return ClipReader(document, extras["prehend"]).read();
}

}  // namespace prehend::io
