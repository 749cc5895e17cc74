// An audit as reports, people and plots see it.
#pragma once

#include <string>

#include "prehend/audit/audit.h"
#include "prehend/io/value.h"
#include "prehend/picture/plot.h"

namespace prehend::jobs {

// The report's `audit` table.
io::Value audit_value(const audit::AuditReport& report);
// A line a measure, then why it failed.
std::string audit_text(const audit::AuditReport& report);
// A row a frame.
std::string audit_csv(const audit::AuditReport& report, double frame_rate);
// Penetration, unexplained wrench and grip over time.
picture::Image audit_picture(const audit::AuditReport& report, double frame_rate,
                             const std::string& title);

}  // namespace prehend::jobs
