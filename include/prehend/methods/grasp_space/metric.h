// The grasp metric: how near the hand's sensors are to the object and how well they oppose each
// other. Lower is better.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "prehend/geometry/signed_distance.h"
#include "prehend/methods/grasp_space/sensors.h"
#include "prehend/methods/grasp_space/table.h"

namespace prehend::grasp_space {

// What the sensors feel.
struct MetricTarget {
  // Of the whole object: what penetrates is judged by it.
  std::shared_ptr<const geometry::SignedDistance> whole;
  // The surface inside a region of interest, if there is one: distances and normals are its.
  std::shared_ptr<const geometry::ExactDistance> region;
  // What is below it penetrates.
  std::optional<Table> table;
};

struct MetricOptions {
  // Meters that weigh as much as a radian between normal and connecting line: the paper adds the
  // two and does not name its unit.
  double distance_unit = 0.01;
  // V of eq. 5.
  double violation = 100.0;
  // Overlaps up to this do not count as penetration.
  double tolerance = 0.0005;
};

class GraspMetric {
 public:
  GraspMetric(std::vector<Sensor> sensors, MetricTarget target, const MetricOptions& options = {});

  const std::vector<Sensor>& sensors() const { return sensors_; }
  const MetricTarget& target() const { return target_; }
  int pair_count() const { return static_cast<int>(pairs_.size()); }

  // Of a hand whose segments stand at wrist_object * frames_wrist. One object a thread.
  double evaluate(const Transform& wrist_object, const std::vector<Transform>& frames_wrist);

 private:
  struct Reading {
    Vec3 point;   // nearest on the surface
    Vec3 normal;  // there, outward
    double cost;  // distance in units, and the penalty
  };
  Reading read(const Sensor& sensor, const Vec3& center_object) const;

  std::vector<Sensor> sensors_;
  MetricTarget target_;
  MetricOptions options_;
  std::vector<std::array<int, 2>> pairs_;
  std::vector<Reading> readings_;
};

}  // namespace prehend::grasp_space
