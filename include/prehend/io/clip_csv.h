// A clip as tables, for spreadsheets and numeric programs.
//
// clip.csv, one row a frame:
//   time_s
//   HAND.root_x_m _y_m _z_m            the root in the world
//   HAND.SEGMENT_qw _qx _qy _qz        a segment's turn against its parent; the root's in the world
//   HAND@JOINT_x_m _y_m _z_m           OpenXR joints in the world, tips included: for reading only
//   OBJECT_x_m _y_m _z_m _qw _qx _qy _qz
// clip.contacts.csv, one row a contact, when the clip has contacts:
//   frame, time_s, by, by_segment, on, on_segment, point (in the frame of `on`), normal, force
//   (world), torque about the normal, gap, as core/contact.h defines them. A side is a HAND with a
//   segment, an OBJECT or "surroundings". Files of an older form, with the columns hand, segment
//   and object, are read too.
// HAND is "left" or "right", OBJECT the object's name; a second of a name gets "-2" and so on. A
// comment above the names holds each hand's profile and size, which objects are fixed, and the
// floor's height if there is one.
#pragma once

#include <string>
#include <vector>

#include "prehend/core/clip.h"
#include "prehend/io/csv.h"

namespace prehend::io {

// Returns the files written: all or none.
Result<std::vector<std::string>> write_clip_csv(const std::string& path, const Clip& clip);

// The clip back. Numbers do not carry shapes: hands and objects come from `like` by name; a hand
// that it lacks is built from the file's comment, an object that it lacks is left out with its
// contacts. Contacts are read from beside the file if there are any.
Result<Clip> read_clip_csv(const std::string& path, const Clip& like = {});

// Objects that move in the table but are not among the clip's.
std::vector<std::string> objects_without_shape(const CsvTable& table, const Clip& clip);

}  // namespace prehend::io
