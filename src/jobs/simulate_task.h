// How hands move and what is asked of them, by the task of a scene.
#pragma once

#include "jobs/simulate_scene.h"
#include "prehend/io/scene.h"

namespace prehend::jobs {

// A scene and its [options.simulate], which has passed its schema.
struct SimulateOptions {
  io::Scene scene;
  io::Value table;

  std::string text(const char* key, const std::string& fallback) const {
    const io::Value* value = table.find(key);
    return value ? *value->string() : fallback;
  }
  double number(const char* key, double fallback) const {
    const io::Value* value = table.find(key);
    return value ? *value->number() : fallback;
  }
  bool flag(const char* key, bool fallback) const {
    const io::Value* value = table.find(key);
    return value ? *value->boolean() : fallback;
  }
};

// Fills in wrists, cues, times and where things stand; hands and objects are there.
Status set_task(const SimulateOptions& options, const Monitor& monitor, SimulateSetup& setup);

}  // namespace prehend::jobs
