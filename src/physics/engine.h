// MuJoCo behind the room's doors: owning pointers, errors as exceptions, models from text.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <mujoco/mujoco.h>

#include "prehend/core/math.h"
#include "prehend/core/result.h"

namespace prehend::physics {

// What mju_error would end the program for.
struct EngineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ModelDeleter {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
};
struct DataDeleter {
  void operator()(mjData* d) const { mj_deleteData(d); }
};
using ModelPtr = std::unique_ptr<mjModel, ModelDeleter>;
using DataPtr = std::unique_ptr<mjData, DataDeleter>;

// Once per process, before any other use: errors throw, warnings are silent (each mjData counts
// them) instead of being appended to a file in the working directory.
void prepare_engine();

// Compiles MJCF. Files that it includes are sought beside `path`, if that is not empty. Messages
// name `name`, on one line. Calls from several threads wait for each other: the compiler has
// global state.
Result<ModelPtr> compile_text(const std::string& mjcf, const std::string& name);
Result<ModelPtr> compile_file(const std::string& path);

inline Vec3 to_vec3(const mjtNum* v) { return {v[0], v[1], v[2]}; }
inline Quat to_quat(const mjtNum* q) { return {q[0], q[1], q[2], q[3]}; }
inline void from_vec3(const Vec3& v, mjtNum* out) {
  for (int i = 0; i < 3; ++i) out[i] = v[i];
}
inline void from_quat(const Quat& q, mjtNum* out) {
  out[0] = q.w(), out[1] = q.x(), out[2] = q.y(), out[3] = q.z();
}

}  // namespace prehend::physics
