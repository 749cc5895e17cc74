#include "cli/load_csv.h"

#include <fmt/format.h>

#include "prehend/io/atomic_file.h"
#include "prehend/io/clip_csv.h"
#include "prehend/io/mesh_file.h"

namespace prehend::cli {

bool ObjectArgument::from_bvh() const { return io::file_ending(motion) == ".bvh"; }

Result<ObjectArgument> parse_object_argument(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return Error{fmt::format("--object: '{}' should be MOTION.bvh=OBJECT or NAME=OBJECT",
                             io::printable(text, 200))};
  return ObjectArgument{text.substr(0, equals), text.substr(equals + 1)};
}

Result<Loaded> load_csv(const std::string& path, const LoadOptions& options) {
  Loaded loaded;
  Clip like;
  for (const std::string& text : options.objects) {
    const auto argument = parse_object_argument(text);
    if (!argument) return argument.error();
    if (argument->from_bvh()) continue;
    auto object = io::load_object(argument->object);
    if (!object) return object.error();
    object->object.name = argument->motion;
    for (std::string& warning : object->warnings) loaded.notes.push_back(std::move(warning));
    like.objects.push_back({std::make_shared<const Object>(std::move(object->object)), {}});
  }
  auto clip = io::read_clip_csv(path, like);
  if (!clip) return clip.error();
  loaded.clip = std::move(*clip);
  return loaded;
}

}  // namespace prehend::cli
