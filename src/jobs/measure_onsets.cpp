#include "jobs/measure_onsets.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "prehend/core/text.h"
#include "prehend/io/csv.h"

namespace prehend::jobs {
namespace {

// Columns in newtons, or called so: "Grip_Force", but not "Grip_Force_Error".
bool is_force(const io::CsvColumn& column) {
  std::string name = column.name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (name.find("error") != std::string::npos) return false;
  return column.unit == "N" || name.find("force") != std::string::npos;
}

// Rows of one run of the clock: some instruments start it again at each repetition.
struct Stretch {
  int first, last;
};
std::vector<Stretch> stretches_of(const io::CsvTimes& times, int rows) {
  std::vector<Stretch> made;
  int first = 0;
  for (const int row : times.restarts) {
    made.push_back({first, row - 1});
    first = row;
  }
  made.push_back({first, rows - 1});
  return made;
}

// Before a contact the sensor is quiet: its spread is that of its noise, which differences of
// neighbors show. A grip that is only tightened changes all the time.
bool quiet_before(const std::vector<double>& force, double onset) {
  constexpr double kQuiet = 3.0;  // times the noise
  const std::size_t count = static_cast<std::size_t>(onset) + 1;
  if (count < 3) return false;
  double mean = 0.0, squares = 0.0;
  std::vector<double> steps;
  for (std::size_t i = 0; i < count; ++i) mean += force[i] / count;
  for (std::size_t i = 0; i < count; ++i) {
    squares += (force[i] - mean) * (force[i] - mean) / count;
    if (i > 0) steps.push_back(std::abs(force[i] - force[i - 1]));
  }
  std::nth_element(steps.begin(), steps.begin() + steps.size() / 2, steps.end());
  // The median difference of two normal numbers is 0.954 standard deviations.
  return std::sqrt(squares) <= kQuiet * steps[steps.size() / 2] / 0.954;
}

// What stands in the way of a compliance, one sentence each.
std::vector<std::string> lacks(const io::CsvTimes& times,
                               const interaction::MeasureOptions& options, int touching,
                               int stretches) {
  std::vector<std::string> made = {"no motion: joint angles are needed for a compliance"};
  const double needed = interaction::least_rate(options);
  if (times.frame_rate < needed)
    made.push_back(fmt::format("{:.0f} Hz: the time before reflexes act needs {:.0f} Hz",
                               times.frame_rate, needed));
  if (touching > 0)
    made.push_back(
        fmt::format("{} of {} stretches have no quiet time before a contact", touching, stretches));
  if (stretches > 1) made.push_back(fmt::format("the clock starts again {} times", stretches - 1));
  return made;
}

}  // namespace

Result<Outcome> measure_onsets(const MeasureJob& job, JobContext& context) {
  context.report.inputs = {job.onsets};
  const auto table = io::read_csv(job.onsets);
  if (!table) return table.error();
  const io::CsvTimes times = io::csv_times(*table);
  if (times.column < 0 || !(times.frame_rate > 0.0))
    return Error{printable(job.onsets, 200) + ": has no column of times"};
  io::Value profiles = io::Value::array();
  int found = 0;
  for (const io::CsvColumn& column : table->columns) {
    if (!is_force(column)) continue;
    io::Value profile;
    profile["name"] = column.name;
    profile["rate_Hz"] = times.frame_rate;
    profile["onsets_s"] = io::Value::array();
    const auto stretches = stretches_of(times, table->row_count);
    int touching = 0;
    std::string line;
    for (const Stretch& stretch : stretches) {
      std::vector<double> force;
      for (int row = stretch.first; row <= stretch.last; ++row)
        force.push_back(column.to_si * column.values[row]);
      if (std::any_of(force.begin(), force.end(), [](double f) { return !std::isfinite(f); }))
        return Error{
            fmt::format("{}: column {} has gaps", printable(job.onsets, 200), column.name)};
      auto onsets = interaction::find_onsets(force, job.options);
      std::erase_if(onsets, [&](const interaction::ForceOnset& onset) {
        return !quiet_before(force, onset.onset);
      });
      touching += onsets.empty();
      for (const interaction::ForceOnset& onset : onsets) {
        const double time = times.seconds[stretch.first] + onset.onset / times.frame_rate;
        profile["onsets_s"].push_back(time);
        line += fmt::format(" {:.3f}", time);
        ++found;
      }
    }
    const auto missing = lacks(times, job.options, touching, static_cast<int>(stretches.size()));
    profile["lacks"] = missing;
    std::string text = fmt::format("{}: contact begins at{}", column.name,
                                   line.empty() ? " no time" : line + " s");
    for (const std::string& reason : missing) text += "\n  lacks: " + reason;
    context.print(text);
    profiles.push_back(std::move(profile));
  }
  if (profiles.items().empty())
    return Error{printable(job.onsets, 200) + ": has no column of forces, such as grip_N"};
  context.report.details["profiles"] = std::move(profiles);
  context.report.summary.message = fmt::format("{} onsets", found);
  return Outcome::kDone;
}

}  // namespace prehend::jobs
