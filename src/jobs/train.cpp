#include "prehend/jobs/train.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jobs/job_context.h"
#include "jobs/train_pictures.h"
#include "prehend/core/text.h"
#include "prehend/io/csv.h"
#include "prehend/jobs/grasp_model.h"
#include "prehend/jobs/load.h"
#include "prehend/jobs/save.h"
#include "prehend/methods/grasp_space/examples.h"
#include "prehend/methods/grasp_space/train.h"
#include "prehend/picture/draw.h"

namespace prehend::jobs {
namespace {

using grasp_space::kPoseSize;

// Two and three components of human grasps: Santello et al. 1998, as the paper cites them.
constexpr double kLiteratureTwo = 0.80, kLiteratureThree = 0.87;

struct Data {
  std::vector<Eigen::MatrixXd> samples;
  std::vector<Clip> clips;  // of the example
  std::string hand;
};

// A table without names of a clip's columns, but with 45 of them besides the time.
Result<std::optional<Eigen::MatrixXd>> pose_table(const std::string& path) {
  using Found = std::optional<Eigen::MatrixXd>;
  auto table = io::read_csv(path);
  if (!table) return table.error();
  const int time = io::csv_times(*table).column;
  const int columns = static_cast<int>(table->columns.size()) - (time >= 0 ? 1 : 0);
  if (columns != kPoseSize) return Found();
  Eigen::MatrixXd samples(table->row_count, kPoseSize);
  int next = 0;
  for (int c = 0; c < static_cast<int>(table->columns.size()); ++c) {
    if (c == time) continue;
    const io::CsvColumn& column = table->columns[c];
    for (int r = 0; r < table->row_count; ++r) {
      samples(r, next) = column.values[r] * column.to_si;
      if (!std::isfinite(samples(r, next)))
        return Error{fmt::format("{}: row {}, column {} is not a number", printable(path, 200),
                                 r + 1, printable(column.name))};
    }
    ++next;
  }
  return Found(std::move(samples));
}

Status load_input(const std::string& path, const TrainJob& job, std::vector<std::string>& notes,
                  Data& data) {
  if (file_ending(path) == ".csv" && job.load.hand.empty()) {
    auto table = pose_table(path);
    if (!table) return table.error();
    if (*table) {
      if (data.hand.empty()) data.hand = "table";
      data.samples.push_back(std::move(**table));
      return {};
    }
  }
  auto loaded = load_clip(path, job.load);
  if (!loaded) return loaded.error();
  for (std::string& note : loaded->notes) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(std::move(note));
  }
  auto samples = grasp_space::pose_samples({loaded->clip}, job.least_change);
  if (!samples) return Error{fmt::format("{}: {}", printable(path, 200), samples.message())};
  if (data.hand.empty()) data.hand = loaded->clip.hands[0].hand->name;
  data.samples.push_back(std::move(*samples));
  return {};
}

Result<Data> load_data(const TrainJob& job, JobContext& context) {
  constexpr std::size_t kMostNotes = 3;
  Data data;
  if (!job.example.empty()) {
    grasp_space::ExampleOptions options;
    options.seed = context.settings().seed;
    const auto kind = grasp_space::kind_of_model(job.example);
    if (!kind) return kind.error();
    auto clips = grasp_space::example_motions(*kind, options, context.monitor());
    if (context.stopped()) return data;
    auto samples = grasp_space::pose_samples(clips, job.least_change);
    if (!samples) return samples.error();
    data.hand = clips[0].hands[0].hand->name;
    data.samples.push_back(std::move(*samples));
    data.clips = std::move(clips);
    return data;
  }
  std::vector<std::string> notes;
  const Monitor monitor = context.monitor();
  for (std::size_t i = 0; i < job.inputs.size() && !context.stopped(); ++i) {
    const Status loaded = load_input(job.inputs[i], job, notes, data);
    if (!loaded) return loaded.error();
    if (job.inputs.size() > 1)
      monitor.report(double(i + 1) / double(job.inputs.size()), "reading " + job.inputs[i]);
  }
  for (std::size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i) context.note(notes[i]);
  if (notes.size() > kMostNotes)
    context.note(fmt::format("and {} notes more on the other inputs", notes.size() - kMostNotes));
  return data;
}

Eigen::MatrixXd stacked(const std::vector<Eigen::MatrixXd>& parts) {
  Eigen::Index rows = 0, next = 0;
  for (const auto& part : parts) rows += part.rows();
  Eigen::MatrixXd all(rows, kPoseSize);
  for (const auto& part : parts) {
    all.middleRows(next, part.rows()) = part;
    next += part.rows();
  }
  return all;
}

std::string model_name(const TrainJob& job, const JobContext& context) {
  if (!job.name.empty()) return job.name;
  if (!job.example.empty()) return job.example;
  for (const std::string& path : context.settings().outputs) {
    if (file_ending(path) == ".json") return std::filesystem::path(path).stem().string();
  }
  return grasp_space::TrainOptions().name;
}

io::Value report_value(const grasp_space::TrainReport& trained) {
  const grasp_space::GraspSpace& space = trained.space;
  io::Value value = io::Value::table();
  value["name"] = space.name;
  value["hand"] = space.hand;
  value["dimensions"] = space.dimension();
  value["samples"] = space.samples;
  value["variance"] = io::Value::array();
  for (int k = 0; k < 10; ++k) {
    io::Value component = io::Value::table();
    component["component"] = k + 1;
    component["fraction"] = trained.variance_kept[k] - (k > 0 ? trained.variance_kept[k - 1] : 0.0);
    component["cumulative"] = trained.variance_kept[k];
    value["variance"].push_back(std::move(component));
  }
  value["bic"] = io::Value::array();
  for (std::size_t k = 0; k < trained.bic.size(); ++k) {
    io::Value entry = io::Value::table();
    entry["gaussians"] = static_cast<int>(k + 1);
    entry["bic"] = trained.bic[k];
    value["bic"].push_back(std::move(entry));
  }
  value["gaussians"] = static_cast<int>(space.mixture.parts().size());
  value["gaussians_at_cap"] = trained.at_cap;
  value["log_likelihood"] = trained.log_likelihood;
  value["log_threshold"] = space.log_threshold;
  io::Value& literature = value["literature"];
  literature["variance_kept_by_2"] = kLiteratureTwo;
  literature["variance_kept_by_3"] = kLiteratureThree;
  literature["source"] = "Santello et al. 1998, as cited by Ben Amor et al. 2008";
  return value;
}

std::string report_text(const grasp_space::TrainReport& trained) {
  std::string text = fmt::format("{}: {}\n", trained.space.name, trained.summary.message);
  text += "components    this      together   literature\n";
  for (int k = 0; k < 6; ++k) {
    const double kept = trained.variance_kept[k];
    const double own = kept - (k > 0 ? trained.variance_kept[k - 1] : 0.0);
    const std::string known = k == 1   ? fmt::format("{:.0f} %", 100 * kLiteratureTwo)
                              : k == 2 ? fmt::format("{:.0f} %", 100 * kLiteratureThree)
                                       : "";
    text +=
        fmt::format("{:>10}  {:>6.1f} %  {:>8.1f} %   {}\n", k + 1, 100 * own, 100 * kept, known);
  }
  return text + fmt::format("natural where log p > {:.3f}; BIC {:.0f} with {} Gaussians",
                            trained.space.log_threshold,
                            *std::min_element(trained.bic.begin(), trained.bic.end()),
                            trained.space.mixture.parts().size());
}

// All motions at once, side by side: sizes along x, repetitions and kinds along z. Shorter ones
// wait.
Clip side_by_side(const std::string& name, const std::vector<Clip>& clips) {
  constexpr double kApart = 0.35;  // m between two hands that reach by 0.16 m
  const auto row = static_cast<std::size_t>(std::ceil(std::sqrt(double(clips.size()))));
  Clip all;
  all.name = name;
  all.frame_rate = clips[0].frame_rate;
  std::size_t frames = 0;
  for (const Clip& clip : clips) frames = std::max(frames, clip.hands[0].poses.size());
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const Vec3 aside(kApart * double(i % row), 0.0, kApart * double(i / row));
    HandTrack hand = clips[i].hands[0];
    ObjectTrack object = clips[i].objects[0];
    hand.poses.resize(frames, hand.poses.back());
    object.poses_world.resize(frames, object.poses_world.back());
    for (HandPose& pose : hand.poses) pose.root_world.position += aside;
    for (Transform& pose : object.poses_world) pose.position += aside;
    all.hands.push_back(std::move(hand));
    all.objects.push_back(std::move(object));
  }
  return all;
}

