#include "prehend/jobs/grasp_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/Cholesky>

#include "jobs/value_reader.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/methods/grasp_space/examples.h"

#define PREHEND_MODEL(name)                              \
  extern "C" const unsigned char prehend_model_##name[]; \
  extern "C" const std::uint64_t prehend_model_##name##_size;
PREHEND_MODEL(cylindrical)
PREHEND_MODEL(spherical)
PREHEND_MODEL(palmar)
PREHEND_MODEL(lateral)
PREHEND_MODEL(tip)
PREHEND_MODEL(hook)
PREHEND_MODEL(general)
#undef PREHEND_MODEL

namespace prehend::jobs {
namespace {

using grasp_space::GraspSpace;
using grasp_space::kPoseSize;

constexpr const char* kFormat = "prehend-grasp-space";
constexpr int kVersion = 1;
constexpr double kUnitTolerance = 1e-6;  // of orthonormal components and of weights' sum

io::Value numbers(const Eigen::VectorXd& v) { return std::vector<double>(v.begin(), v.end()); }

io::Value columns(const Eigen::MatrixXd& m) {
  io::Value out = io::Value::array();
  for (Eigen::Index c = 0; c < m.cols(); ++c) out.push_back(numbers(m.col(c)));
  return out;
}

io::Value joint_names() {
  std::vector<std::string> names;
  for (int joint : grasp_space::pose_joints()) names.emplace_back(xr_joint_names()[joint]);
  return names;
}

void read_pca(ValueReader& reader, int dimension, optimize::Pca& pca) {
  pca.mean = reader.vector("mean", kPoseSize);
  pca.components = reader.matrix("components", kPoseSize, dimension);
  pca.variances = reader.vector("variances", kPoseSize);
  const Eigen::MatrixXd unit = pca.components.transpose() * pca.components;
  if (!unit.isIdentity(kUnitTolerance))
    reader.fail("components", "should have length one and be at right angles to each other");
  if (pca.variances.minCoeff() < 0.0) reader.fail("variances", "should not be negative");
}

Result<optimize::Mixture> read_mixture(const io::Value& list, int dimension,
                                       const std::string& file) {
  std::vector<optimize::Gaussian> parts;
  double total = 0.0;
  for (const io::Value& item : list.items()) {
    ValueReader reader(item, file, fmt::format("gaussians[{}].", parts.size()));
    optimize::Gaussian part;
    part.weight = reader.number("weight");
    part.mean = reader.vector("mean", dimension);
    part.covariance = reader.matrix("covariance", dimension, dimension);
    if (!(part.weight > 0.0)) reader.fail("weight", "should be above zero");
    const bool symmetric = part.covariance.isApprox(part.covariance.transpose(), 1e-9);
    if (!symmetric || Eigen::LLT<Eigen::MatrixXd>(part.covariance).info() != Eigen::Success)
      reader.fail("covariance", "should be symmetric and positive definite");
    if (reader.error()) return *reader.error();
    total += part.weight;
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return Error{file + ": gaussians should list one or more"};
  if (std::abs(total - 1.0) > kUnitTolerance)
    return Error{fmt::format("{}: weights of the gaussians add up to {:g}, not 1", file, total)};
  return optimize::Mixture(std::move(parts));
}

std::optional<std::string_view> shipped(const std::string& name) {
  const auto bytes = [](const unsigned char* data, std::uint64_t size) {
    return std::string_view(reinterpret_cast<const char*>(data), size);
  };
#define PREHEND_MODEL(known) \
  if (name == #known) return bytes(prehend_model_##known, prehend_model_##known##_size);
  PREHEND_MODEL(cylindrical)
  PREHEND_MODEL(spherical)
  PREHEND_MODEL(palmar)
  PREHEND_MODEL(lateral)
  PREHEND_MODEL(tip)
  PREHEND_MODEL(hook)
  PREHEND_MODEL(general)
#undef PREHEND_MODEL
  return std::nullopt;
}

}  // namespace

io::Value grasp_model_value(const GraspSpace& space) {
  io::Value value = io::Value::table();
  value["format"] = kFormat;
  value["version"] = kVersion;
  value["name"] = space.name;
  value["hand"] = space.hand;
  value["samples"] = space.samples;
  value["dimensions"] = space.dimension();
  // Three numbers a joint: the exponential map of its turn from rest.
  value["joints"] = joint_names();
  value["mean"] = numbers(space.pca.mean);
  value["components"] = columns(space.pca.components);
  value["variances"] = numbers(space.pca.variances);
  value["gaussians"] = io::Value::array();
  for (const optimize::Gaussian& part : space.mixture.parts()) {
    io::Value gaussian = io::Value::table();
    gaussian["weight"] = part.weight;
    gaussian["mean"] = numbers(part.mean);
    gaussian["covariance"] = columns(part.covariance);
    value["gaussians"].push_back(std::move(gaussian));
  }
  value["log_threshold"] = space.log_threshold;
  value["lower"] = numbers(space.lower);
  value["upper"] = numbers(space.upper);
  value["open"] = numbers(space.open);
  return value;
}

Result<GraspSpace> parse_grasp_model(const io::Value& value, const std::string& file) {
  ValueReader reader(value, file, "");
  if (reader.text("format") != kFormat)
    return Error{fmt::format("{}: not a grasp model: format should be \"{}\"", file, kFormat)};
  if (reader.number("version") != kVersion)
    reader.fail("version", fmt::format("should be {}", kVersion));
  GraspSpace space;
  space.name = reader.text("name");
  space.hand = reader.text("hand");
  const double samples = reader.number("samples"), dimensions = reader.number("dimensions");
  if (!(samples >= 1.0 && samples <= 1e9)) reader.fail("samples", "should be 1 or more");
  if (!(dimensions >= 1.0 && dimensions <= kPoseSize && dimensions == std::floor(dimensions)))
    reader.fail("dimensions", fmt::format("should be a whole number from 1 to {}", kPoseSize));
  const io::Value* joints = value.find("joints");
  if (!joints || joints->strings() != joint_names().strings())
    reader.fail("joints", "should name the fifteen joints of the digits, thumb first");
  if (reader.error()) return *reader.error();
  space.samples = static_cast<int>(samples);
  const int d = static_cast<int>(dimensions);
  read_pca(reader, d, space.pca);
  space.log_threshold = reader.number("log_threshold");
  space.lower = reader.vector("lower", d);
  space.upper = reader.vector("upper", d);
  space.open = reader.vector("open", d);
  if ((space.lower.array() > space.upper.array()).any())
    reader.fail("lower", "should not lie above upper");
  const io::Value* gaussians = value.find("gaussians");
  if (!gaussians) reader.fail("gaussians", "should list one or more");
  if (reader.error()) return *reader.error();
  auto mixture = read_mixture(*gaussians, d, file);
  if (!mixture) return mixture.error();
  space.mixture = std::move(*mixture);
  return space;
}

Result<GraspSpace> load_grasp_model(const std::string& name_or_file) {
  std::string text;
  if (const auto inside = shipped(name_or_file)) {
    text = *inside;
  } else if (file_ending(name_or_file) != ".json" && !std::filesystem::exists(name_or_file)) {
    return Error{fmt::format("no grasp model '{}'; there are {}, or give a file made by train",
                             printable(name_or_file, 200),
                             fmt::join(grasp_space::model_names(), ", "))};
  } else {
    auto read = read_file(name_or_file);
    if (!read) return read.error();
    text = std::move(*read);
  }
  const std::string file = printable(name_or_file, 200);
  const auto value = io::parse_json(text, file);
  if (!value) return value.error();
  return parse_grasp_model(*value, file);
}

}  // namespace prehend::jobs
