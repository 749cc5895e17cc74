#include "prehend/io/hand_value.h"

#include <nlohmann/json.hpp>

#include "io/glb_extras.h"

namespace prehend::io {

Value hand_value(const Hand& hand) {
  return parse_json(hand_to_json(hand).dump(), hand.name).value();
}

Result<Hand> hand_from_value(const Value& value, const std::string& where) {
  return hand_from_json(nlohmann::json::parse(to_json(value)), where);
}

}  // namespace prehend::io
