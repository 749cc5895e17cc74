#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include "jobs/detail_capture.h"
#include "jobs/pose_prior.h"
#include "prehend/core/text.h"
#include "prehend/jobs/grasp_model.h"

namespace prehend::jobs {
namespace {

using contact_sampling::SamplingOptions;
using contact_sampling::SearchKind;
using contact_sampling::Strategy;
using contact_sampling::StrategyPreference;
using Kind = io::ValueKind;

std::vector<io::SchemaKey> all_keys() {
  return {
      {"frame_rate", Kind::kNumber, "of the capture that keyframes stand for, frames a second",
       "60", false, 10.0, 1000.0},
      {"count", Kind::kInteger, "solutions", "10", false, 1, 10000},
      {"window", Kind::kNumber,
       "frames for which digits keep their strategies, on average (the "
       "paper's epsilon)",
       "20", false, 1.0, 1000.0},
      {"branching", Kind::kNumber, "siblings that are looked at, on average", "2", false, 1.0,
       100.0},
      {"strategies", Kind::kStrings,
       "preferred: \"static\", \"slide\" or \"relocate\", \"slide@1.2:3\" from 1.2 s to 3 s"},
      {"idle_weight", Kind::kNumber,
       "weight of the forces of digits that gave none before; above 1 free digits stay free", "1",
       false, 0.0, 1e3},
      {"max_normal", Kind::kNumber, "newtons that a contact may push with", "40", false, 0.1, 1e4},
      {"pads_only", Kind::kBoolean, "nothing but fingertips' pads touches", "false"},
      {"rigid_wrist", Kind::kBoolean, "the wrist does not give", "false"},
      {"wrist_give", Kind::kNumber, "meters that the wrist may give", "0.015", false, 0.0, 0.1},
      {"wrist_turn_deg", Kind::kNumber, "degrees that the wrist may give", "8", false, 0.0, 45.0},
      {"smoothing", Kind::kNumber, "seconds to either side over which capture is smoothed",
       "0.05; 0 for keyframes", false, 0.0, 1.0},
      {"max_joint_speed", Kind::kNumber, "rad/s", "12", false, 0.1, 1e3},
      {"frame_budget", Kind::kInteger, "frames tested at most", "60000", false, 1, 1e9},
      {"prior", Kind::kString, "a grasp space: a built-in model's name or a file", "\"general\""},
  };
}

Result<std::vector<StrategyPreference>> preferences(const std::vector<std::string>& texts) {
  std::vector<StrategyPreference> all;
  for (const std::string& text : texts) {
    StrategyPreference preference;
    const std::size_t at = text.find('@');
    const std::string word = text.substr(0, at);
    bool known = false;
    for (const Strategy strategy :
         {Strategy::kStatic, Strategy::kSliding, Strategy::kRolling, Strategy::kRelocating}) {
      if (word != to_string(strategy)) continue;
      preference.strategy = strategy;
      known = true;
    }
    const Error wrong{fmt::format(
        "--strategy: '{}' should be static, slide, roll or relocate, or such as slide@1.2:3",
        printable(text))};
    if (!known) return wrong;
    if (at != std::string::npos) {
      const char *from = text.data() + at + 1, *end = text.data() + text.size();
      const auto first = std::from_chars(from, end, preference.from);
      if (first.ec != std::errc() || first.ptr == end || *first.ptr != ':') return wrong;
      const auto last = std::from_chars(first.ptr + 1, end, preference.until);
      if (last.ec != std::errc() || last.ptr != end || !(preference.until > preference.from))
        return wrong;
    }
    all.push_back(preference);
  }
  return all;
}

void take_scene(const io::Value& table, SamplingOptions& options) {
  const auto number = [&](const char* key, double& target) {
    if (const io::Value* value = table.find(key)) target = *value->number();
  };
  const auto flag = [&](const char* key) {
    const io::Value* value = table.find(key);
    return value && *value->boolean();
  };
  if (const io::Value* count = table.find("count"))
    options.count = static_cast<int>(*count->integer());
  if (const io::Value* budget = table.find("frame_budget"))
    options.frame_budget = static_cast<int>(*budget->integer());
  number("window", options.window);
  number("branching", options.branching);
  number("idle_weight", options.idle_weight);
  number("max_normal", options.max_normal);
  number("smoothing", options.smoothing);
  number("max_joint_speed", options.max_joint_speed);
  options.whole_hand = !flag("pads_only");
  number("wrist_give", options.give->shift);
  double turn = degrees(options.give->turn);
  number("wrist_turn_deg", turn);
  options.give->turn = radians(turn);
  if (flag("rigid_wrist")) options.give.reset();
  options.wider_give.reset();
}

Status take_job(const DetailJob& job, SamplingOptions& options) {
  options.seed = job.settings.seed;
  options.threads = job.settings.threads;
  if (job.count) options.count = *job.count;
  if (!(options.count >= 1 && options.count <= 10000))
    return Error{fmt::format("--count: {} should be from 1 to 10000", options.count)};
  if (job.search) options.search = *job.search;
  if (job.window) options.window = *job.window;
  if (!(options.window >= 1.0))
    return Error{fmt::format("--window: {:g} should be at least 1 frame", options.window)};
  if (job.smoothing) options.smoothing = *job.smoothing;
  if (!(options.smoothing >= 0.0 && options.smoothing <= 1.0))
    return Error{fmt::format("--smoothing: {:g} should be from 0 to 1 s", options.smoothing)};
  if (job.seconds) options.time_budget = *job.seconds;
  if (job.wrist_give && !(*job.wrist_give > 0.0 && *job.wrist_give <= 0.1))
    return Error{
        fmt::format("--wrist-give: {:g} should be above 0 and up to 0.1 m", *job.wrist_give)};
  if (job.wrist_turn && !(*job.wrist_turn > 0.0 && *job.wrist_turn <= 45.0))
    return Error{
        fmt::format("--wrist-turn: {:g} should be above 0 and up to 45 degrees", *job.wrist_turn)};
  if (job.wrist_give || job.wrist_turn) {
    if (!options.give) options.give.emplace();
    options.give->shift = job.wrist_give.value_or(options.give->shift);
    if (job.wrist_turn) options.give->turn = radians(*job.wrist_turn);
    options.wider_give.reset();
  }
  if (job.rigid_wrist) options.give.reset();
  return {};
}

}  // namespace

const std::vector<io::SchemaKey>& detail_keys() {
  static const std::vector<io::SchemaKey> kKeys = all_keys();
  return kKeys;
}

Result<SamplingOptions> sampling_options(const DetailJob& job,
                                         const std::optional<io::Scene>& scene,
                                         const Capture& capture) {
  SamplingOptions options;
  std::vector<std::string> strategies = job.strategies;
  std::string prior = job.prior.empty() ? "general" : job.prior;
  if (scene) {
    const auto table = io::scene_options(*scene, "detail", detail_keys());
    if (!table) return table.error();
    options.smoothing = 0.0;  // keyframes have no noise
    take_scene(*table, options);
    if (const io::Value* given = table->find("strategies"); given && strategies.empty())
      strategies = *given->strings();
    if (const io::Value* given = table->find("prior"); given && job.prior.empty())
      prior = *given->string();
  }
  if (const Status s = take_job(job, options); !s) return s.error();
  auto preferred = preferences(strategies);
  if (!preferred) return preferred.error();
  options.preferences = std::move(*preferred);
  if (job.no_prior) return options;
  const auto space = load_grasp_model(prior);
  if (!space) return space.error();
  for (const HandTrack& track : capture.clip.hands)
    options.priors.push_back(pose_prior(*space, *track.hand));
  return options;
}

}  // namespace prehend::jobs
