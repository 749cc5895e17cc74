#include "prehend/io/report.h"

#include "prehend/core/atomic_file.h"

namespace prehend::io {

Value to_value(const Report& report) {
  Value out = Value::table();
  out["verb"] = report.verb;
  out["version"] = report.version;
  out["seed"] = report.seed;
  out["inputs"] = report.inputs;
  out["seconds"] = report.seconds;
  Value& summary = out["summary"];
  summary["termination"] = to_string(report.summary.termination);
  summary["message"] = report.summary.message;
  summary["iterations"] = report.summary.iterations;
  summary["residual"] = report.summary.residual;
  out["audit"] = report.audit;
  if (!report.physics.is_null()) out["physics"] = report.physics;
  for (const auto& [key, value] : report.details.members()) {
    PREHEND_ASSERT(!out.find(key));
    out[key] = value;
  }
  return out;
}

Status write_report(const std::string& path, const Report& report) {
  return write_file(path, to_json(to_value(report)));
}

}  // namespace prehend::io
