// The contacts of a clip that is a CSV file: a table of its own beside the motion's. The names that
// its writer, in clip_csv.cpp, and its reader share.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/core/result.h"

namespace prehend::io {

namespace csv_names {
inline constexpr const char* kSurroundings = "surroundings";
// The same in files of the older form, whose columns are hand, segment and object.
inline constexpr const char* kEnvironment = "environment";
inline constexpr const char* kNoSegment = "-";
}  // namespace csv_names

// Names of the tracks, the same when writing and when reading.
struct TrackNames {
  std::vector<std::string> hands;
  std::vector<std::string> objects;
};
TrackNames track_names(const Clip& clip);

// Reads the contacts into a clip whose motion has been read. `without_shape` names objects that
// move in the file but are not in the clip, since nobody said what they look like: contacts with
// them are left out.
Status read_contacts_csv(const std::string& path, const std::set<std::string>& without_shape,
                         Clip& clip);

}  // namespace prehend::io
