// Is this clip physically true? Judges any clip, whoever made it, from its motion and, where
// recorded, its contact forces. Shares nothing with the methods but geometry's exact distance and
// the cone program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prehend/audit/finding.h"
#include "prehend/core/clip.h"
#include "prehend/core/summary.h"

namespace prehend::audit {

// Which depth of penetration is judged.
enum class Tissue {
  kRigid,  // all of it: of what a method made with a rigid hand
  kSoft,   // what is beyond tissue_give() of the segments: of recorded people
};

// "rigid" or "soft".
const char* to_string(Tissue tissue);

struct AuditOptions {
  // Surfaces nearer than this touch, where no contacts are recorded.
  double contact_distance = 0.002;
  // A recorded contact whose point lies farther than this from the hand or from the object is not
  // one.
  double floating_distance = 0.006;
  // Motion is differentiated by fitting a parabola to this many seconds (at least five frames).
  double window = 0.07;
  // Height of a level floor, m; not given: the clip's own, if it has one. Forces from the
  // surroundings are believed only at the floor or at another of the clip's objects.
  std::optional<double> floor_height;
  double skin_friction = kSkinFriction;  // Coulomb, of one hand's skin on another's
  // Forces that the clip records are checked; false asks instead whether any forces could do it.
  bool use_recorded_forces = true;

  // What a clip may show and still pass.
  Tissue tissue = Tissue::kRigid;
  double max_penetration = 0.005;  // m, of a rigid hand: flesh gives by a few millimeters
  // m, of a soft hand, whose flesh has given already: what capture leaves. docs/audit.md has the
  // sources.
  double max_beyond_tissue = 0.004;
  double max_residual = 0.1;              // of m g: what differentiation of good capture leaves
  double max_friction_excess = 0.05;      // of m g
  double max_third_law_violation = 0.05;  // of m g, of the lighter of the two
  double max_limit_violation = 0.09;      // rad, five degrees: people differ by more
  double max_self_penetration = 0.004;    // m
  double min_explained = 0.95;            // of the frames
};

struct FrameAudit {
  double penetration = 0.0;    // deepest, meters
  double beyond_tissue = 0.0;  // deepest beyond what the tissue gives, meters
  int contacts = 0;
  double residual = 0.0;  // unexplained wrench of the worst object, over m g
  double friction_excess = 0.0;
  double third_law_violation = 0.0;
  double grip_force = 0.0;  // sum of normal forces of hands on objects, recorded or least needed, N
  double limit_violation = 0.0;
  double self_penetration = 0.0;
  double slip = 0.0;  // farthest way of a touching segment since its contact began, m
  bool explained = true;
};

enum class Verdict { kPass, kFail };
// "pass" or "fail", as reports and pages write it.
const char* to_string(Verdict verdict);

struct AuditReport {
  double max_penetration_m = 0.0;
  // Of the deepest of each frame in which a hand touches something.
  double mean_penetration_m = 0.0;
  // The same two beyond what the tissue of the touching segments gives.
  double max_beyond_tissue_m = 0.0;
  double mean_beyond_tissue_m = 0.0;
  double dynamics_residual = 0.0;  // worst frame's unexplained wrench over m g
  double friction_excess = 0.0;    // worst tangential force beyond mu N, over m g
  // Worst sum of what two recorded bodies do to each other, which should cancel, over m g.
  double third_law_violation = 0.0;
  double max_limit_violation_rad = 0.0;
  double max_self_penetration_m = 0.0;
  // Farthest that a touching segment slid over an object, another hand or the floor in one stretch
  // of contact.
  double slip_m = 0.0;
  double explained_fraction = 1.0;
  Tissue tissue = Tissue::kRigid;  // which of the depths was judged
  bool forces_checked = false;     // recorded forces were judged, not forces that could have been
  Verdict verdict = Verdict::kFail;
  std::vector<std::string> reasons;
  std::vector<std::string> notes;
  std::vector<Finding> worst;   // one a measure, of those that are not zero
  std::vector<BadStretch> bad;  // by measure, then by time
  std::vector<FrameAudit> frames;
  Summary summary;
};

// Fails on a clip that validate() refuses. Stopped early, the report covers the frames done.
Result<AuditReport> audit(const Clip& clip, const AuditOptions& options = {},
                          const Monitor& monitor = {});

}  // namespace prehend::audit
