// An audit as reports, people and plots see it.
#pragma once

#include <string>

#include "prehend/audit/audit.h"
#include "prehend/io/clip_marks.h"
#include "prehend/io/value.h"
#include "prehend/picture/plot.h"

namespace prehend::jobs {

// The report's `audit` table.
io::Value audit_value(const audit::AuditReport& report);
// A line a measure, then why it failed.
std::string audit_text(const audit::AuditReport& report);
// A row a frame, a column a measure, and the kinds that are bad in it.
std::string audit_csv(const audit::AuditReport& report, double frame_rate);
// What is bad, for pages and GLB.
io::ClipMarks audit_marks(const audit::AuditReport& report);
// Penetration, unexplained wrench, joints beyond their range and grip over time, with bad frames
// dotted.
picture::Image audit_picture(const audit::AuditReport& report, double frame_rate,
                             const std::string& title);

// The worst of each measure from near, with a mark where it is; empty if it was stopped.
picture::Image worst_picture(const audit::AuditReport& report, const Clip& clip,
                             const picture::PictureOptions& options);

}  // namespace prehend::jobs
