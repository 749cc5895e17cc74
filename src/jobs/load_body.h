// Whole bodies from tables of numbers: a recording of every joint's rotation against an MJCF
// skeleton, and what the person holds.
#pragma once

#include <string>
#include <vector>

#include "prehend/io/bvh.h"
#include "prehend/io/csv.h"
#include "prehend/jobs/load.h"
#include "prehend/physics/mjcf_skeleton.h"

namespace prehend::jobs {

// Whether there is a root that moves, without which no body does.
bool moves_root(const io::CsvTable& table);
// Whether the columns turn bodies of this skeleton: "BODY_ex", "_ey", "_ez" (an exponential map)
// or every hinge of a body by its name, and a root that moves ("root_px", "_py", "_pz").
bool moves_body(const io::CsvTable& table, const physics::MjcfSkeleton& skeleton);

// Frames a second by the table's times; 60 where it has none.
double table_frame_rate(const io::CsvTable& table);

// The recording as BVH in meters, with the joints' frames parallel to the file's axes at rest.
// The root turns by "root_rx", "_ry", "_rz".
Result<io::Bvh> body_motion(const io::CsvTable& table, const physics::MjcfSkeleton& skeleton,
                            double frame_rate);

// Where a thing is: "NAME_px", "_py", "_pz" and, where recorded, "NAME_rx", "_ry", "_rz" (an
// exponential map). `turned` says whether its rotation was recorded: a rotation that never changes
// was not.
struct TableMotion {
  std::string name;
  std::vector<Transform> poses;  // in the file's axes
  bool turned = false;
};
Result<TableMotion> table_motion(const io::CsvTable& table, const std::string& name);

// The hands of the body and the objects that the options name.
Result<Loaded> load_body_table(const std::string& path, const LoadOptions& options,
                               const io::CsvTable& table, const physics::MjcfSkeleton& skeleton);

}  // namespace prehend::jobs
