#include "prehend/picture/clip_picture.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "prehend/core/hand_builder.h"
#include "prehend/io/skin_asset.h"
#include "prehend/picture/film.h"

namespace prehend::picture {
namespace {

ObjectPtr tetrahedron() {
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->vertices = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
  mesh->faces = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  auto object = std::make_shared<Object>();
  object->name = "tetrahedron";
  object->shape.mesh = mesh;
  return object;
}

// A hand above a solid that travels 10 cm along x in ten frames, pushed upwards by 2 N.
Clip moving_clip() {
  Clip clip;
  clip.name = "test";
  clip.frame_rate = 10.0;
  HandTrack hand;
  hand.hand = std::make_shared<Hand>(*build_hand());
  ObjectTrack object;
  object.object = tetrahedron();
  for (int i = 0; i <= 10; ++i) {
    HandPose pose = rest_pose(*hand.hand);
    pose.root_world.position = Vec3(0, 0.3, 0);
    hand.poses.push_back(pose);
    object.poses_world.push_back(Transform::from_position(Vec3(0.01 * i, 0.2, 0)));
    Contact contact;
    contact.on = ContactSide::object(0);
    contact.point_on = Vec3(0.01, 0, 0.01);
    contact.force_world = Vec3(0, 2, 0);
    clip.contacts.push_back({contact});
  }
  clip.hands.push_back(hand);
  clip.objects.push_back(object);
  clip.forces_recorded = true;
  return clip;
}

PictureOptions tiny() {
  PictureOptions options;
  options.width = 65;
  options.height = 49;
  options.samples = 1;
  return options;
}

TEST(ClipPicture, PosesBetweenFramesAreInterpolated) {
  const Clip clip = moving_clip();
  const ClipPainter painter(clip, {.skin = io::generic_hand_skin});
  const PictureScene scene = painter.scene(0.25);
  ASSERT_EQ(scene.meshes.size(), 2u);
  EXPECT_NEAR(scene.meshes[1].world_from_mesh.position.x(), 0.025, 1e-12);
}

TEST(ClipPicture, AnArrowEndsWhereItsForceActs) {
  const Clip clip = moving_clip();
  ClipPictureOptions options = {.skin = io::generic_hand_skin};
  options.meters_per_newton = 0.01;
  const PictureScene scene = ClipPainter(clip, options).scene(1.0);
  ASSERT_EQ(scene.arrows.size(), 1u);
  const PictureArrow& arrow = scene.arrows[0];
  EXPECT_NEAR((arrow.tail_world + arrow.vector_world - Vec3(0.11, 0.2, 0.01)).norm(), 0, 1e-12);
  EXPECT_NEAR((arrow.vector_world - Vec3(0, 0.02, 0)).norm(), 0, 1e-12);
}

TEST(ClipPicture, OptionsLeaveThingsOut) {
  const Clip clip = moving_clip();
  ClipPictureOptions options = {.skin = io::generic_hand_skin};
  options.skin = nullptr;
  options.objects = options.points = options.forces = false;
  const PictureScene scene = ClipPainter(clip, options).scene(0.0);
  EXPECT_TRUE(scene.meshes.empty());
  EXPECT_TRUE(scene.arrows.empty());
  std::size_t capsules = 0;
  for (const Segment& segment : clip.hands[0].hand->segments) capsules += segment.capsules.size();
  EXPECT_EQ(scene.capsules.size(), capsules);
}

TEST(ClipPicture, TheSkinLiesAroundTheCapsules) {
  const Hand hand = *build_hand();
  const auto skin = picture_skin(hand, io::generic_hand_skin);
  ASSERT_TRUE(skin.has_value());
  PictureScene with_skin, with_capsules;
  add_hand_skin(*skin, hand, rest_pose(hand), skin_material(), with_skin);
  add_hand_capsules(hand, rest_pose(hand), skin_material(), with_capsules);
  // The fingertips are where both end.
  const auto farthest = [](const PictureScene& scene) {
    double z = 0.0;
    for (const Vec3& p : framing_points(scene)) z = std::min(z, p.z());
    return z;
  };
  EXPECT_NEAR(farthest(with_skin), farthest(with_capsules), 0.006);
}

TEST(ClipPicture, OneCameraSeesTheWholeClip) {
  const Clip clip = moving_clip();
  const ClipPainter painter(clip, {.skin = io::generic_hand_skin});
  const Camera camera = painter.framed({}, 4.0 / 3.0, 0.0, clip.duration());
  for (const double time : {0.0, 0.5, 1.0}) {
    for (const Vec3& point : framing_points(painter.scene(time))) {
      const Eigen::Vector2d at = project(camera, 400, 300, point);
      EXPECT_TRUE(at.x() > 0 && at.x() < 400 && at.y() > 0 && at.y() < 300) << at.transpose();
    }
  }
}

TEST(ClipPicture, TheCameraLeftOpenDoesNotLookAlongTheForearm) {
  for (const double turn : {0.0, 1.0, 2.5, -2.0}) {
    Clip clip = moving_clip();
    for (HandPose& pose : clip.hands[0].poses)
      pose.root_world.rotation = exp_map(Vec3(0, turn, 0)) * pose.root_world.rotation;
    const Camera camera =
        ClipPainter(clip, {.skin = io::generic_hand_skin}).framed({}, 4.0 / 3.0, 0.0, 1.0);
    const Vec3 back(std::sin(*camera.azimuth), 0, std::cos(*camera.azimuth));
    const Vec3 forearm = exp_map(Vec3(0, turn, 0)) * Vec3::UnitZ();
    EXPECT_LT(back.dot(forearm), 0.6) << turn;
  }
}

TEST(ClipPicture, AFixedObjectDoesNotWidenThePicture) {
  Clip clip = moving_clip();
  const Camera alone =
      ClipPainter(clip, {.skin = io::generic_hand_skin}).framed({}, 4.0 / 3.0, 0.0, 1.0);
  auto table = std::make_shared<Object>(*tetrahedron());
  auto mesh = std::make_shared<TriangleMesh>(*table->shape.mesh);
  for (Vec3& v : mesh->vertices) v *= 20.0;
  table->shape.mesh = mesh;
  table->fixed = true;
  clip.objects.push_back({table, std::vector<Transform>(11, Transform::from_position({0, -3, 0}))});
  const Camera both =
      ClipPainter(clip, {.skin = io::generic_hand_skin}).framed({}, 4.0 / 3.0, 0.0, 1.0);
  EXPECT_NEAR(*both.distance, *alone.distance, 1e-9);
}

TEST(ClipPicture, TheFloorStandsStillBelowEverything) {
  const Clip clip = moving_clip();
  const ClipPainter painter(clip, {.skin = io::generic_hand_skin});
  const double height = *painter.scene(0.0).floor_height;
  for (const double time : {0.0, 0.3, 1.0}) {
    EXPECT_EQ(*painter.scene(time).floor_height, height);
    for (const Vec3& point : framing_points(painter.scene(time))) EXPECT_GE(point.y(), height);
  }
}

class FilmFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() /
             ("prehend_film_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
              ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  bool empty() const { return std::filesystem::is_empty(folder); }
  std::filesystem::path folder;
};

TEST_F(FilmFile, OfAClipIsAnMp4) {
  const Clip clip = moving_clip();
  ClipFilmOptions options;
  options.picture = tiny();
  options.frame_rate = 5.0;
  const std::string path = (folder / "film.mp4").string();
  int reports = 0;
  Monitor monitor;
  monitor.progress = [&reports](double, const std::string&) { ++reports; };
  const Result<Summary> result = write_clip_film(path, clip, options, monitor);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result->iterations, 6);  // one second at five a second, both ends
  EXPECT_EQ(reports, 6);
  std::ifstream file(path, std::ios::binary);
  char head[12] = {};
  file.read(head, sizeof head);
  EXPECT_EQ(std::string(head + 4, 4), "ftyp");
}

TEST_F(FilmFile, StoppedEarlyHoldsWhatIsDone) {
  std::stop_source source;
  Monitor monitor;
  monitor.stop = source.get_token();
  const std::string path = (folder / "film.mp4").string();
  const auto picture = [&source](int i) {
    if (i == 2) source.request_stop();
    return Image(32, 32);
  };
  const Result<Summary> result = write_film(path, 100, 25.0, picture, monitor);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result->termination, Termination::kInterrupted);
  EXPECT_EQ(result->iterations, 3);
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(FilmFile, StoppedBeforeTheFirstFrameLeavesNothing) {
  std::stop_source source;
  source.request_stop();
  Monitor monitor;
  monitor.stop = source.get_token();
  const Result<Summary> result = write_film((folder / "film.mp4").string(), 10, 25.0,
                                            [](int) { return Image(32, 32); }, monitor);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->termination, Termination::kInterrupted);
  EXPECT_TRUE(empty());
}

