#include "jobs/detail_output.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "jobs/detail_pictures.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/io/fingers_back.h"
#include "prehend/jobs/save.h"

namespace prehend::jobs {
namespace {

const std::string kNumber = "{}";

}  // namespace

// Where there is no whole solution, the stretch that was solved.
int DetailOutput::solution_count() const {
  return figures_.passed > 0
             ? figures_.passed
             : static_cast<int>(std::min<std::size_t>(1, figures_.solutions.size()));
}

Status DetailOutput::write(const std::string& path) {
  const std::string ending = file_ending(path);
  if (ending == ".json")
    return context_.write_text(path, io::to_json_rows(solutions_value(figures_)) + "\n");
  if (path.ends_with(".tree.png"))
    return context_.write_image(path, tree_picture(figures_.found, figures_.capture.clip.frame_rate,
                                                   figures_.capture.title));
  const int count = solution_count();
  if (count == 0) return {};
  const std::size_t at = path.rfind(kNumber);
  if (ending == ".png" && at == std::string::npos)
    return context_.write_image(
        path,
        solutions_sheet(figures_, context_.picture(job_.picture, 360, 300), context_.monitor()));
  if (at == std::string::npos) return save(figures_.solutions[0], path);
  for (int i = 0; i < count && (i == 0 || !context_.stopped()); ++i) {
    std::string name = path;
    name.replace(at, kNumber.size(), std::to_string(i + 1));
    if (const Status saved = save(figures_.solutions[i], name); !saved) return saved;
  }
  return {};
}

Status DetailOutput::find_sources() {
  if (sources_) return {};
  sources_.emplace();
  if (!figures_.capture.recording || job_.as_clip) return {};
  auto found = rig_sources(job_.inputs, job_.load);
  if (!found) return found.error();
  *sources_ = std::move(*found);
  return {};
}

Status DetailOutput::save(const JudgedSolution& solution, const std::string& path) {
  const std::string ending = file_ending(path);
  if (ending == ".bvh" || ending == ".glb") {
    if (const Status s = find_sources(); !s) return s;
    const bool glb = ending == ".glb";
    if (std::any_of(sources_->begin(), sources_->end(),
                    [&](const RigSource& source) { return source.glb == glb; }))
      return put_back(solution, path, glb);
  }
  SaveOptions options;
  options.picture = context_.picture(job_.picture, 960, 720);
  return context_.write_clip(path, solution.solution.clip, options);
}

// One file for one source; of several, each takes its own name behind the one asked for.
Status DetailOutput::put_back(const JudgedSolution& solution, const std::string& path, bool glb) {
  const auto& sources = *sources_;
  const auto count = std::count_if(sources.begin(), sources.end(),
                                   [&](const RigSource& source) { return source.glb == glb; });
  const std::filesystem::path target(path);
  for (const RigSource& source : sources) {
    if (source.glb != glb) continue;
    std::string bytes = source.text;
    if (bytes.empty()) {
      auto read = read_file(source.path);
      if (!read) return read.error();
      bytes = std::move(*read);
    }
    const auto& hands = solution.solution.clip.hands;
    const io::FingersBack fingers{std::span(hands).subspan(source.first_hand, source.hand_count),
                                  figures_.capture.first_frame};
    const auto made = glb ? io::glb_with_fingers(bytes, source.path, source.hints, fingers)
                          : io::bvh_with_fingers(bytes, source.path, source.hints, fingers);
    if (!made) return made.error();
    std::string name = path;
    if (count > 1)
      name = (target.parent_path() / fmt::format("{}.{}{}", target.stem().string(),
                                                 std::filesystem::path(source.path).stem().string(),
                                                 target.extension().string()))
                 .string();
    if (const Status written = context_.write_text(name, made->bytes); !written) return written;
    for (const std::string& note : made->notes) context_.note(name + ": " + note);
  }
  return {};
}

}  // namespace prehend::jobs
