// Contacts and wrenches.
#pragma once

#include <compare>

#include "prehend/core/math.h"

namespace prehend {

// Force and torque, the torque about a point that the name or the comment beside it says.
struct Wrench {
  Vec3 force = Vec3::Zero();
  Vec3 torque = Vec3::Zero();

  Wrench operator+(const Wrench& o) const { return {force + o.force, torque + o.torque}; }
  Wrench operator-(const Wrench& o) const { return {force - o.force, torque - o.torque}; }
  Eigen::Matrix<double, 6, 1> vector() const {
    return (Eigen::Matrix<double, 6, 1>() << force, torque).finished();
  }
  // The same wrench with its torque about a point `shift` away from the present one.
  Wrench about(const Vec3& shift) const { return {force, torque - shift.cross(force)}; }
};

// One side of a contact: a segment of a hand, an object, or the surroundings (the floor, or
// whatever else a clip does not list).
struct ContactSide {
  enum class Kind { kSurroundings, kHand, kObject };

  Kind kind = Kind::kSurroundings;
  int index = -1;    // of the hand or the object in its clip or world; -1: the surroundings
  int segment = -1;  // of the hand; -1 otherwise

  static ContactSide surroundings() { return {}; }
  static ContactSide hand(int index, int segment) { return {Kind::kHand, index, segment}; }
  static ContactSide object(int index) { return {Kind::kObject, index, -1}; }

  bool is_surroundings() const { return kind == Kind::kSurroundings; }
  bool is_hand() const { return kind == Kind::kHand; }
  bool is_object() const { return kind == Kind::kObject; }
  bool is_hand(int which) const { return is_hand() && index == which; }
  bool is_object(int which) const { return is_object() && index == which; }

  auto operator<=>(const ContactSide&) const = default;
};

// Two sides touch: one pushes, the other is pushed. All vectors are those of the pushed side, `on`;
// the side `by` feels the opposite force. Between a hand and an object the object is `on`, between
// anything and the surroundings the surroundings are `by`. Two hands give one contact, on the hand
// with the smaller index; two objects give two contacts, one on each.
//   Contact{.by = ContactSide::hand(0, segment), .on = ContactSide::object(0), .point_on = ...}
struct Contact {
  ContactSide by;  // who pushes
  ContactSide on;  // who is pushed
  // On the surface of `on`, in its frame: the object's, the segment's, or the world's where `on` is
  // the surroundings.
  Vec3 point_on = Vec3::Zero();
  Vec3 normal_world = Vec3::UnitY();  // unit, out of the surface of `on`
  Vec3 force_world = Vec3::Zero();    // on `on`
  double torque_normal = 0.0;         // on `on`, about -normal_world, N m
  double gap = 0.0;                   // meters between the two; negative when they overlap

  bool between(const ContactSide& pusher, const ContactSide& pushed) const {
    return by == pusher && on == pushed;
  }
  bool involves_hand() const { return by.is_hand() || on.is_hand(); }
};

}  // namespace prehend
