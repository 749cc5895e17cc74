#include "prehend/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "prehend/core/atomic_file.h"
#include "prehend/core/math.h"
#include "prehend/core/text.h"
#include "prehend/io/value.h"

namespace prehend::io {
namespace {

constexpr std::size_t kColumnLimit = 100000;

struct Unit {
  std::string_view name;
  double to_si;
};
constexpr Unit kUnits[] = {{"m", 1.0},   {"cm", 0.01},         {"mm", 0.001}, {"dm", 0.1},
                           {"rad", 1.0}, {"deg", kPi / 180.0}, {"s", 1.0},    {"ms", 0.001},
                           {"us", 1e-6}, {"N", 1.0},           {"Nm", 1.0},   {"kg", 1.0},
                           {"g", 0.001}, {"Hz", 1.0}};

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits)
    if (unit.name == name) return &unit;
  return nullptr;
}

// "ARTx_m", "force (N)", "angle [deg]".
void split_unit(CsvColumn& column) {
  column.base = column.name;
  const std::string& name = column.name;
  std::size_t cut = name.rfind('_');
  std::string unit = cut == std::string::npos ? "" : name.substr(cut + 1);
  if (!name.empty() && (name.back() == ')' || name.back() == ']')) {
    cut = name.find_last_of("([");
    if (cut == std::string::npos) return;
    unit = name.substr(cut + 1, name.size() - cut - 2);
  }
  const Unit* known = find_unit(unit);
  if (!known || cut == 0 || cut == std::string::npos) return;
  column.unit = unit;
  column.to_si = known->to_si;
  column.base = name.substr(0, cut);
  while (!column.base.empty() && column.base.back() == ' ') column.base.pop_back();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool parse_number(std::string_view cell, double& value) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return code == std::errc() && end == cell.data() + cell.size() && !cell.empty();
}

bool is_missing(std::string_view cell) {
  if (cell.empty() || cell == "-") return true;
  std::string lower(cell.substr(0, 8));
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower == "nan" || lower == "na" || lower == "n/a" || lower == "null" || lower == "none" ||
         lower == "inf" || lower == "-inf" || lower == "-nan";
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text) {
    table_.name = printable(name, 300);
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }

  Result<CsvTable> read() {
    std::vector<std::string> cells;
    bool more = true;
    while (more) {
      const int line = line_;
      if (const Status s = next_row(cells, more); !s) return s.error();
      if (cells.empty()) continue;
      if (const Status s = table_.columns.empty() ? header(cells) : row(cells, line); !s)
        return s.error();
    }
    if (table_.columns.empty()) return Error{fmt::format("{}: no table in it", table_.name)};
    if (table_.row_count == 0)
      return Error{fmt::format("{}: names of columns, but no rows", table_.name)};
    return std::move(table_);
  }

 private:
  Error fail(int line, int column, const std::string& what) const {
    return {fmt::format("{}:{}: column {}: {}", table_.name, line, column, what)};
  }

  char pick_separator() const {
    const std::string_view line = text_.substr(pos_, text_.find_first_of("\r\n", pos_) - pos_);
    const auto count = [&](char c) { return std::count(line.begin(), line.end(), c); };
    if (count('\t') > count(',') && count('\t') >= count(';')) return '\t';
    return count(';') > count(',') ? ';' : ',';
  }

  void end_line() {
    if (pos_ < text_.size() && text_[pos_] == '\r') ++pos_;
    if (pos_ < text_.size() && text_[pos_] == '\n') ++pos_;
    ++line_;
  }

  // One line's cells; none for an empty line or a comment.
  Status next_row(std::vector<std::string>& cells, bool& more) {
    cells.clear();
    while (pos_ < text_.size() && (text_[pos_] == ' ')) ++pos_;
    if (pos_ < text_.size() && text_[pos_] == '#') {
      pos_ = std::min(text_.find_first_of("\r\n", pos_), text_.size());
    } else if (pos_ < text_.size() && text_[pos_] != '\r' && text_[pos_] != '\n') {
      if (separator_ == 0) separator_ = pick_separator();
      do {
        if (cells.size() >= kColumnLimit) return fail(line_, 1, "too many columns");
        cells.emplace_back();
        if (const Status s = cell(cells); !s) return s;
      } while (pos_ < text_.size() && text_[pos_] == separator_ && ++pos_);
    }
    end_line();
    more = pos_ < text_.size();
    return {};
  }

  Status cell(std::vector<std::string>& cells) {
    std::string& out = cells.back();
    while (pos_ < text_.size() && text_[pos_] == ' ') ++pos_;
    if (pos_ < text_.size() && text_[pos_] == '"') {
      const int line = line_;
      for (++pos_;; ++pos_) {
        if (pos_ >= text_.size())
          return fail(line, static_cast<int>(cells.size()), "a quote that never closes");
        if (text_[pos_] == '\n') ++line_;
        if (text_[pos_] != '"') {
          out += text_[pos_];
        } else if (pos_ + 1 < text_.size() && text_[pos_ + 1] == '"') {
          out += text_[pos_++];
        } else {
          break;
        }
      }
      ++pos_;
    }
    const std::size_t end =
        std::min(text_.find_first_of(std::string("\r\n") + separator_, pos_), text_.size());
    out += trimmed(text_.substr(pos_, end - pos_));
    pos_ = end;
    return {};
  }

  Status header(std::vector<std::string>& cells) {
    double number = 0.0;
    const bool names = std::any_of(cells.begin(), cells.end(), [&](const std::string& c) {
      return !parse_number(c, number) && !is_missing(c);
    });
    for (std::size_t i = 0; i < cells.size(); ++i) {
      CsvColumn column;
      column.name = names ? cells[i] : std::to_string(i);
      split_unit(column);
      table_.columns.push_back(std::move(column));
    }
    return names ? Status() : row(cells, line_ - 1);
  }

  Status row(std::vector<std::string>& cells, int line) {
    const std::size_t wanted = table_.columns.size();
    // Some programs end every line with a separator.
    if (cells.size() == wanted + 1 && cells.back().empty()) cells.pop_back();
    if (cells.size() != wanted) {
      return Error{fmt::format("{}:{}: {} cells where the first line has {}", table_.name, line,
                               cells.size(), wanted)};
    }
    for (std::size_t i = 0; i < wanted; ++i) {
      CsvColumn& column = table_.columns[i];
      double value = std::numeric_limits<double>::quiet_NaN();
      const bool number = parse_number(cells[i], value) && std::isfinite(value);
      if (!number) value = std::numeric_limits<double>::quiet_NaN();
      if (!number && is_missing(cells[i])) {
        ++table_.missing_cells;
      } else if (!number && column.texts.empty()) {
        // A column of words keeps its words; one bad cell in a column of numbers is a mistake.
        if (std::any_of(column.values.begin(), column.values.end(),
                        [](double v) { return std::isfinite(v); })) {
          return fail(line, static_cast<int>(i) + 1,
                      fmt::format("\"{}\" is not a number", printable(cells[i])));
        }
        column.texts.resize(column.values.size());
      }
      const bool words = !column.texts.empty() || (!number && !is_missing(cells[i]));
      if (words) column.texts.push_back(cells[i]);
      column.values.push_back(value);
    }
    ++table_.row_count;
    return {};
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  int line_ = 1;
  char separator_ = 0;
  CsvTable table_;
};

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

}  // namespace

