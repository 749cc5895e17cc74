#include "prehend/physics/mjcf_skeleton.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "physics/mjcf_import.h"
#include "prehend/core/atomic_file.h"

namespace prehend::physics {
namespace {

// The text without every `name=""`.
std::string without_empty_attributes(std::string text) {
  constexpr std::string_view kEmptyValue = "=\"\"";
  const auto is_name = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t end = text.find(kEmptyValue); end != std::string::npos;
       end = text.find(kEmptyValue, end)) {
    std::size_t begin = end;
    while (begin > 0 && is_name(text[begin - 1])) --begin;
    text.erase(begin, end + kEmptyValue.size() - begin);
    end = begin;
  }
  return text;
}

Result<MjcfSkeleton> skeleton_of(const Result<ModelPtr>& model) {
  if (!model) return model.error();
  const mjModel* m = model->get();
  MjcfSkeleton skeleton;
  for (int body = 1; body < m->nbody; ++body) {
    skeleton.names.push_back(name_of(m, mjOBJ_BODY, body));
    skeleton.parents.push_back(m->body_parentid[body] - 1);
    skeleton.rest_parent.push_back(
        {to_quat(m->body_quat + 4 * body), to_vec3(m->body_pos + 3 * body)});
    auto& hinges = skeleton.hinges.emplace_back();
    for (int k = 0; k < m->body_jntnum[body]; ++k) {
      const int joint = m->body_jntadr[body] + k;
      if (m->jnt_type[joint] != mjJNT_HINGE) continue;
      hinges.push_back(
          {name_of(m, mjOBJ_JOINT, joint), to_vec3(m->jnt_axis + 3 * joint).normalized()});
    }
  }
  const Vec3 gravity = to_vec3(m->opt.gravity);
  if (gravity.norm() > 0.0) skeleton.up = -gravity.normalized();
  return skeleton;
}

}  // namespace

int MjcfSkeleton::find(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

// Other programs write attributes without a value, and read them: density="". The engine does not,
// and a skeleton does not need them.
Result<MjcfSkeleton> load_mjcf_skeleton(const std::string& path) {
  auto skeleton = skeleton_of(compile_file(path));
  if (skeleton) return skeleton;
  const auto text = read_file(path);
  if (!text) return skeleton;
  const std::string rest = without_empty_attributes(*text);
  if (rest == *text) return skeleton;
  auto mended = skeleton_of(compile_text(rest, path));
  return mended ? mended : skeleton;
}

Result<MjcfSkeleton> parse_mjcf_skeleton(const std::string& mjcf, const std::string& name) {
  return skeleton_of(compile_text(mjcf, name));
}

}  // namespace prehend::physics
