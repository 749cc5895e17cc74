// A glTF document's buffers that lie in files of their own.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "prehend/core/result.h"

namespace tinygltf {
class TinyGLTF;
}

namespace prehend::io::gltf {

class OutsideBuffers {
 public:
  // Reads them from `folder` and renames them in `root`, so that no name from the file ever reaches
  // the file system by another way. An empty folder stands for a document that has none.
  static Result<OutsideBuffers> read(nlohmann::json& root, const std::string& source,
                                     const std::string& folder);
  // Gives the parser these buffers and no other file. They must outlive it.
  void serve(tinygltf::TinyGLTF& loader);

 private:
  friend struct BufferFiles;
  std::vector<std::string> bytes_;
};

}  // namespace prehend::io::gltf
