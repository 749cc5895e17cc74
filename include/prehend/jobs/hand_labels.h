// The sidecar of a user's own hand: FILE.toml beside FILE.xml says which bodies are which joints.
#pragma once

#include <string>

#include "prehend/core/result.h"
#include "prehend/physics/mjcf_hand.h"

namespace prehend::jobs {

// The MJCF hand with its sidecar, if there is one; without, names are guessed.
Result<physics::MjcfHand> load_mjcf_hand(const std::string& path);

// The text of a sidecar; `name` stands in messages.
Result<physics::HandLabels> parse_hand_labels(const std::string& text, const std::string& name);

}  // namespace prehend::jobs