Status write_picture(const TrainJob& job, const grasp_space::TrainReport& trained,
                     const std::string& path, JobContext& context) {
  if (job.picture_kind == TrainPicture::kDensity)
    return context.write_image(path, density_picture(trained, 1000, 900));
  const picture::Image hands = hands_picture(trained.space, context.picture(job.picture, 200, 200));
  if (job.picture_kind == TrainPicture::kHands || hands.empty())
    return context.write_image(path, hands);
  picture::Image both(hands.width + hands.height, hands.height);
  picture::paste(density_picture(trained, hands.height, hands.height), 0, 0, both);
  picture::paste(hands, hands.height, 0, both);
  return context.write_image(path, both);
}

Status write(const TrainJob& job, const Data& data, const grasp_space::TrainReport& trained,
             const std::string& path, JobContext& context) {
  const std::string ending = file_ending(path);
  if (ending == ".json")
    return context.write_text(path, io::to_json(grasp_model_value(trained.space)));
  if (ending == ".png") return write_picture(job, trained, path, context);
  SaveOptions save;
  save.picture.threads = context.settings().threads;
  return context.write_clip(path, side_by_side(job.example, data.clips), save);
}

Status check(const TrainJob& job, const JobContext& context) {
  if (job.example.empty() == job.inputs.empty())
    return Error{"train: give motions of hands, or --example NAME (general has all of them)"};
  if (job.dimensions && job.variance)
    return Error{"train: --dimensions and --variance exclude each other"};
  if (job.dimensions && !(*job.dimensions >= 1 && *job.dimensions <= kPoseSize))
    return Error{
        fmt::format("--dimensions: {} should be from 1 to {}", *job.dimensions, kPoseSize)};
  if (job.variance && !(*job.variance > 0.0 && *job.variance <= 1.0))
    return Error{fmt::format("--variance: {} should be a fraction, such as 0.9", *job.variance)};
  if (job.max_gaussians < 1 || job.max_gaussians > 100)
    return Error{fmt::format("--max-gaussians: {} should be from 1 to 100", job.max_gaussians)};
  if (!(job.outliers >= 0.0 && job.outliers < 1.0))
    return Error{fmt::format("--outliers: {} should be a fraction, such as 0.01", job.outliers)};
  if (!(job.least_change >= 0.0 && job.least_change < 10.0))
    return Error{fmt::format("--least-change: {} should be such as 0.02", job.least_change)};
  for (const std::string& path : context.settings().outputs) {
    const std::string ending = file_ending(path);
    if (ending != ".json" && ending != ".png" && job.example.empty())
      return Error{
          fmt::format("cannot write {}: only the motions of --example are written as clips",
                      printable(path, 200))};
  }
  return {};
}

