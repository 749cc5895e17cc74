// Draws what a step of a replay costs against the number of its contacts.
//   example_contact_cost [PICTURE.png]        default out/interaction-cost.png
// Hands with more or less bent fingers come down on a floor, press and stroke it, while up to four
// boxes stand there on four contacts each; steps are sorted by how many contacts they had.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>

#include "prehend/core/hand_builder.h"
#include "prehend/geometry/primitive.h"
#include "prehend/hands/digits.h"
#include "prehend/hands/posture.h"
#include "prehend/methods/interaction/replay.h"
#include "prehend/picture/plot.h"

using namespace prehend;
using namespace prehend::interaction;

namespace {

constexpr int kMostContacts = 20, kMostBoxes = 4;
constexpr std::size_t kFewest = 20;  // steps of one number of contacts

// Every finger bent by so many radians a joint: down in 0.4 s, 40 mm below touching, then 30 mm on.
InteractionTrajectory stroke(const HandPtr& hand, double bend) {
  InteractionTrajectory made;
  made.hand = hand;
  made.compliance = made.low = made.high = typical_compliance(*hand, Task::kExploring);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(hand->dof());
  for (const Digit digit : kDigits)
    for (const int s : hands::segments_of(*hand, digit))
      if (hand->segments[s].phalanx > 0) hands::set_angles(*hand, s, bend, 0.0, q);
  double lowest = 0.0;
  const auto frames = segment_frames(*hand, pose_from_coordinates(*hand, {}, q));
  for (int s = 0; s < hand->segment_count(); ++s)
    for (const Capsule& shape : hand->segments[s].capsules) {
      const Capsule placed = frames[s] * shape;
      lowest = std::min({lowest, placed.a.y() - placed.radius, placed.b.y() - placed.radius});
    }
  for (int f = 0; f <= 400; ++f) {
    const double t = f / made.frame_rate;
    made.coordinates.push_back(q);
    made.roots_world.push_back(
        Transform::from_position({0.03 * minimum_jerk(t, 0.4, 0.8),
                                  0.004 - lowest - 0.044 * minimum_jerk(t, 0.0, 0.4), 0.0}));
  }
  return made;
}

double microseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path path = argc > 1 ? argv[1] : "out/interaction-cost.png";
  const HandPtr hand = std::make_shared<const Hand>(build_hand().value());
  std::map<int, std::vector<double>> costs;
  const auto box = geometry::prepare(std::make_shared<const Object>(
      geometry::object_from_primitive("box", ShapeKind::kBox, {0.02, 0.02, 0.02}, 0.1).value()));
  for (const double bend_deg : {0.0, 4.0, 8.0, 12.0, 16.0, 20.0, 25.0, 30.0, 35.0, 40.0})
    for (int boxes = 0; boxes <= kMostBoxes; ++boxes) {
      ReplayProblem problem;
      problem.trajectory = stroke(hand, radians(bend_deg));
      problem.floor_height = 0.0;
      for (int i = 0; i < boxes; ++i)
        problem.objects.push_back({box, Transform::from_position({0.5 + 0.1 * i, 0.02, 0.0})});
      auto replay = Replay::create(problem);
      if (!replay) {
        std::fprintf(stderr, "%s\n", replay.message().c_str());
        return 2;
      }
      while (replay->time() < replay->duration()) {
        const double before = microseconds();
        replay->step();
        costs[static_cast<int>(replay->contacts().size())].push_back(microseconds() - before);
      }
    }
  picture::Series median{.name = "median"}, slowest{.name = "a tenth is slower"};
  for (auto& [contacts, steps] : costs) {
    if (contacts < 1 || contacts > kMostContacts || steps.size() < kFewest) continue;
    std::sort(steps.begin(), steps.end());
    const double middle = steps[steps.size() / 2], slow = steps[steps.size() * 9 / 10];
    for (auto* series : {&median, &slowest}) series->x.push_back(contacts);
    median.y.push_back(middle);
    slowest.y.push_back(slow);
    std::printf("%2d contacts: %6.1f us a step, a tenth above %6.1f us, of %zu steps\n", contacts,
                middle, slow, steps.size());
  }
  picture::Plot plot;
  plot.title = "Replay on one core: a step of 2 ms has 100 us at 20 times real time";
  plot.x_label = "contacts";
  plot.y_label = "processor time of a step, us";
  plot.series = {median, slowest};
  if (!path.parent_path().empty()) std::filesystem::create_directories(path.parent_path());
  const Status written = picture::write_png(picture::draw_plot(plot), path.string());
  if (!written) std::fprintf(stderr, "%s\n", written.message().c_str());
  return written ? 0 : 2;
}
