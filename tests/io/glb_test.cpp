#include "prehend/io/glb.h"

#include <gtest/gtest.h>

#include <cstring>

#include "io/gltf_document.h"
#include "prehend/core/hand_builder.h"
#include "tests/io/mutate.h"
#include "tests/io/test_clip.h"

namespace prehend::io {
namespace {

constexpr double kRotationTolerance = 1e-6;  // rad; the requirement is 1e-5
constexpr double kFloat = 1e-6;              // relative, of numbers kept as floats

Clip round_trip(const Clip& clip) {
  const auto bytes = encode_glb(clip);
  EXPECT_TRUE(bytes.ok()) << bytes.message();
  auto back = decode_glb(*bytes, "test.glb");
  EXPECT_TRUE(back.ok()) << back.message();
  return std::move(back->clip);
}

void expect_same_hand(const Hand& a, const Hand& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.profile, b.profile);
  EXPECT_EQ(a.side, b.side);
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(a.breadth, b.breadth);
  EXPECT_EQ(a.xr_segments, b.xr_segments);
  EXPECT_EQ(a.overlapping, b.overlapping);
  ASSERT_EQ(a.segments.size(), b.segments.size());
  for (std::size_t s = 0; s < a.segments.size(); ++s) {
    const Segment &x = a.segments[s], &y = b.segments[s];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.parent, y.parent);
    EXPECT_EQ(x.rest_parent.position, y.rest_parent.position);
    EXPECT_LT(angle_between(x.rest_parent.rotation, y.rest_parent.rotation), 1e-7);
    EXPECT_EQ(x.mass, y.mass);
    EXPECT_EQ(x.center_of_mass, y.center_of_mass);
    EXPECT_EQ(x.inertia, y.inertia);
    EXPECT_EQ(x.digit, y.digit);
    EXPECT_EQ(x.phalanx, y.phalanx);
    ASSERT_EQ(x.joints.size(), y.joints.size());
    for (std::size_t j = 0; j < x.joints.size(); ++j) {
      EXPECT_EQ(x.joints[j].name, y.joints[j].name);
      EXPECT_EQ(x.joints[j].type, y.joints[j].type);
      EXPECT_EQ(x.joints[j].axis, y.joints[j].axis);
      EXPECT_EQ(x.joints[j].lower, y.joints[j].lower);
      EXPECT_EQ(x.joints[j].upper, y.joints[j].upper);
      EXPECT_EQ(x.joints[j].max_torque, y.joints[j].max_torque);
      EXPECT_EQ(x.joints[j].passive_stiffness, y.joints[j].passive_stiffness);
      EXPECT_EQ(x.joints[j].damping, y.joints[j].damping);
    }
    ASSERT_EQ(x.capsules.size(), y.capsules.size());
    for (std::size_t c = 0; c < x.capsules.size(); ++c) {
      EXPECT_EQ(x.capsules[c].a, y.capsules[c].a);
      EXPECT_EQ(x.capsules[c].b, y.capsules[c].b);
      EXPECT_EQ(x.capsules[c].radius, y.capsules[c].radius);
    }
  }
  for (int d = 0; d < kDigitCount; ++d) {
    EXPECT_EQ(a.pads[d].segment, b.pads[d].segment);
    EXPECT_EQ(a.pads[d].point, b.pads[d].point);
    EXPECT_EQ(a.pads[d].normal, b.pads[d].normal);
    EXPECT_EQ(a.pads[d].nail_normal, b.pads[d].nail_normal);
    EXPECT_EQ(a.pads[d].tip, b.pads[d].tip);
  }
}

TEST(Glb, HandsComeBackExactly) {
  const Clip clip = testing::test_clip();
  const Clip back = round_trip(clip);
  EXPECT_EQ(back.name, clip.name);
  EXPECT_EQ(back.frame_rate, clip.frame_rate);
  ASSERT_EQ(back.hands.size(), 2u);
  for (int h = 0; h < 2; ++h) expect_same_hand(*clip.hands[h].hand, *back.hands[h].hand);
}

