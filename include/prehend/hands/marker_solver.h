// Joint angles from optical markers on a hand, by least squares; the hand's size and where each
// marker sits on it are found first.
//
// Over some frames without gaps, hand length, marker places o_i in their segments and poses q_f are
// found together; then every frame's pose alone. Minimized are
//   1 markers   |x_i(q) - measured_i|^2 / kMarkerScale^2, x_i the place o_i carried by its segment
//   2 places    |o_i - expected_i|^2 / scale_i^2: markers are taped near where their names say
//   3 posture   |q - relaxed|^2 / kPostureScale^2; metacarpals of fingers hardly move
//   4 change    |q - q of the frame before|^2 / kChangeScale^2
// A marker that is lost is filled in from its place, before and after, against the segment before
// its own.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/markers.h"
#include "prehend/core/summary.h"

namespace prehend::hands {

struct MarkerPlace {
  int marker = -1;  // of the recording
  int segment = -1;
  Vec3 point_segment = Vec3::Zero();
  double scale = 0.01;  // m: how far a marker may be from there
};
// Where markers of these names sit: "index_tip", "thumb_middle", "hand_left", "ring-proximal" and
// the like, in any case and order of words; other names are not on the hand.
std::vector<MarkerPlace> marker_places(const Hand& hand, const std::vector<std::string>& names);

struct MarkerOptions {
  Side side = Side::kRight;
  double length = 0.0;  // m of the hand; 0: estimated
  int calibration_frames = 50;
};

struct SolvedMarkers {
  HandTrack track;
  double length = 0.0;              // m, of the hand
  std::vector<MarkerPlace> places;  // as found
  double residual = 0.0;            // m, root mean square over frames without gaps
  double worst = 0.0;               // m, of one marker in such a frame
  int gap_free = 0;                 // frames without gaps
  double filled_fraction = 0.0;     // of the positions of markers on the hand
  std::vector<std::string> not_on_hand;
  Summary summary;
};
// Fails with fewer than three markers on the palm or none on the digits, and without gap-free
// frames.
Result<SolvedMarkers> solve_markers(const MarkerRecording& recording,
                                    const MarkerOptions& options = {}, const Monitor& monitor = {});

}  // namespace prehend::hands