int CsvTable::find(std::string_view column) const {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == column) return static_cast<int>(i);
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].base == column) return static_cast<int>(i);
  return -1;
}

Result<std::vector<double>> CsvTable::si(std::string_view column) const {
  const int index = find(column);
  if (index < 0) {
    std::vector<std::string> names;
    for (const CsvColumn& c : columns) names.push_back(c.base);
    const auto meant = nearest_word(column, names);
    return Error{
        fmt::format("{}: no column \"{}\"{}", name, printable(column),
                    meant ? fmt::format("; did you mean \"{}\"?", printable(*meant)) : "")};
  }
  std::vector<double> out = columns[index].values;
  for (double& value : out) value *= columns[index].to_si;
  return out;
}

Result<CsvTable> parse_csv(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

Result<CsvTable> read_csv(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_csv(*text, path);
}

CsvTimes csv_times(const CsvTable& table) {
  CsvTimes times;
  for (const char* wanted : {"time", "t", "timestamp", "time_s", "seconds"}) {
    for (std::size_t i = 0; i < table.columns.size() && times.column < 0; ++i)
      if (lower_case(table.columns[i].base) == wanted) times.column = static_cast<int>(i);
  }
  if (times.column < 0) {
    times.note = "no column of times: rows are frames";
    return times;
  }
  const CsvColumn& column = table.columns[times.column];
  const double first = column.values.front();
  std::vector<double> steps;
  for (int row = 0; row < table.row_count; ++row) {
    times.seconds.push_back((column.values[row] - first) * column.to_si);
    if (row == 0) continue;
    const double step = times.seconds[row] - times.seconds[row - 1];
    // Not a number is no step forward either.
    if (!(step > 0.0)) times.restarts.push_back(row);
    if (step > 0.0) steps.push_back(step);
  }
  if (steps.empty()) {
    times.uniform = false;
    times.note = "the column of times never advances";
    return times;
  }
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2),
                   steps.end());
  const double median = steps[steps.size() / 2];
  times.frame_rate = 1.0 / median;
  if (const double whole = std::round(times.frame_rate);
      std::abs(times.frame_rate - whole) < 1e-4 * whole)
    times.frame_rate = whole;
  for (const double step : steps)
    if (std::abs(step - median) > 0.01 * median) times.uniform = false;
  if (!times.restarts.empty()) {
    times.note = fmt::format("time does not advance at row {} ({} such rows)",
                             times.restarts.front() + 1, times.restarts.size());
  } else if (!times.uniform) {
    const auto [low, high] = std::minmax_element(steps.begin(), steps.end());
    times.note = fmt::format("uneven times: steps of {:.4g} to {:.4g} s", *low, *high);
  }
  return times;
}

}  // namespace prehend::io
