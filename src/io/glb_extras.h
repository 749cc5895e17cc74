// What a GLB's extras say of hands and objects: all that a clip needs and glTF has no place for.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "prehend/core/hand.h"
#include "prehend/core/object.h"
#include "prehend/core/result.h"

namespace prehend::io {

// Raised when the extras' form changes so that older readers would misread it. Files of all forms
// from 1 on are read.
//   1: a contact's `parties` are hand (-1: the surroundings), segment (or the other object) and the
//      object pushed; its `points_object` are in that object's frame.
//   2: `by` and `on` are its two sides, each a kind (0 surroundings, 1 hand, 2 object), an index
//      and a segment; its `points_on` are in the frame of `on`. `floor_height`, where there is one.
inline constexpr int kExtrasVersion = 2;

nlohmann::json hand_to_json(const Hand& hand);
nlohmann::json object_to_json(const Object& object);  // without the mesh

// Fail on missing or mistyped fields and on indices out of range; `where` begins the message.
Result<Hand> hand_from_json(const nlohmann::json& json, const std::string& where);
Result<Object> object_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace prehend::io
