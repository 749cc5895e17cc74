#include "jobs/train_pictures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include "prehend/core/hand_builder.h"
#include "prehend/io/skin_asset.h"
#include "prehend/picture/clip_picture.h"
#include "prehend/picture/draw.h"
#include "prehend/picture/plot.h"

namespace prehend::jobs {
namespace {

using grasp_space::GraspSpace;

constexpr int kCells = 160;
constexpr double kBelowThreshold = 5.0;  // how far below tau the colors go on

// The best log density over the components that the plane leaves open: each Gaussian's own best is
// where its mean lies given the plane's point.
double best_in_plane(const optimize::Mixture& mixture, const Eigen::VectorXd& point) {
  const auto shown = point.size();
  const auto open = mixture.dimension() - shown;
  if (open <= 0) return mixture.log_density(point.head(mixture.dimension()));
  double best = -INFINITY;
  for (const optimize::Gaussian& part : mixture.parts()) {
    Eigen::VectorXd x(mixture.dimension());
    x.head(shown) = point;
    const Eigen::MatrixXd here = part.covariance.topLeftCorner(shown, shown);
    x.tail(open) = part.mean.tail(open) + part.covariance.bottomLeftCorner(open, shown) *
                                              here.llt().solve(point - part.mean.head(shown));
    best = std::max(best, mixture.log_density(x));
  }
  return best;
}

// Line where the grid crosses the level, cell by cell, as pieces parted by gaps.
picture::Series level_line(const picture::HeatMap& map, double level) {
  picture::Series line;
  const auto value = [&](int c, int r) { return map.values[std::size_t(r) * map.columns + c]; };
  const auto x = [&](double c) {
    return map.x.low + (map.x.high - map.x.low) * (c + 0.5) / map.columns;
  };
  const auto y = [&](double r) {
    return map.y.low + (map.y.high - map.y.low) * (r + 0.5) / map.rows;
  };
  constexpr int kCorner[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
  for (int r = 0; r + 1 < map.rows; ++r) {
    for (int c = 0; c + 1 < map.columns; ++c) {
      int found = 0;
      for (int e = 0; e < 4; ++e) {
        const double a = value(c + kCorner[e][0], r + kCorner[e][1]) - level;
        const double b = value(c + kCorner[e + 1][0], r + kCorner[e + 1][1]) - level;
        if ((a < 0.0) == (b < 0.0)) continue;
        const double t = a / (a - b);
        line.x.push_back(x(c + kCorner[e][0] + t * (kCorner[e + 1][0] - kCorner[e][0])));
        line.y.push_back(y(r + kCorner[e][1] + t * (kCorner[e + 1][1] - kCorner[e][1])));
        if (++found % 2 == 0) {
          line.x.push_back(0.0);
          line.y.push_back(std::numeric_limits<double>::quiet_NaN());
        }
      }
    }
  }
  return line;
}

picture::Series sample_points(const Eigen::MatrixXd& reduced) {
  constexpr Eigen::Index kMost = 1500;
  picture::Series series;
  series.name = "samples";
  series.line = false;
  series.points = true;
  series.width = 0.8;
  series.color_srgb = Vec3(0.85, 0.85, 0.85);
  const Eigen::Index every = std::max<Eigen::Index>(1, reduced.rows() / kMost);
  for (Eigen::Index r = 0; r < reduced.rows(); r += every) {
    series.x.push_back(reduced(r, 0));
    series.y.push_back(reduced.cols() > 1 ? reduced(r, 1) : 0.0);
  }
  return series;
}

// Fingers up, palm to the viewer.
HandPose shown_pose(const Hand& hand, const Eigen::VectorXd& vector) {
  const Transform stand{exp_map(Vec3(0.5 * kPi, 0.0, 0.0)), Vec3::Zero()};
  return grasp_space::pose_from_vector(hand, stand, vector);
}

}  // namespace

picture::Image density_picture(const grasp_space::TrainReport& report, int width, int height) {
  const GraspSpace& space = report.space;
  const auto range = [&](int axis) -> picture::Range {
    if (axis >= space.dimension()) return {-1.0, 1.0};
    const double margin = 0.15 * (space.upper[axis] - space.lower[axis]);
    return {space.lower[axis] - margin, space.upper[axis] + margin};
  };
  picture::Plot plot;
  plot.width = width;
  plot.height = height;
  plot.title = fmt::format("Natural hand shapes: {} ({} samples, {} Gaussians)", space.name,
                           space.samples, space.mixture.parts().size());
  plot.x_label = fmt::format("component 1 ({:.0f} % of the variance)", 100.0 * space.pca.kept(1));
  plot.y_label =
      fmt::format("component 2 ({:.0f} %)", 100.0 * (space.pca.kept(2) - space.pca.kept(1)));
  picture::HeatMap map{range(0), range(1), kCells, kCells, {}};
  const Eigen::Index shown = std::min(2, space.dimension());
  for (int r = 0; r < kCells; ++r) {
    for (int c = 0; c < kCells; ++c) {
      const Eigen::Vector2d point(map.x.low + (map.x.high - map.x.low) * (c + 0.5) / kCells,
                                  map.y.low + (map.y.high - map.y.low) * (r + 0.5) / kCells);
      map.values.push_back(std::max(best_in_plane(space.mixture, point.head(shown)),
                                    space.log_threshold - kBelowThreshold));
    }
  }
  picture::Series threshold = level_line(map, space.log_threshold);
  threshold.name = "threshold";
  threshold.color_srgb = Vec3(1.0, 0.35, 0.2);
  plot.heat_map = std::move(map);
  plot.series = {sample_points(report.reduced), std::move(threshold)};
  return picture::draw_plot(plot);
}

picture::Image hands_picture(const GraspSpace& space, const picture::PictureOptions& options) {
  constexpr int kReach = 2;
  const Hand hand = build_hand().value();
  const auto skin = picture::picture_skin(hand, io::generic_hand_skin);
  picture::Material gray = picture::skin_material();
  gray.color_srgb = {0.62, 0.62, 0.64};
  std::vector<picture::PictureScene> scenes;
  std::vector<std::string> labels;
  std::vector<Vec3> seen;
  const int rows = space.dimension() > 1 ? kReach : 0;
  for (int row = rows; row >= -rows; --row) {
    for (int column = -kReach; column <= kReach; ++column) {
      Eigen::VectorXd reduced = Eigen::VectorXd::Zero(space.dimension());
      reduced[0] = column * std::sqrt(space.pca.variances[0]);
      if (rows > 0) reduced[1] = row * std::sqrt(space.pca.variances[1]);
      const Eigen::VectorXd plane = reduced.head(rows > 0 ? 2 : 1);
      const bool natural = best_in_plane(space.mixture, plane) >= space.log_threshold;
      picture::PictureScene& scene = scenes.emplace_back();
      scene.floor = false;
      picture::add_hand_skin(*skin, hand, shown_pose(hand, space.pca.reproject(reduced)),
                             natural ? picture::skin_material() : gray, scene);
      const std::vector<Vec3> points = picture::framing_points(scene);
      seen.insert(seen.end(), points.begin(), points.end());
      labels.push_back(rows > 0 ? fmt::format("{:+d}, {:+d} sd", column, row)
                                : fmt::format("{:+d} sd", column));
    }
  }
  // All at one scale.
  picture::PictureOptions picture = options;
  if (!picture.camera.azimuth) picture.camera.azimuth = radians(215.0);
  picture.camera = picture::framed(picture.camera, seen, double(picture.width) / picture.height);
  std::vector<picture::Image> images;
  for (const picture::PictureScene& scene : scenes) {
    if (images.emplace_back(picture::render(scene, picture)).empty()) return {};
  }
  picture::SheetOptions sheet;
  sheet.columns = 2 * kReach + 1;
  sheet.title = "Hands along components 1 (right) and 2 (up); gray: not natural";
  return picture::compose_sheet(images, labels, sheet);
}

}  // namespace prehend::jobs
