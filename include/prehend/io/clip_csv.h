// A clip as tables, for spreadsheets and numeric programs.
//
// clip.csv, one row a frame:
//   time_s
//   HAND.root_x_m _y_m _z_m            the root in the world
//   HAND.SEGMENT_qw _qx _qy _qz        a segment's turn against its parent; the root's in the world
//   HAND@JOINT_x_m _y_m _z_m           OpenXR joints in the world, tips included: for reading only
//   OBJECT_x_m _y_m _z_m _qw _qx _qy _qz
// clip.contacts.csv, one row a contact, when the clip has contacts:
//   frame, time_s, hand, segment, object, point (object frame), normal, force (world), torque about
//   the normal, gap. The hand "environment" stands for the surroundings, its segment names the
//   other object.
// HAND is "left" or "right", OBJECT the object's name; a second of a name gets "-2" and so on. A
// comment above the names holds each hand's profile and size.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/clip.h"

namespace prehend::io {

// Returns the files written: all or none.
Result<std::vector<std::string>> write_clip_csv(const std::string& path, const Clip& clip);

// The clip back. Numbers do not carry shapes: hands and objects come from `like` by name; a hand
// that it lacks is built from the file's comment. Contacts are read from beside the file if there
// are any.
Result<Clip> read_clip_csv(const std::string& path, const Clip& like = {});

}  // namespace prehend::io
