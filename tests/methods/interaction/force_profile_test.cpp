// Onsets of contact in people's force profiles, against a reader's rule that shares no code with
// find_onsets.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "prehend/methods/interaction/measure.h"
#include "tests/recordings.h"

namespace prehend::interaction {
namespace {

using Columns = std::vector<std::vector<double>>;

Columns read_columns(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line, cell;
  std::getline(in, line);
  Columns columns;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    for (std::size_t c = 0; std::getline(cells, cell, ','); ++c) {
      if (columns.size() <= c) columns.emplace_back();
      columns[c].push_back(std::stod(cell));
    }
  }
  return columns;
}

// The rule of a reader with a pencil: single spikes are ignored (each sample is the median of
// itself and its neighbors); the quiet force is the mean and spread of the first 24 ms. From where
// the force has risen by three tenths of its whole rise he goes back to the last sample that is
// within 2.5 standard deviations of the quiet force, and marks the middle between it and the next.
double marked_by_reader(const std::vector<double>& force) {
  const int count = static_cast<int>(force.size());
  std::vector<double> calm(force.size());
  for (int i = 0; i < count; ++i) {
    std::vector<double> three(force.begin() + std::max(0, i - 1),
                              force.begin() + std::min(count, i + 2));
    std::sort(three.begin(), three.end());
    calm[i] = three.size() == 3 ? three[1] : 0.5 * (three[0] + three[1]);
  }
  constexpr int kQuiet = 12;
  double mean = 0.0, squares = 0.0;
  for (int i = 0; i < kQuiet; ++i) mean += force[i] / kQuiet;
  for (int i = 0; i < kQuiet; ++i) squares += std::pow(force[i] - mean, 2) / (kQuiet - 1);
  const auto peak = std::max_element(force.begin(), force.end());
  int at = static_cast<int>(peak - force.begin());
  while (at > 0 && calm[at] > mean + 0.3 * (*peak - mean)) --at;
  while (at > 0 && calm[at] > mean + 2.5 * std::sqrt(squares)) --at;
  return at + 0.5;
}

TEST(ForceProfiles, OnsetsOfTwentyPinchesAreWhereAReaderMarksThem) {
  const auto path = recording("fda_pinch/pinchraw.csv");
  PREHEND_SKIP_WITHOUT(path);
  const Columns columns = read_columns(path);
  ASSERT_EQ(columns.size(), 21u);
  for (std::size_t c = 1; c < columns.size(); ++c) {
    const auto onsets = find_onsets(columns[c]);
    ASSERT_EQ(onsets.size(), 1u) << "pinch " << c;
    // Samples are 2 ms apart.
    EXPECT_LE(2.0 * std::abs(onsets[0].onset - marked_by_reader(columns[c])), 4.0) << "pinch " << c;
  }
}

TEST(ForceProfiles, TheReaderMarksAKneeThatIsKnown) {
  // A quiet force that wavers, then a ramp that begins at sample 40.
  std::vector<double> force;
  for (int i = 0; i < 150; ++i)
    force.push_back(2.0 + 0.05 * std::sin(i * i) + 0.25 * std::max(0, i - 40));
  EXPECT_NEAR(marked_by_reader(force), 40.5, 2.0);
  ASSERT_EQ(find_onsets(force).size(), 1u);
  EXPECT_NEAR(find_onsets(force)[0].onset, 40.5, 2.0);
}

}  // namespace
}  // namespace prehend::interaction
