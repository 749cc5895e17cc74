#include "prehend/audit/audit.h"

#include <algorithm>

#include <fmt/format.h>

#include "audit/auditor.h"
#include "prehend/audit/tissue.h"

namespace prehend::audit {

namespace {

// Means of each frame's deepest, over the frames in which a hand touches something.
void average_penetration(const Clip& clip, const std::vector<std::vector<Contact>>& touching,
                         AuditReport& report) {
  double depth_sum = 0.0, beyond_sum = 0.0;
  int touched = 0;
  for (size_t f = 0; f < touching.size(); ++f) {
    double deepest = 0.0, beyond = 0.0;
    bool any = false, overlap = false;
    for (const Contact& contact : touching[f]) {
      if (!contact.involves_hand()) continue;
      any = true;
      overlap |= contact.gap < 0.0;
      deepest = std::max(deepest, -contact.gap);
    }
    if (!any) continue;
    ++touched;
    if (!overlap) continue;
    const ClipMoment moment = moment_of(clip, static_cast<int>(f));
    for (const Contact& contact : touching[f]) {
      if (contact.involves_hand() && contact.gap < 0.0)
        beyond = std::max(beyond, -contact.gap - tissue_give(clip, moment, contact));
    }
    depth_sum += deepest;
    beyond_sum += beyond;
  }
  report.mean_penetration_m = touched ? depth_sum / touched : 0.0;
  report.mean_beyond_tissue_m = touched ? beyond_sum / touched : 0.0;
}

void summarize(AuditReport& report) {
  int explained = 0;
  const auto most = [](double& worst, double value) { worst = std::max(worst, value); };
  for (const FrameAudit& frame : report.frames) {
    most(report.max_penetration_m, frame.penetration);
    most(report.max_beyond_tissue_m, frame.beyond_tissue);
    most(report.dynamics_residual, frame.residual);
    most(report.friction_excess, frame.friction_excess);
    most(report.max_limit_violation_rad, frame.limit_violation);
    most(report.third_law_violation, frame.third_law_violation);
    most(report.max_self_penetration_m, frame.self_penetration);
    most(report.slip_m, frame.slip);
    explained += frame.explained;
  }
  report.explained_fraction =
      report.frames.empty() ? 1.0 : static_cast<double>(explained) / report.frames.size();
}

// What frames of a measure may show; none: it is measured and not judged.
std::optional<double> limit_of(const AuditOptions& options, Measure measure) {
  switch (measure) {
    case Measure::kPenetration:
      if (options.tissue == Tissue::kRigid) return options.max_penetration;
      break;
    case Measure::kBeyondTissue:
      if (options.tissue == Tissue::kSoft) return options.max_beyond_tissue;
      break;
    case Measure::kSelfPenetration:
      return options.max_self_penetration;
    case Measure::kLimits:
      return options.max_limit_violation;
    case Measure::kDynamics:
      return options.max_residual;
    case Measure::kFriction:
      return options.max_friction_excess;
    case Measure::kThirdLaw:
      return options.max_third_law_violation;
    case Measure::kSlip:
      break;
  }
  return std::nullopt;
}

// The worst frame of those from `first` to before `end`.
int worst_frame(const Auditor& auditor, Measure measure, int first, int end) {
  int worst = first;
  for (int f = first; f < end; ++f) {
    if (auditor.findings()[f][measure].value > auditor.findings()[worst][measure].value) worst = f;
  }
  return worst;
}

// What is smaller is rounding: a micrometer, a microradian, a millionth of the weight.
constexpr double kNothing = 1e-6;

void name_findings(const Auditor& auditor, const AuditOptions& options, AuditReport& report) {
  const int frames = static_cast<int>(report.frames.size());
  for (const Measure measure : kMeasures) {
    const auto value = [&](int f) { return auditor.findings()[f][measure].value; };
    const int worst = worst_frame(auditor, measure, 0, frames);
    if (!(value(worst) > kNothing)) continue;
    report.worst.push_back(auditor.finding(measure, worst));
    const auto limit = limit_of(options, measure);
    for (int f = 0; limit && f < frames; ++f) {
      if (!(value(f) > *limit)) continue;
      int end = f + 1;
      while (end < frames && value(end) > *limit) ++end;
      report.bad.push_back(
          {f, end - 1, auditor.finding(measure, worst_frame(auditor, measure, f, end))});
      f = end;
    }
  }
}

void decide(const AuditOptions& options, AuditReport& report) {
  const auto over = [&](double value, double limit, const char* sentence, double scale) {
    if (value > limit) {
      report.reasons.push_back(fmt::format(fmt::runtime(sentence), scale * value, scale * limit));
    }
  };
  if (options.tissue == Tissue::kRigid) {
    over(report.max_penetration_m, options.max_penetration,
         "surfaces overlap by {:.1f} mm (limit {:.1f} mm)", 1e3);
  } else {
    over(report.max_beyond_tissue_m, options.max_beyond_tissue,
         "surfaces overlap by {:.1f} mm beyond what tissue gives (limit {:.1f} mm)", 1e3);
  }
  over(report.friction_excess, options.max_friction_excess,
       "a contact pulls or drags beyond its friction cone by {:.2f} of the weight (limit {:.2f})",
       1.0);
  over(report.third_law_violation, options.max_third_law_violation,
       "two things push each other with forces that differ by {:.2f} of the weight (limit {:.2f})",
       1.0);
  over(report.max_limit_violation_rad, options.max_limit_violation,
       "a joint is {:.0f} degrees beyond its range (limit {:.0f})", degrees(1.0));
  over(report.max_self_penetration_m, options.max_self_penetration,
       "the hand passes {:.1f} mm through itself (limit {:.1f} mm)", 1e3);
  if (report.explained_fraction < options.min_explained) {
    report.reasons.push_back(fmt::format(
        "{} explain {:.0f} % of the frames (limit {:.0f} %)",
        report.forces_checked ? "the recorded forces" : "forces within the friction cones could",
        100.0 * report.explained_fraction, 100.0 * options.min_explained));
  }
  report.verdict = report.reasons.empty() ? Verdict::kPass : Verdict::kFail;
}

}  // namespace

const char* to_string(Verdict verdict) { return verdict == Verdict::kPass ? "pass" : "fail"; }
const char* to_string(Tissue tissue) { return tissue == Tissue::kRigid ? "rigid" : "soft"; }

Result<AuditReport> audit(const Clip& clip, const AuditOptions& options, const Monitor& monitor) {
  if (Status status = validate(clip); !status) return status.error();
  for (const ObjectTrack& track : clip.objects) {
    if (!track.object->fixed && !(track.object->mass > 0.0)) {
      return Error{fmt::format("object {} has no mass", track.object->name)};
    }
  }
  Auditor auditor(clip, options);
  AuditReport report;
  report.forces_checked = auditor.recorded();
  auditor.run(monitor);
  report.frames = auditor.frames();
  if (monitor.stop.stop_requested()) report.summary.termination = Termination::kInterrupted;
  report.tissue = options.tissue;
  summarize(report);
  average_penetration(clip, auditor.touching(), report);
  name_findings(auditor, options, report);
  if (auditor.floating() > 0) {
    report.notes.push_back(fmt::format(
        "{} recorded forces act where nothing touches and were left out", auditor.floating()));
  }
  if (auditor.unseen() > 0) {
    report.notes.push_back(fmt::format(
        "{} recorded forces come from surroundings that the clip does not show and were left out: "
        "a fixed object or a floor there would give them",
        auditor.unseen()));
  }
  if (clip.frame_count() < 5) {
    report.notes.push_back("fewer than five frames: the clip is judged as standing still");
  }
  decide(options, report);
  report.summary.iterations = clip.frame_count();
  report.summary.residual = report.dynamics_residual;
  report.summary.message = to_string(report.verdict);
  return report;
}

}  // namespace prehend::audit
