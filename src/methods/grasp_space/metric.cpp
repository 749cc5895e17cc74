// Ben Amor, Heumer, Jung and Vitzthum, "Grasp synthesis from low-dimensional probabilistic grasp
// models", CAVW 2008, section "Grasp Metric".
// Implements: eq. 5 (penalty V of a penetrating sensor) and eq. 6 (the metric M over antagonistic
//             pairs).
// Departs:    a sensor may enter by MetricOptions::tolerance before it is punished. Under a region
//             of interest the normal is the direction from the region's nearest point to the
//             sensor, which at the region's rim is not the surface's. The unit of d against alpha,
//             which the paper leaves open, is an option.
// Symbols:    d distance of a sensor to the surface; alpha angle between the line that connects two
//             contact points and the inward normal at each; v penalty; M their sum over pairs.
#include "prehend/methods/grasp_space/metric.h"

#include <algorithm>
#include <cmath>

namespace prehend::grasp_space {

GraspMetric::GraspMetric(std::vector<Sensor> sensors, MetricTarget target,
                         const MetricOptions& options)
    : sensors_(std::move(sensors)), target_(std::move(target)), options_(options) {
  readings_.resize(sensors_.size());
  for (int a = 0; a < static_cast<int>(sensors_.size()); ++a) {
    for (int b = a + 1; b < static_cast<int>(sensors_.size()); ++b) {
      if (sensors_[a].group != sensors_[b].group) pairs_.push_back({a, b});
    }
  }
}

GraspMetric::Reading GraspMetric::read(const Sensor& sensor, const Vec3& center_object) const {
  const geometry::DistanceSample whole = target_.whole->sample(center_object);
  Reading reading;
  double gap = whole.distance - sensor.radius;
  const bool penetrates =
      gap < -options_.tolerance ||
      (target_.table && target_.table->above(center_object) < sensor.radius - options_.tolerance);
  if (target_.region) {
    const geometry::ClosestPoint closest = target_.region->closest(center_object);
    reading.point = closest.point;
    // A patch has no inside: its normals are taken on the sensor's side.
    const Vec3 away = center_object - closest.point;
    const double distance = away.norm();
    reading.normal = distance > 1e-9 ? Vec3(away / distance) : closest.normal;
    gap = distance - sensor.radius;
  } else {
    const double slope = whole.gradient.norm();
    reading.normal = slope > 1e-6 ? Vec3(whole.gradient / slope) : Vec3(Vec3::UnitY());
    reading.point = center_object - whole.distance * reading.normal;
  }
  reading.cost = std::abs(gap) / options_.distance_unit + (penetrates ? options_.violation : 0.0);
  return reading;
}

double GraspMetric::evaluate(const Transform& wrist_object,
                             const std::vector<Transform>& frames_wrist) {
  for (size_t i = 0; i < sensors_.size(); ++i) {
    const Sensor& sensor = sensors_[i];
    readings_[i] = read(sensor, wrist_object * (frames_wrist[sensor.segment] * sensor.center));
  }
  double metric = 0.0;
  for (const auto& [a, b] : pairs_) {
    const Reading& first = readings_[a];
    const Reading& second = readings_[b];
    const Vec3 line = second.point - first.point;
    const double length = line.norm();
    // Two sensors at one point have no line between them: as bad as can be.
    double angles = 2.0 * kPi;
    if (length > 1e-6) {
      const double cos_first = std::clamp(-first.normal.dot(line) / length, -1.0, 1.0);
      const double cos_second = std::clamp(second.normal.dot(line) / length, -1.0, 1.0);
      angles = std::acos(cos_first) + std::acos(cos_second);
    }
    metric += first.cost + second.cost + angles;  // eq. 6
  }
  return metric;
}

}  // namespace prehend::grasp_space
