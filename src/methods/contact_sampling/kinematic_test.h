// Ye and Liu 2012, section 4.3, eq. 1 to 3: is there a pose of the hand that meets a guiding
// configuration and enters nothing, and where does it touch?
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "methods/contact_sampling/beyond/working_hand.h"
#include "methods/contact_sampling/dynamic_test.h"
#include "prehend/hands/contact_ik.h"
#include "prehend/hands/hand_gaps.h"

namespace prehend::contact_sampling {

// A guiding point: where a digit's skin shall be on the object (section 4.1).
struct Guide {
  bool active = false;
  hands::SkinPoint skin;  // p.h
  Vec3 point_object = Vec3::Zero();
  Vec3 normal_object = Vec3::UnitY();
  double hover = 0.0;  // m above the surface, of a digit on its way
};
using Guides = std::array<Guide, kDigitCount>;  // the paper's c, of one hand

// Skin this close to an object touches it, m.
inline constexpr double kTouch = 0.0008;
// A guiding point is met within this, m.
inline constexpr double kMet = 0.0015;
// Deepest that a pose may enter an object, m, by the field that inner loops read.
inline constexpr double kDeepest = 0.0005;
// Deepest that digits may enter each other, m: flesh gives.
inline constexpr double kSelfDeepest = 0.0015;

struct KinematicOutcome {
  bool feasible = false;
  DeadEnd cause = DeadEnd::kReach;  // if it is not
  // The digit at fault, and the other one if two are in each other's way; kNone: the palm.
  Digit digit = Digit::kNone;
  Digit other = Digit::kNone;
};

// One object a thread.
class KinematicTest {
 public:
  KinematicTest(const WorkingHand& hand, const SamplingOptions& options, int tries = 1);

  struct Input {
    Transform wrist_world;
    Transform object_world;
    const Guides* guides = nullptr;
    const Eigen::VectorXd* previous = nullptr;   // pose of the frame before
    const Eigen::VectorXd* preferred = nullptr;  // null: the previous, drawn by the prior
    double preference = 0.1;                     // 1 / rad
    double greatest_change = 1e9;                // rad
    // The object first.
    std::span<const hands::Obstacle> obstacles;
    // Bounds of the wrist's own shift (m) and turn (rad), along the world's axes.
    double wrist_shift = 0.0;
    double wrist_turn = 0.0;
    std::optional<Transform> start_wrist_world;  // where a wrist that may move begins
  };
  KinematicOutcome solve(const Input& input);
  // The same, but digits that cannot keep their places give way, one by one: first they roll; then
  // their places creep over `surface`, drawn along by the wrist; at last they let go. `guides` are
  // changed, and `gave_way` says how (kStatic: it kept its place).
  KinematicOutcome follow(const Input& input, const geometry::ExactDistance& surface,
                          double most_creep, Guides& guides, DigitStrategies& gave_way);
  const Eigen::VectorXd& pose() const { return pose_; }
  const Transform& wrist_world() const { return wrist_world_; }

  // Another place of the same segment's skin for the guiding point: the one nearest to the object's
  // point in the pose just solved. Fingertips are round: tilted ones touch beside their pads.
  void roll(const Transform& object_world, Guide& guide);

  // The paper's P: all places where the pose touches the object, one a capsule's end or hollow.
  // False if a nail touches.
  bool touching(const Eigen::VectorXd& pose, const Transform& wrist_world,
                const Transform& object_world, const geometry::SignedDistance& distance, int hand,
                int object, std::vector<TestContact>& contacts);
  // How deep the pose enters any of them, m.
  double deepest(const Eigen::VectorXd& pose, const Transform& wrist_world,
                 std::span<const hands::Obstacle> obstacles);

  // Puts the hand's capsules where this pose has them.
  void place(const Eigen::VectorXd& pose, const Transform& wrist_world);

  HandKinematics& kinematics() { return kinematics_; }
  // The hand's capsules where `place`, `touching` or `deepest` last had them.
  const hands::HandGaps& gaps() const { return gaps_; }

 private:
  KinematicOutcome judge(const Input& input, const hands::ContactIkResult& result) const;
  double strength(int segment, const Vec3& point_world, const Vec3& normal_world) const;

  const WorkingHand& hand_;
  const SamplingOptions& options_;
  hands::ContactIk ik_;
  hands::ContactIkProblem problem_;
  hands::HandGaps gaps_;
  HandKinematics kinematics_;
  std::vector<hands::ContactTarget> targets_;
  std::vector<Digit> target_digits_;
  Eigen::VectorXd pose_;
  Transform wrist_world_;
};

// How deep two hands enter each other, m, as their capsules are placed.
double entered_by(const hands::HandGaps& a, const hands::HandGaps& b);

// Adds proxy points around contacts near edges (section 7), each half a fingertip's patch away.
void add_proxies(const geometry::ExactDistance& distance, std::vector<TestContact>& contacts);

}  // namespace prehend::contact_sampling
