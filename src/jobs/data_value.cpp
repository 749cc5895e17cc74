#include "jobs/data_value.h"

namespace prehend::jobs {

io::Value data_value(const io::Report& report) {
  io::Value value = io::Value::table();
  for (const auto& [key, member] : report.details.members())
    if (key != kWallClock) value[key] = member;
  value["physics"] = report.physics;
  return value;
}

}  // namespace prehend::jobs
