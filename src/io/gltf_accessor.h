// Reading accessors with every bound checked first.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/result.h"

namespace tinygltf {
class Model;
}

namespace prehend::io::gltf {

// Numbers of one file's accessor. Fails on indices, sizes and strides that leave the buffer, and on
// numbers that are not finite.
Result<std::vector<double>> read_accessor(const tinygltf::Model& model, int accessor,
                                          int components, const std::string& source);

// The same of whole numbers; fails on others.
Result<std::vector<int>> read_integers(const tinygltf::Model& model, int accessor, int components,
                                       const std::string& source);

}  // namespace prehend::io::gltf