TEST_F(FilmFile, WithoutFfmpegSaysSoAndLeavesNothing) {
  const std::string old = std::getenv("PATH");
  setenv("PATH", folder.c_str(), 1);
  const Result<Summary> result =
      write_film((folder / "film.mp4").string(), 2, 25.0, [](int) { return Image(32, 32); });
  setenv("PATH", old.c_str(), 1);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.message().find("ffmpeg"), std::string::npos);
  EXPECT_EQ(result.message().find('\n'), std::string::npos);
  EXPECT_TRUE(empty());
}

TEST_F(FilmFile, WhenFfmpegFailsNothingIsLeft) {
  const std::filesystem::path bin = folder / "bin";
  std::filesystem::create_directories(bin);
  {
    std::ofstream script(bin / "ffmpeg");
    script << "#!/bin/sh\necho first >&2\necho 'no such encoder' >&2\nexit 3\n";
  }
  std::filesystem::permissions(bin / "ffmpeg", std::filesystem::perms::owner_all);
  const std::string old = std::getenv("PATH");
  setenv("PATH", (bin.string() + ":" + old).c_str(), 1);
  const Result<Summary> result =
      write_film((folder / "film.mp4").string(), 200, 25.0, [](int) { return Image(320, 320); });
  setenv("PATH", old.c_str(), 1);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.message().find("no such encoder"), std::string::npos) << result.message();
  EXPECT_FALSE(std::filesystem::exists(folder / "film.mp4"));
  std::filesystem::remove_all(bin);
  EXPECT_TRUE(empty());
}

}  // namespace
}  // namespace prehend::picture