TEST(Glb, MotionKeepsItsRotations) {
  const Clip clip = testing::test_clip();
  const Clip back = round_trip(clip);
  ASSERT_EQ(back.frame_count(), clip.frame_count());
  for (std::size_t h = 0; h < clip.hands.size(); ++h) {
    for (int f = 0; f < clip.frame_count(); ++f) {
      const HandPose &a = clip.hands[h].poses[f], &b = back.hands[h].poses[f];
      EXPECT_LT(angle_between(a.root_world.rotation, b.root_world.rotation), kRotationTolerance);
      EXPECT_LT((a.root_world.position - b.root_world.position).norm(), kFloat);
      for (std::size_t s = 0; s < a.rotations.size(); ++s)
        EXPECT_LT(angle_between(a.rotations[s], b.rotations[s]), kRotationTolerance);
    }
  }
  for (std::size_t o = 0; o < clip.objects.size(); ++o) {
    for (int f = 0; f < clip.frame_count(); ++f) {
      const Transform &a = clip.objects[o].poses_world[f], &b = back.objects[o].poses_world[f];
      EXPECT_LT(angle_between(a.rotation, b.rotation), kRotationTolerance);
      EXPECT_LT((a.position - b.position).norm(), kFloat);
    }
  }
}

TEST(Glb, ObjectsComeBackWithTheirMeshAndProperties) {
  const Clip clip = testing::test_clip();
  const Clip back = round_trip(clip);
  ASSERT_EQ(back.objects.size(), 2u);
  const Object &a = *clip.objects[0].object, &b = *back.objects[0].object;
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.center_of_mass, b.center_of_mass);
  EXPECT_EQ(a.inertia, b.inertia);
  EXPECT_EQ(a.friction, b.friction);
  EXPECT_EQ(a.torsional_friction, b.torsional_friction);
  EXPECT_EQ(a.fixed, b.fixed);
  EXPECT_EQ(a.shape.kind, b.shape.kind);
  EXPECT_EQ(a.shape.size, b.shape.size);
  EXPECT_EQ(a.shape.mesh->faces, b.shape.mesh->faces);
  ASSERT_EQ(a.shape.mesh->vertices.size(), b.shape.mesh->vertices.size());
  for (std::size_t v = 0; v < a.shape.mesh->vertices.size(); ++v)
    EXPECT_LT((a.shape.mesh->vertices[v] - b.shape.mesh->vertices[v]).norm(), 1e-8);
}

TEST(Glb, ContactsKeepFloatPrecision) {
  const Clip clip = testing::test_clip();
  const Clip back = round_trip(clip);
  EXPECT_TRUE(back.forces_recorded);
  EXPECT_EQ(back.floor_height, clip.floor_height);
  ASSERT_EQ(back.contacts.size(), clip.contacts.size());
  for (std::size_t f = 0; f < clip.contacts.size(); ++f) {
    ASSERT_EQ(back.contacts[f].size(), clip.contacts[f].size());
    for (std::size_t i = 0; i < clip.contacts[f].size(); ++i) {
      const Contact &a = clip.contacts[f][i], &b = back.contacts[f][i];
      EXPECT_TRUE(a.between(b.by, b.on));
      EXPECT_EQ(a.point_on.cast<float>(), b.point_on.cast<float>());
      EXPECT_EQ(a.normal_world.cast<float>(), b.normal_world.cast<float>());
      EXPECT_EQ(a.force_world.cast<float>(), b.force_world.cast<float>());
      EXPECT_EQ(static_cast<float>(a.torque_normal), static_cast<float>(b.torque_normal));
      EXPECT_EQ(static_cast<float>(a.gap), static_cast<float>(b.gap));
    }
  }
}

TEST(Glb, APoseAndAClipWithoutHandsOrContactsAreClips) {
  Clip pose = testing::test_clip(1);
  EXPECT_EQ(round_trip(pose).frame_count(), 1);
  pose.contacts.clear();
  EXPECT_FALSE(round_trip(pose).has_contacts());
  pose.hands.clear();
  EXPECT_EQ(round_trip(pose).objects.size(), 2u);
}

