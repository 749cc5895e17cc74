// Judges a clip frame by frame: everything that one frame can be asked.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "audit/belief.h"
#include "audit/frame_finding.h"
#include "prehend/audit/audit.h"

namespace prehend::audit {

class Auditor {
 public:
  // Keeps references to both.
  Auditor(const Clip& clip, const AuditOptions& options);

  // All frames, or those done when the monitor stops it.
  void run(const Monitor& monitor);

  bool recorded() const { return recorded_; }  // recorded forces are judged
  const std::vector<FrameAudit>& frames() const { return frames_; }
  const std::vector<FrameFindings>& findings() const { return findings_; }
  // By frame, who touches or overlaps.
  const std::vector<std::vector<Contact>>& touching() const { return touching_; }
  int floating() const { return floating_; }
  int unseen() const { return unseen_; }

  // The worst of a measure in a frame, with its contact, place and joint.
  Finding finding(Measure measure, int frame) const;

 private:
  struct Believed {
    std::vector<Contact> contacts;
    int floating = 0, unseen = 0;  // forces that were not believed
  };

  void judge(int frame);
  void find_hand_contacts(const ClipMoment& moment, double reach,
                          std::vector<Contact>& found) const;
  void find_contacts(const ClipMoment& moment, std::vector<Contact>& found) const;
  void judge_hands(int frame, FrameFindings& found) const;
  void judge_objects(int frame, const std::vector<Contact>& contacts, FrameFindings& found);
  void judge_forces();
  void fill_frames();
  Believed believed_contacts(int frame, const ClipMoment& moment) const;

  const Clip& clip_;
  const AuditOptions& options_;
  std::vector<Probe> probes_;
  int half_ = 0;                             // window of the differentiation, frames
  std::vector<std::vector<Wrench>> needed_;  // object by frame
  std::vector<std::vector<Wrench>> given_;   // by the recorded forces
  std::vector<CoordinateLimits> limits_;
  std::vector<std::vector<Contact>> touching_;
  std::vector<FrameAudit> frames_;
  std::vector<FrameFindings> findings_;
  std::atomic<int> floating_ = 0, unseen_ = 0;  // recorded forces that were not believed
  std::optional<double> floor_height_;
  bool recorded_ = false;
};

}  // namespace prehend::audit
