// Beyond the paper: how an object is placed for a hand that knows one grasp.
#pragma once

#include <memory>
#include <vector>

#include "prehend/core/summary.h"
#include "prehend/geometry/prepared_object.h"
#include "prehend/methods/example_control/controller.h"

namespace prehend::example_control {

// Where an object stands and where the wrist is when it grips it.
struct GraspPlacement {
  Transform object_world;
  Transform grip_wrist_world;
  double squeeze = 0.0;       // newtons that carry one newton of weight: less is better
  int digits = 0;             // that meet the object when the hand closes
  double floor_height = 0.0;  // m, of what it stands on
  bool recorded = false;      // the hand on the object as in the example, or beside that place
  // The controller that grips it so: the one given, or one that opens wider.
  std::shared_ptr<const Controller> controller;
};

struct PlacementOptions {
  double floor_height = 0.0;  // m
  double clearance = 0.004;   // m between the hand and the floor
  // The object stands only as it is given, only turned about the vertical, or on any side that it
  // stands on.
  enum class Turn { kNone, kUpright, kAny } turn = Turn::kAny;
  // Whether the hand may come from above with its palm turned down, where the example's faces
  // aside.
  bool turn_hand = true;
};

// Tries the sides on which the object stands, turns about the vertical and heights, closes the
// digits from the controller's open to its gripping pose, and ranks by the squeeze that is needed.
// Up to `count`, the best first, that differ in the object's side or quarter turn or in where the
// hand comes from. Where none is good, as many more of hands that open wider than the example's. No
// dynamics decide here, so the first need not be the best in a simulation. A stop gives what was
// found until then.
Result<std::vector<GraspPlacement>> find_placements(const geometry::PreparedObject& object,
                                                    const Hand& hand, const Controller& controller,
                                                    const PlacementOptions& options, int count,
                                                    const Monitor& monitor = {});
// The controller's own object as it was recorded: it stands as it stood, the hand grips where the
// performer's did; then the same with the hand some millimeters beside. Nothing if the controller
// knows no object or the example's never stood so.
std::vector<GraspPlacement> recorded_placements(const geometry::PreparedObject& object,
                                                const Hand& hand, const Controller& controller,
                                                const PlacementOptions& options);
// The paper's own: the object stands, as it is given or as recorded, where the example's stood, and
// the wrist is where the example's was, whatever that does to the object.
Result<GraspPlacement> example_placement(const geometry::PreparedObject& object, const Hand& hand,
                                         const Controller& controller,
                                         const PlacementOptions& options, bool as_recorded);
// The first of those found.
Result<GraspPlacement> find_placement(const geometry::PreparedObject& object, const Hand& hand,
                                      const Controller& controller,
                                      const PlacementOptions& options = {});

}  // namespace prehend::example_control