Result<Outcome> train(const TrainJob& job, JobContext& context, TrainJobReport& result) {
  context.report.inputs = job.inputs;
  if (const Status good = check(job, context); !good) return good.error();
  auto data = load_data(job, context);
  if (!data) return data.error();
  if (context.stopped()) {
    context.interrupted("stopped before training");
    return Outcome::kInterrupted;
  }
  grasp_space::TrainOptions options;
  options.name = model_name(job, context);
  options.dimension = job.dimensions.value_or(options.dimension);
  if (job.variance) {
    options.dimension = 0;
    options.variance = *job.variance;
  }
  options.outliers = job.outliers;
  options.mixture.max_components = job.max_gaussians;
  options.mixture.seed = context.settings().seed;
  auto trained = grasp_space::train(stacked(data->samples), options, context.monitor());
  if (!trained) return Error{"train: " + trained.message()};
  context.report.summary = trained->summary;
  if (context.was_interrupted()) return Outcome::kInterrupted;
  trained->space.hand = data->hand;
  context.print(report_text(*trained));
  if (trained->at_cap)
    context.note(fmt::format(
        "{} Gaussians are the most that were tried: BIC may be lower with more (--max-gaussians)",
        trained->space.mixture.parts().size()));
  context.report.details = report_value(*trained);
  for (const std::string& path : context.settings().outputs) {
    const Status written = write(job, *data, *trained, path, context);
    if (!written) return written.error();
    if (context.was_interrupted()) break;
  }
  context.report_files();
  result.trained = std::move(*trained);
  return Outcome::kDone;
}

}  // namespace

Result<TrainJobReport> run(const TrainJob& job, const Monitor& monitor) {
  JobContext context("train", job.settings, monitor);
  TrainJobReport report;
  const auto outcome = train(job, context, report);
  if (!outcome) return outcome.error();
  static_cast<JobReport&>(report) = context.finish(*outcome);
  return report;
}
}  // namespace prehend::jobs
