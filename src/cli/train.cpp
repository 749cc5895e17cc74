// prehend train: from motion of hands, or from the built-in examples, to a grasp space.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/grasp_model.h"
#include "cli/load_arguments.h"
#include "cli/picture_arguments.h"
#include "cli/train_pictures.h"
#include "cli/verbs.h"
#include "prehend/cli/load.h"
#include "prehend/cli/save.h"
#include "prehend/cli/session.h"
#include "prehend/core/atomic_file.h"
#include "prehend/core/text.h"
#include "prehend/io/csv.h"
#include "prehend/methods/grasp_space/examples.h"
#include "prehend/methods/grasp_space/train.h"
#include "prehend/picture/draw.h"

namespace prehend::cli {
namespace {

using grasp_space::kPoseSize;

// Two and three components of human grasps: Santello et al. 1998, as the paper cites them.
constexpr double kLiteratureTwo = 0.80, kLiteratureThree = 0.87;

struct Arguments {
  std::vector<std::string> inputs;
  std::string example, name, picture_kind = "both";
  int dimensions = 0;
  double variance = 0.0;
  int max_gaussians = 12;
  double outliers = 0.01, least_change = 0.02;
  LoadOptions load;
  PictureArguments picture;
};

void declare(Arguments& a, OptionSet& options) {
  options.inputs("INPUT", &a.inputs, 0, 100000,
                 "Motion of hands (.bvh .glb .csv), or tables of 45 numbers a pose (.csv)");
  options.choice("--example", &a.example, grasp_space::model_names(),
                 "The built-in motions of this kind instead of files");
  options.integer("--dimensions", &a.dimensions, "N", "Of the space [3]");
  options.number("--variance", &a.variance, "F", "Instead: the fewest that keep this fraction");
  options.integer("--max-gaussians", &a.max_gaussians, "N", "Most that are tried [12]");
  options.number("--outliers", &a.outliers, "F", "Of the samples, left out as unnatural [0.01]");
  options.number("--least-change", &a.least_change, "RAD",
                 "Frames nearer to the last are left out; 0 takes all [0.02]");
  options.text("--name", &a.name, "NAME", "Of the model [the example's, or the model file's]");
  options.choice("--picture", &a.picture_kind, {"density", "hands", "both"},
                 "What a .png shows [both]");
  a.picture.declare(options);
  declare_load(a.load, options);
}

struct Data {
  std::vector<Eigen::MatrixXd> samples;
  std::vector<Clip> clips;  // of --example
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

Status load_input(const std::string& path, const Arguments& a, std::vector<std::string>& notes,
                  Data& data) {
  if (file_ending(path) == ".csv" && a.load.hand.empty()) {
    auto table = pose_table(path);
    if (!table) return table.error();
    if (*table) {
      if (data.hand.empty()) data.hand = "table";
      data.samples.push_back(std::move(**table));
      return {};
    }
  }
  auto loaded = load_clip(path, a.load);
  if (!loaded) return loaded.error();
  for (std::string& note : loaded->notes) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(std::move(note));
  }
  auto samples = grasp_space::pose_samples({loaded->clip}, a.least_change);
  if (!samples) return Error{fmt::format("{}: {}", printable(path, 200), samples.message())};
  if (data.hand.empty()) data.hand = loaded->clip.hands[0].hand->name;
  data.samples.push_back(std::move(*samples));
  return {};
}

Result<Data> load_data(const Arguments& a, Session& session) {
  constexpr std::size_t kMostNotes = 3;
  Data data;
  if (!a.example.empty()) {
    grasp_space::ExampleOptions options;
    options.seed = session.common().seed;
    auto clips = grasp_space::example_motions(a.example, options);
    if (!clips) return clips.error();
    auto samples = grasp_space::pose_samples(*clips, a.least_change);
    if (!samples) return samples.error();
    data.hand = (*clips)[0].hands[0].hand->name;
    data.samples.push_back(std::move(*samples));
    data.clips = std::move(*clips);
    return data;
  }
  std::vector<std::string> notes;
  const Monitor monitor = session.monitor();
  for (std::size_t i = 0; i < a.inputs.size() && !session.stopped(); ++i) {
    const Status loaded = load_input(a.inputs[i], a, notes, data);
    if (!loaded) return loaded.error();
    if (a.inputs.size() > 1)
      monitor.report(double(i + 1) / double(a.inputs.size()), "reading " + a.inputs[i]);
  }
  for (std::size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i) session.note(notes[i]);
  if (notes.size() > kMostNotes)
    session.note(fmt::format("and {} notes more on the other inputs", notes.size() - kMostNotes));
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

std::string model_name(const Arguments& a, const Session& session) {
  if (!a.name.empty()) return a.name;
  if (!a.example.empty()) return a.example;
  for (const std::string& path : session.common().outputs) {
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
  constexpr double kApart = 0.35;
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

Status write_picture(const Arguments& a, const grasp_space::TrainReport& trained,
                     const std::string& path, Session& session) {
  const auto picture = a.picture.resolve(200, 200, session.common().threads);
  if (!picture) return picture.error();
  if (a.picture_kind == "density")
    return picture::write_png(density_picture(trained, 1000, 900), path);
  const picture::Image hands = hands_picture(trained.space, *picture);
  if (a.picture_kind == "hands") return picture::write_png(hands, path);
  picture::Image both(hands.width + hands.height, hands.height);
  picture::paste(density_picture(trained, hands.height, hands.height), 0, 0, both);
  picture::paste(hands, hands.height, 0, both);
  return picture::write_png(both, path);
}

Status write(const Arguments& a, const Data& data, const grasp_space::TrainReport& trained,
             const std::string& path, Session& session) {
  const std::string ending = file_ending(path);
  if (ending == ".json") return write_file(path, io::to_json(grasp_model_value(trained.space)));
  if (ending == ".png") return write_picture(a, trained, path, session);
  SaveOptions save;
  save.picture.threads = session.common().threads;
  const auto saved = save_clip(side_by_side(a.example, data.clips), path, save, session.monitor());
  if (!saved) return saved.error();
  return {};
}

Status check(const Arguments& a, const Session& session) {
  if (a.example.empty() == a.inputs.empty())
    return Error{"train: give motions of hands, or --example NAME (general has all of them)"};
  if (a.dimensions != 0 && a.variance != 0.0)
    return Error{"train: --dimensions and --variance exclude each other"};
  if (a.dimensions < 0 || a.dimensions > kPoseSize)
    return Error{fmt::format("--dimensions: {} should be from 1 to {}", a.dimensions, kPoseSize)};
  if (!(a.variance >= 0.0 && a.variance <= 1.0))
    return Error{fmt::format("--variance: {} should be a fraction, such as 0.9", a.variance)};
  if (a.max_gaussians < 1 || a.max_gaussians > 100)
    return Error{fmt::format("--max-gaussians: {} should be from 1 to 100", a.max_gaussians)};
  if (!(a.outliers >= 0.0 && a.outliers < 1.0))
    return Error{fmt::format("--outliers: {} should be a fraction, such as 0.01", a.outliers)};
  if (!(a.least_change >= 0.0 && a.least_change < 10.0))
    return Error{fmt::format("--least-change: {} should be such as 0.02", a.least_change)};
  for (const std::string& path : session.common().outputs) {
    const std::string ending = file_ending(path);
    if (ending != ".json" && ending != ".png" && a.example.empty())
      return Error{
          fmt::format("cannot write {}: only the motions of --example are written as clips",
                      printable(path, 200))};
  }
  return {};
}

Result<int> train(const Arguments& a, Session& session) {
  session.report.inputs = a.inputs;
  if (const Status good = check(a, session); !good) return good.error();
  auto data = load_data(a, session);
  if (!data) return data.error();
  if (session.stopped()) {
    session.report.summary = {Termination::kInterrupted, 0, 0.0, "stopped before training"};
    return kExitInterrupted;
  }
  grasp_space::TrainOptions options;
  options.name = model_name(a, session);
  if (a.dimensions > 0) options.dimension = a.dimensions;
  if (a.variance > 0.0) {
    options.dimension = 0;
    options.variance = a.variance;
  }
  options.outliers = a.outliers;
  options.mixture.max_components = a.max_gaussians;
  options.mixture.seed = session.common().seed;
  auto trained = grasp_space::train(stacked(data->samples), options, session.monitor());
  if (!trained) return Error{"train: " + trained.message()};
  trained->space.hand = data->hand;
  session.print(report_text(*trained));
  session.report.summary = trained->summary;
  session.report.details = report_value(*trained);
  for (const std::string& path : session.common().outputs) {
    const Status written = write(a, *data, *trained, path, session);
    if (!written) return written.error();
    session.print("wrote " + path);
  }
  session.report.details["outputs"] = session.common().outputs;
  return kExitDone;
}

}  // namespace

Verb train_verb() {
  const auto a = std::make_shared<Arguments>();
  Verb verb;
  verb.name = "train";
  verb.summary = "Learn which shapes of a hand are natural, from motion";
  verb.examples = {
      {"prehend train --example general -o general.json -o general.png",
       "the model that the program brings, and what it looks like"},
      {"prehend train rightHand.bvh -o mine.json", "from a recording"},
      {"prehend train *.csv --hand hand.xml --variance 0.9 -o mine.json",
       "from many, as joint angles of a hand; as many dimensions as keep 90 %"},
      {"prehend train poses.csv --dimensions 2 -o mine.json -o mine.png --picture density",
       "from a table of poses, 45 numbers each"},
      {"prehend train --example tip -o tip.glb", "the built-in motions, to look at"},
  };
  verb.endings = {".json", ".png", ".glb", ".html", ".bvh", ".csv", ".mp4"};
  verb.declare = [a](OptionSet& options) { declare(*a, options); };
  verb.run = [a](Session& session) { return train(*a, session); };
  return verb;
}

}  // namespace prehend::cli