TEST(Glb, EveryProfileOfTheHandComesBack) {
  for (HandProfile profile : {HandProfile::kBall, HandProfile::kAnatomical, HandProfile::kArm}) {
    for (Side side : {Side::kLeft, Side::kRight}) {
      Clip clip;
      clip.hands = {testing::waving(*build_hand({.profile = profile, .side = side}), 3)};
      const Clip back = round_trip(clip);
      ASSERT_EQ(back.hands.size(), 1u);
      expect_same_hand(*clip.hands[0].hand, *back.hands[0].hand);
    }
  }
}

TEST(Glb, MarksAreInTheExtrasAndTheClipIsTheSame) {
  const Clip clip = testing::test_clip();
  GlbOptions options;
  options.marks = {
      {"penetration", 1, 2, 1, "penetration 9.0 mm: right \"x\" in box", Vec3(1, 2, 3)},
      {"limits", 0, 0, 0, "a joint", std::nullopt}};
  const std::string bytes = encode_glb(clip, options).value();
  for (const char* text : {"\"marks\":[{", "\"kind\":\"penetration\"", "\"worst\":1",
                           "\"point_world\":[1.0,2.0,3.0]", "right \\\"x\\\" in box"})
    EXPECT_NE(bytes.find(text), std::string::npos) << text;
  const auto back = decode_glb(bytes, "marked.glb");
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_EQ(encode_glb(back->clip).value(), encode_glb(round_trip(clip)).value());
  EXPECT_EQ(encode_glb(clip).value().find("marks"), std::string::npos);
}

TEST(Glb, SameClipSameBytes) {
  const Clip clip = testing::test_clip();
  EXPECT_EQ(*encode_glb(clip), *encode_glb(clip));
}

TEST(Glb, NodesFollowOurKinematics) {
  const Clip clip = testing::test_clip();
  const std::string bytes = *encode_glb(clip);
  const auto document = gltf::load_memory(
      {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()}, "test.glb");
  ASSERT_TRUE(document.ok()) << document.message();
  const auto frames = segment_frames(*clip.hands[0].hand, clip.hands[0].poses[0]);
  int checked = 0;
  for (const gltf::Node& node : document->nodes) {
    if (!node.name.starts_with("right-")) continue;
    const int segment = clip.hands[0].hand->find(node.name.substr(6));
    if (segment < 0) continue;
    Transform world{node.rotation, node.translation};
    for (int up = node.parent; up >= 0; up = document->nodes[up].parent)
      world = Transform{document->nodes[up].rotation, document->nodes[up].translation} * world;
    EXPECT_LT((world.position - frames[segment].position).norm(), kFloat);
    ++checked;
  }
  EXPECT_EQ(checked, 4);
}

TEST(Glb, BadClipsAreRefusedInOneLine) {
  Clip clip = testing::test_clip();
  EXPECT_FALSE(encode_glb(Clip{}).ok());
  clip.hands[0].poses[2].root_world.position.x() = std::nan("");
  EXPECT_FALSE(encode_glb(clip).ok());
  EXPECT_FALSE(write_glb(testing::test_clip(), "no/such/folder/x.glb").ok());
  EXPECT_FALSE(read_glb("no/such/file.glb").ok());
}

// As damaged files have them: such numbers once reached the audit and other files.
TEST(Glb, SizesThatNoHandHasAreRefusedInOneLine) {
  const std::string good = *encode_glb(testing::test_clip());
  const std::string before = "\"tip\":[0.0,0.00";  // of the index finger, 1 mm
  const auto at = good.find(before);
  ASSERT_NE(at, std::string::npos);
  for (const char* number : {"1e7", "9e9", "1e99", "1e308"}) {
    std::string bytes = good;
    const auto first = at + before.size() - 4, last = bytes.find(',', first);
    ASSERT_GE(last - first, std::strlen(number));
    // As many bytes as before.
    bytes.replace(first, last - first,
                  number + std::string(last - first - std::strlen(number), ' '));
    const auto read = decode_glb(bytes, "a.glb");
    ASSERT_FALSE(read.ok()) << number;
    EXPECT_NE(read.message().find("pad of the index"), std::string::npos) << read.message();
    EXPECT_EQ(read.message().find('\n'), std::string::npos);
  }
}

