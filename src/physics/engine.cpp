#include "physics/engine.h"

#include <cstring>
#include <filesystem>
#include <mutex>

#include "physics/distance_collision.h"

namespace prehend::physics {
namespace {

void throw_error(const char* message) { throw EngineError(message); }
void ignore_warning(const char*) {}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::mutex& compiler_mutex() {
  static std::mutex mutex;
  return mutex;
}

Result<ModelPtr> load(const char* path, const mjVFS* files, const std::string& name) {
  char message[1000] = "";
  try {
    ModelPtr model(mj_loadXML(path, files, message, sizeof(message)));
    if (model) return model;
  } catch (const std::exception& e) {
    std::strncpy(message, e.what(), sizeof(message) - 1);
  }
  const std::string reason = one_line(message);
  return Error{name + ": " + (reason.empty() ? "not a valid MJCF model" : reason)};
}

}  // namespace

void prepare_engine() {
  static std::once_flag once;
  std::call_once(once, [] {
    mju_user_error = throw_error;
    mju_user_warning = ignore_warning;
    install_distance_collision();
  });
}

Result<ModelPtr> compile_text(const std::string& mjcf, const std::string& name) {
  prepare_engine();
  if (mjcf.empty()) return Error{name + ": empty; an MJCF model is wanted"};
  const std::lock_guard lock(compiler_mutex());
  // Two megabytes of file names: too much for a stack.
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  const char* file = "model.xml";
#if mjVERSION_HEADER >= 310
  mj_addBufferVFS(files.get(), file, mjcf.data(), static_cast<int>(mjcf.size()));
#else
  mj_makeEmptyFileVFS(files.get(), file, static_cast<int>(mjcf.size()));
  const int index = mj_findFileVFS(files.get(), file);
  if (index >= 0) std::memcpy(files->filedata[index], mjcf.data(), mjcf.size());
#endif
  Result<ModelPtr> model = load(file, files.get(), name);
  mj_deleteVFS(files.get());
  return model;
}

Result<ModelPtr> compile_file(const std::string& path) {
  prepare_engine();
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) {
    return Error{path + ": no such file; an MJCF model (.xml) is wanted"};
  }
  const std::lock_guard lock(compiler_mutex());
  return load(path.c_str(), nullptr, path);
}

}  // namespace prehend::physics
