// Grasp spaces as files: JSON, format "prehend-grasp-space", version 1. The models that the program
// brings are such files inside the binary.
#pragma once

#include <string>

#include "prehend/core/result.h"
#include "prehend/io/value.h"
#include "prehend/methods/grasp_space/grasp_space.h"

namespace prehend::jobs {

io::Value grasp_model_value(const grasp_space::GraspSpace& space);

// Checks everything: sizes, numbers, orthonormal components, positive definite covariances. `file`
// stands in messages.
Result<grasp_space::GraspSpace> parse_grasp_model(const io::Value& value, const std::string& file);

// A shipped model by its name ("general", "cylindrical", ...) or a file.
Result<grasp_space::GraspSpace> load_grasp_model(const std::string& name_or_file);

}  // namespace prehend::jobs