TEST(Glb, ALossOfItsOwnDataIsSaid) {
  std::string bytes = *encode_glb(testing::test_clip());
  ASSERT_TRUE(decode_glb(bytes, "a.glb").ok());
  const auto at = bytes.find("\"prehend\"");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 1] = 'q';
  const auto read = decode_glb(bytes, "a.glb");
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_FALSE(read->own);
  ASSERT_FALSE(read->import.notes.empty());
  EXPECT_NE(read->import.notes.back().find("lost or damaged"), std::string::npos);
}

TEST(Glb, MutatedFilesGiveAClipOrOneLine) {
  const std::string good = *encode_glb(testing::test_clip());
  const auto read = [](const std::string& bytes) { return decode_glb(bytes, "mutated.glb"); };
  EXPECT_GT(testing::expect_value_or_one_line(good, read), 0.4);
}

// The two parts of a file: the text that describes it, and the rest.
struct Container {
  std::string json, rest;

  explicit Container(const std::string& file) {
    std::uint32_t length;
    std::memcpy(&length, file.data() + 12, 4);
    json = file.substr(20, length);
    rest = file.substr(20 + length);
  }
  // Around another text, so that damage reaches the code behind it.
  std::string with(std::string text) const {
    text.resize((text.size() + 3) / 4 * 4, ' ');
    std::string file = "glTF";
    for (std::uint32_t number : {2u, static_cast<std::uint32_t>(20 + text.size() + rest.size()),
                                 static_cast<std::uint32_t>(text.size()), 0x4E4F534Au})
      file.append(reinterpret_cast<const char*>(&number), 4);
    return file + text + rest;
  }
};

TEST(Glb, MutatedJsonGivesAClipOrOneLine) {
  const Container good(*encode_glb(testing::test_clip()));
  const auto whole = [&](const std::string& text) { return good.with(text); };
  ASSERT_TRUE(decode_glb(whole(good.json), "whole.glb").ok());
  const auto read = [](const std::string& bytes) { return decode_glb(bytes, "mutated.glb"); };
  EXPECT_GT(testing::expect_value_or_one_line(good.json, read, whole), 0.4);
}

// Form 1 of the extras had one list of three numbers a contact: hand, segment or other object, and
// the object pushed. The present file's `on` is taken for it: (2, 0, -1) is then hand 2's segment
// 0, so numbers are chosen that mean something in both.
TEST(Glb, ContactsOfTheFirstFormAreRead) {
  Clip clip = testing::test_clip(2);
  clip.floor_height.reset();
  // As (kind, index, segment): hand 1's segment 0 on object 1.
  Contact by_hand{.by = ContactSide::object(0), .on = ContactSide::hand(0, 1)};
  by_hand.point_on = {1, 2, 3};
  clip.contacts = {{}, {by_hand}};
  const Container present(*encode_glb(clip));
  std::string old = present.json;
  const auto replace = [&](const std::string& from, const std::string& to) {
    const auto at = old.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    old.replace(at, from.size(), to);
  };
  replace("\"on\":", "\"parties\":");
  replace("\"points_on\":", "\"points_object\":");
  replace("\"version\":2", "\"version\":1");
  const auto back = decode_glb(present.with(old), "old.glb");
  ASSERT_TRUE(back.ok()) << back.message();
  ASSERT_EQ(back->clip.contacts[1].size(), 1u);
  const Contact& contact = back->clip.contacts[1][0];
  EXPECT_TRUE(contact.between(ContactSide::hand(1, 0), ContactSide::object(1)));
  EXPECT_EQ(contact.point_on, Vec3(1, 2, 3));
}

}  // namespace
}  // namespace prehend::io
