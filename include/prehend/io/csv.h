// Tables of numbers: recordings of forces, joint angles and positions as CSV.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prehend/core/result.h"

namespace prehend::io {

struct CsvColumn {
  std::string name;  // as in the file
  // "ARTx_m" is "ARTx" in "m": the unit that the name ends with, or nothing. Known: m, cm, mm, dm,
  // rad, deg, s, ms, N, Nm, kg, g, Hz.
  std::string base;
  std::string unit;
  std::vector<double> values;      // one a row, as in the file; nan where a cell holds no number
  std::vector<std::string> texts;  // one a row where any cell is a word, else none

  // Meters, radians, seconds, newtons of one of the column's own numbers.
  double to_si = 1.0;
};

// What is odd about a table without being wrong, for the user to see.
struct CsvTable {
  std::string name;  // of the file, for messages
  std::vector<CsvColumn> columns;
  int row_count = 0;
  int missing_cells = 0;  // empty, "nan", "NA", "-" and the like: nan in values

  int find(std::string_view column) const;  // by name, then by base; -1 if there is none
  // One column in SI units. A missing column is an error that names the nearest one.
  Result<std::vector<double>> si(std::string_view column) const;
};

// The first line that is no comment names the columns; without letters in it, columns are "0", "1",
// ... Separated by commas, semicolons or tabs, whichever the first line has most of; quotes,
// comments after '#', any line ends.
Result<CsvTable> parse_csv(std::string_view text, const std::string& name);
Result<CsvTable> read_csv(const std::string& path);

// The column of times ("time", "t", "timestamp", "frame" last) and how even it is.
struct CsvTimes {
  int column = -1;              // -1: there is none, and rows are frames
  std::vector<double> seconds;  // from zero
  double frame_rate = 0.0;      // the median step's
  bool uniform = true;          // steps within 1 % of the median
  std::vector<int> restarts;    // rows whose time is not after the row before
  std::string note;             // said in a sentence when not uniform or restarting
};
CsvTimes csv_times(const CsvTable& table);

}  // namespace prehend::io
