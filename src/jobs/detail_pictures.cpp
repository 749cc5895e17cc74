#include "jobs/detail_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "prehend/io/skin_asset.h"
#include "prehend/picture/clip_picture.h"
#include "prehend/picture/draw.h"
#include "prehend/picture/plot.h"

namespace prehend::jobs {
namespace {

using contact_sampling::ExploredPoint;
using contact_sampling::kDeadEndCount;
using contact_sampling::SamplingReport;
using contact_sampling::TreeNode;

constexpr int kRows = 4, kMoments = 5;
// Colors that color-blind eyes tell apart: reach, collision, force.
const std::array<Vec3, kDeadEndCount> kCauseColors = {Vec3(0.90, 0.62, 0.0), Vec3(0.84, 0.37, 0.0),
                                                      Vec3(0.34, 0.71, 0.91)};
const Vec3 kSolutionColor = {0.0, 0.45, 0.34}, kOpenColor = {0.72, 0.72, 0.74};

// One of each cluster, then the rest.
std::vector<const JudgedSolution*> different(const DetailFigures& figures) {
  std::vector<const JudgedSolution*> chosen;
  std::set<int> clusters;
  const std::size_t count = figures.passed > 0 ? figures.passed : figures.solutions.size();
  for (const bool fresh : {true, false})
    for (std::size_t i = 0; i < count && chosen.size() < kRows; ++i)
      if (clusters.insert(figures.solutions[i].solution.cluster).second == fresh)
        if (std::find(chosen.begin(), chosen.end(), &figures.solutions[i]) == chosen.end())
          chosen.push_back(&figures.solutions[i]);
  return chosen;
}

// Moments spread over the time in which hands touch.
std::vector<double> moments(const std::vector<const JudgedSolution*>& rows, double frame_rate) {
  int first = 1 << 30, last = 0;
  for (const JudgedSolution* row : rows) {
    for (const int f : row->solution.first_contact)
      if (f >= 0) first = std::min(first, f);
    for (const int f : row->solution.last_contact) last = std::max(last, f);
  }
  if (first > last) first = 0, last = rows[0]->solution.clip.frame_count() - 1;
  std::vector<double> times;
  for (int i = 0; i < kMoments; ++i)
    times.push_back((first + (last - first) * (0.04 + 0.92 * i / (kMoments - 1))) / frame_rate);
  return times;
}

// A height for every node: leaves in order, inner nodes in the middle of their children.
std::vector<double> node_heights(const std::vector<TreeNode>& tree) {
  std::vector<std::vector<int>> children(tree.size());
  std::vector<int> roots;
  for (std::size_t i = 0; i < tree.size(); ++i)
    (tree[i].parent < 0 ? roots : children[tree[i].parent]).push_back(static_cast<int>(i));
  std::vector<double> height(tree.size(), 0.0);
  double next = 0.0;
  // Depth first without recursion; a node is settled when it comes up for the second time.
  std::vector<std::pair<int, bool>> open;
  for (auto root = roots.rbegin(); root != roots.rend(); ++root) open.push_back({*root, false});
  while (!open.empty()) {
    const auto [node, seen] = open.back();
    open.pop_back();
    const auto& below = children[node];
    if (below.empty()) {
      height[node] = next++;
    } else if (seen) {
      height[node] = 0.5 * (height[below.front()] + height[below.back()]);
    } else {
      open.push_back({node, true});
      for (auto child = below.rbegin(); child != below.rend(); ++child)
        open.push_back({*child, false});
    }
  }
  return height;
}

picture::Image stacked(const picture::Image& above, const picture::Image& below) {
  picture::Image both(std::max(above.width, below.width), above.height + below.height);
  picture::paste(above, 0, 0, both);
  picture::paste(below, 0, above.height, both);
  return both;
}

// The direction in which the points of both searches spread the most.
Vec3 main_direction(const std::vector<ExploredPoint>& a, const std::vector<ExploredPoint>& b) {
  Vec3 mean = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  const double count = std::max<double>(1.0, double(a.size() + b.size()));
  for (const auto* points : {&a, &b})
    for (const ExploredPoint& point : *points) {
      mean += point.point_wrist / count;
      second += point.point_wrist * point.point_wrist.transpose() / count;
    }
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(second - mean * mean.transpose());
  return axes.eigenvectors().col(2);
}

picture::Plot spread_plot(const SamplingReport& report, const char* what, const Vec3& direction,
                          double frame_rate) {
  picture::Plot plot;
  plot.title = fmt::format("{}: {} frames tested, spread {:.1f} mm", what, report.total_frames,
                           1e3 * report.spread_m);
  plot.x_label = "time [s]";
  plot.y_label = "index joint [mm]";
  plot.height = 380;
  picture::Series series;
  series.line = false;
  series.points = true;
  series.width = 1.0;
  series.color_srgb = kSolutionColor;
  for (const ExploredPoint& point : report.explored) {
    series.x.push_back(point.frame / frame_rate);
    series.y.push_back(1e3 * point.point_wrist.dot(direction));
  }
  plot.series.push_back(std::move(series));
  return plot;
}

}  // namespace

picture::Image solutions_sheet(const DetailFigures& figures, const picture::PictureOptions& picture,
                               const Monitor& monitor) {
  const auto rows = different(figures);
  if (rows.empty()) return {};
  const double rate = figures.capture.clip.frame_rate;
  const std::vector<double> times = moments(rows, rate);
  std::vector<picture::Image> images;
  std::vector<std::string> labels;
  for (const JudgedSolution* row : rows) {
    const picture::ClipPainter painter(row->solution.clip,
                                       {.skin = io::generic_hand_skin, .object_opacity = 0.5});
    picture::PictureOptions options = picture;
    const double aspect = double(options.width) / options.height;
    options.camera = painter.framed(options.camera, aspect, times.front(), times.back());
    for (const double time : times) {
      monitor.report(double(images.size()) / double(rows.size() * times.size()), "drawing");
      options.camera = painter.framed(picture.camera, aspect, time, time);
      images.push_back(picture::render(painter.scene(time), options));
      if (images.back().empty()) return {};  // it was stopped
      labels.push_back(time == times.front()
                           ? fmt::format("{:.2f} s  {}", time, row->solution.strategy.substr(0, 24))
                           : fmt::format("{:.2f} s", time));
    }
  }
  picture::SheetOptions sheet;
  sheet.columns = kMoments;
  sheet.label_size = 13.0;
  sheet.title = fmt::format("{}: {} of {} solutions", figures.capture.title, rows.size(),
                            std::max<std::size_t>(figures.passed, rows.size()));
  return picture::compose_sheet(images, labels, sheet);
}

picture::Image tree_picture(const SamplingReport& found, double frame_rate,
                            const std::string& title) {
  picture::Plot tree;
  tree.title = fmt::format("{}: {} nodes, {} dead ends", title, found.tree.size(),
                           found.dead_ends[0] + found.dead_ends[1] + found.dead_ends[2]);
  tree.x_label = "time [s]";
  tree.y_label = "paths";
  tree.height = 620;
  const std::vector<double> height = node_heights(found.tree);
  // What is open lies below, then dead ends, then solutions.
  struct Layer {
    std::string name;
    Vec3 color;
  };
  std::vector<Layer> layers = {{"tried", kOpenColor}};
  for (int cause = 0; cause < kDeadEndCount; ++cause)
    layers.push_back(
        {fmt::format("dead end: {}", to_string(static_cast<contact_sampling::DeadEnd>(cause))),
         kCauseColors[cause]});
  layers.push_back({"on a solution", kSolutionColor});
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    picture::Series series;
    series.name = layers[layer].name;
    series.color_srgb = layers[layer].color;
    series.width = layer + 1 == layers.size() ? 2.5 : 1.2;
    for (std::size_t i = 0; i < found.tree.size(); ++i) {
      const TreeNode& node = found.tree[i];
      const std::size_t own = node.on_solution ? layers.size() - 1
                              : node.dead      ? 1 + static_cast<std::size_t>(node.cause)
                                               : 0;
      if (own != layer) continue;
      if (node.parent >= 0) {
        series.x.push_back(node.frames.first / frame_rate);
        series.y.push_back(height[node.parent]);
      }
      series.x.push_back(node.frames.first / frame_rate);
      series.y.push_back(height[i]);
      series.x.push_back((node.frames.last + 1) / frame_rate);
      series.y.push_back(height[i]);
      series.x.push_back(node.frames.last / frame_rate);
      series.y.push_back(std::nan(""));
    }
    if (!series.x.empty()) tree.series.push_back(std::move(series));
  }
  picture::Plot ends;
  ends.x_label = "time [s]";
  ends.y_label = "dead ends";
  ends.height = 260;
  for (int cause = 0; cause < kDeadEndCount; ++cause) {
    picture::Series series;
    series.name = to_string(static_cast<contact_sampling::DeadEnd>(cause));
    series.color_srgb = kCauseColors[cause];
    for (std::size_t f = 0; f < found.dead_ends_by_frame[cause].size(); ++f) {
      series.x.push_back(double(f) / frame_rate);
      series.y.push_back(found.dead_ends_by_frame[cause][f]);
    }
    if (!series.x.empty()) ends.series.push_back(std::move(series));
  }
  const double end = double(found.dead_ends_by_frame[0].size()) / frame_rate;
  if (end > 0.0) tree.x_range = ends.x_range = picture::Range{0.0, end};
  return stacked(picture::draw_plot(tree), picture::draw_plot(ends));
}

picture::Image spread_picture(const SamplingReport& plain, const SamplingReport& improved,
                              double frame_rate) {
  const Vec3 direction = main_direction(plain.explored, improved.explored);
  auto above = spread_plot(plain, "plain search", direction, frame_rate);
  auto below = spread_plot(improved, "improved search", direction, frame_rate);
  // One scale for both.
  double low = 1e9, high = -1e9;
  for (const auto* plot : {&above, &below})
    for (const double y : plot->series[0].y) low = std::min(low, y), high = std::max(high, y);
  if (low < high) above.y_range = below.y_range = picture::Range{low - 2.0, high + 2.0};
  picture::SheetOptions sheet;
  sheet.columns = 1;
  return picture::compose_sheet({picture::draw_plot(above), picture::draw_plot(below)}, {}, sheet);
}

}  // namespace prehend::jobs
