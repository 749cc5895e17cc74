// A glTF document's buffers that lie in files of their own.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "prehend/core/result.h"

namespace prehend::io::gltf {

// Reads them from `folder` and puts their bytes into the document in the place of their names, so
// that no name in the file ever reaches the file system by another way. An empty folder stands for
// a document that has none.
Status embed_outside_buffers(nlohmann::json& root, const std::string& source,
                             const std::string& folder);

}  // namespace prehend::io::gltf
