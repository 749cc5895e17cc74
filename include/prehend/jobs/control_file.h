// Controllers as files: JSON, format "prehend controller", version 1, angles by the joints' names.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/result.h"
#include "prehend/io/value.h"
#include "prehend/methods/example_control/controller.h"

namespace prehend::jobs {

// "neutral", "open", "grip", "release", "open-2", "neutral-2".
const char* setpoint_name(example_control::Setpoint setpoint);

io::Value controllers_value(const std::vector<example_control::Controller>& controllers);
// Nine digits of each number, a joint a line.
Status write_controllers(const std::string& path,
                         const std::vector<example_control::Controller>& controllers);

// One or more, each valid. `file` stands in messages.
Result<std::vector<example_control::Controller>> parse_controllers(const io::Value& value,
                                                                   const std::string& file);
Result<std::vector<example_control::Controller>> load_controllers(const std::string& path);

}  // namespace prehend::jobs
