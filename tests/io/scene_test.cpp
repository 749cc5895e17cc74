#include "prehend/io/scene.h"

#include <gtest/gtest.h>

#include "prehend/core/atomic_file.h"
#include "tests/io/mutate.h"

namespace prehend::io {
namespace {

const char* const kScene =
    "title = \"lift\"\n"
    "[environment]\n"
    "gravity = [0, -1.62, 0]\n"
    "table = { height = 0.7 }\n"
    "[[hand]]\n"
    "side = \"left\"\n"
    "length = 0.18\n"
    "[[hand]]\n"
    "[[object]]\n"
    "shape = \"mug\"\n"
    "mass = 0.3\n"
    "scale = [1, 2, 1]\n"
    "rotation_deg = [0, 90, 0]\n"
    "[[object]]\n"
    "file = \"meshes/pan.obj\"\n"
    "units = \"mm\"\n"
    "[[motion]]\n"
    "of = \"mug\"\n"
    "keyframe = [ { time = 0, position = [0, 1, 0] }, { time = 1, rotation = [0, 1, 0, 0] } ]\n"
    "[[motion]]\n"
    "file = \"../clips/a.bvh\"\n"
    "start = 1.5\n"
    "[[goal]]\n"
    "object = \"pan\"\n"
    "time = 2\n"
    "position = [1, 2, 3]\n"
    "[options.grasp]\n"
    "samples = 20\n";

TEST(Scene, ReadsEveryTable) {
  const auto scene = parse_scene(kScene, "work/mug.toml");
  ASSERT_TRUE(scene.ok()) << scene.message();
  EXPECT_EQ(scene->title, "lift");
  ASSERT_EQ(scene->hands.size(), 2u);
  EXPECT_EQ(scene->hands[0].name, "left");
  EXPECT_EQ(scene->hands[0].build.side, Side::kLeft);
  EXPECT_DOUBLE_EQ(scene->hands[0].build.size.length, 0.18);
  EXPECT_EQ(scene->hands[1].name, "right");
  ASSERT_EQ(scene->objects.size(), 2u);
  EXPECT_EQ(scene->objects[0].scale, Vec3(1, 2, 1));
  // A quarter turn about y takes x to -z.
  EXPECT_NEAR((scene->objects[0].pose_world.turn(Vec3::UnitX()) + Vec3::UnitZ()).norm(), 0.0,
              1e-12);
  EXPECT_EQ(scene->objects[1].name, "pan");
  EXPECT_EQ(scene->objects[1].file, "work/meshes/pan.obj");
  EXPECT_DOUBLE_EQ(scene->objects[1].meters_per_unit, 0.001);
  EXPECT_EQ(scene->environment.gravity.y(), -1.62);
  EXPECT_DOUBLE_EQ(scene->environment.table->height, 0.7);
  EXPECT_FALSE(scene->environment.floor_height);
  ASSERT_EQ(scene->motions.size(), 2u);
  ASSERT_EQ(scene->motions[0].keyframes.size(), 2u);
  EXPECT_FALSE(scene->motions[0].keyframes[1].position);
  EXPECT_EQ(scene->motions[1].file, "clips/a.bvh");
  EXPECT_EQ(scene->goals[0].object, "pan");
  const auto options =
      scene_options(*scene, "grasp", {{"samples", ValueKind::kInteger, "how many"}});
  ASSERT_TRUE(options.ok()) << options.message();
  EXPECT_EQ(options->find("samples")->integer(), 20);
  EXPECT_FALSE(scene_options(*scene, "grasp", {{"sample", ValueKind::kInteger, ""}}).ok());
  EXPECT_TRUE(scene_options(*scene, "detail", {})->members().empty());
}

struct Mistake {
  const char* text;
  const char* message;
};

TEST(Scene, SaysWhatWouldBeRight) {
  const Mistake mistakes[] = {
      {"[[object]]\nshape = \"mug\"\nfrictoin = 1\n",
       "s.toml:3:1: unknown key \"frictoin\" in [[object]]; did you mean \"friction\"?"},
      {"[[object]]\nshape = \"mug\"\nmass = \"heavy\"\n",
       "s.toml:3:1: mass must be a number, not \"heavy\""},
      {"[[object]]\nshape = \"mug\"\nmass = -1\n",
       "s.toml:3:1: mass must be from 1e-06 to 1e+06, not -1"},
      {"[[object]]\nshape = \"mug\"\nmass = nan\n",
       "s.toml:3:1: mass must be from 1e-06 to 1e+06, not nan"},
      {"[[object]]\nshape = \"mugg\"\n",
       "s.toml:2:1: no built-in object \"mugg\"; did you mean \"mug\"?"},
      {"[[object]]\nmass = 1\n",
       "s.toml:1:1: [[object]] needs shape (a built-in's name) or file, one of them"},
      {"[[hand]]\nside = \"up\"\n", "s.toml:2:1: side must be \"left\" or \"right\", not \"up\""},
      {"[[hand]]\nlength = 19\n", "s.toml:2:1: length must be from 0.05 to 0.3, not 19"},
      {"[hand]\nside = \"left\"\n", "s.toml:1:2: hand must be an array of tables, not a table"},
      {"[[goal]]\nobject = \"mug\"\ntime = 1\nposition = [0,0,0]\n",
       "s.toml:2:1: the scene has no object \"mug\""},
      {"[[goal]]\ntime = 1\n", "s.toml:1:1: [[goal]] needs object"},
      {"[[hand]]\nrotation = [1, 1, 0, 0]\n",
       "s.toml:2:1: rotation must be a unit quaternion [w, x, y, z]; its length is 1.41"},
      {"[options.grsap]\n",
       "s.toml:1:10: unknown key \"grsap\" in [options]; did you mean \"grasp\"?"},
      {"[environment.table]\nheigth = 1\n",
       "s.toml:2:1: unknown key \"heigth\" in [environment.table]; did you mean \"height\"?"},
      {"[[object]]\nshape = \"mug\"\n[[motion]]\nof = \"mug\"\nkeyframe = [{time = 1}, {time = "
       "1}]\n",
       "s.toml:5:26: time must be later than in the keyframe before"},
      {"[[hand]]\nname = \"a\"\n[[object]]\nname = \"a\"\nshape = \"mug\"\n",
       "s.toml:4:1: two things are called \"a\""},
  };
  for (const Mistake& mistake : mistakes) {
    const auto scene = parse_scene(mistake.text, "s.toml");
    ASSERT_FALSE(scene.ok()) << mistake.text;
    EXPECT_EQ(scene.message(), mistake.message);
  }
}

TEST(Scene, AnswersDamagedFilesWithAValueOrOneLine) {
  const double refused = testing::expect_value_or_one_line(
      kScene, [](const std::string& b) { return parse_scene(b, "m.toml"); });
  EXPECT_GT(refused, 0.4);
}

TEST(Scene, RefusesMoreThanAThousandOfAKind) {
  for (const std::string kind : {"object", "hand"}) {
    const std::string one = "[[" + kind + "]]\n" + (kind == "hand" ? "side" : "shape") + " = \"" +
                            (kind == "hand" ? "left" : "mug") + "\"\n";
    std::string text = kind == "hand" ? "[[object]]\nshape = \"mug\"\n" : "";
    for (int i = 0; i < 1000; ++i) text += one;
    const auto full = parse_scene(text, "s.toml");
    EXPECT_TRUE(full.ok()) << full.message();
    const auto scene = parse_scene(text + one, "s.toml");
    ASSERT_FALSE(scene.ok());
    EXPECT_EQ(scene.message(), kind == "hand"
                                   ? "s.toml:2003:1: a scene has at most 1000 [[hand]]"
                                   : "s.toml:2001:1: a scene has at most 1000 [[object]]");
  }
}

TEST(Scene, ExamplesAreRight) {
  for (const char* path :
       {"tests/io/scenes/mug_lift.toml", "tests/io/scenes/bottle_keyframes.toml"}) {
    const auto scene = read_scene(path);
    EXPECT_TRUE(scene.ok()) << scene.message();
  }
}

TEST(Scene, ReferenceInTheDocumentsIsTheSchemas) {
  const auto text = read_file("docs/scene.md");
  ASSERT_TRUE(text.ok()) << text.message();
  EXPECT_NE(text->find(scene_reference()), std::string::npos) << "docs/scene.md must contain:\n"
                                                              << scene_reference();
}

}  // namespace
}  // namespace prehend::io
