#include "prehend/jobs/control_file.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "prehend/core/atomic_file.h"
#include "prehend/core/hand_builder.h"
#include "tests/methods/example_control/random_controller.h"

namespace prehend::jobs {
namespace {

using example_control::Controller;

Controller make_controller() {
  HandOptions options;
  options.profile = HandProfile::kBall;
  return example_control::random_controller(build_hand(options).value(), 1.0, 3);
}

// Of numbers that are written with nine digits and are of the order of one.
constexpr double kRounding = 1e-8;

TEST(ControlFile, WhatIsWrittenComesBack) {
  const Controller first = make_controller();
  const Controller second = mirrored(first);
  const auto path = std::filesystem::temp_directory_path() / "prehend_control_file_test.json";
  ASSERT_TRUE(write_controllers(path.string(), {first, second}).ok());
  const auto read = load_controllers(path.string());
  std::filesystem::remove(path);
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read->size(), 2u);
  for (const auto& [a, b] : {std::pair{&first, &(*read)[0]}, {&second, &(*read)[1]}}) {
    EXPECT_EQ(a->name, b->name);
    EXPECT_EQ(a->side, b->side);
    EXPECT_EQ(a->joints, b->joints);
    EXPECT_EQ(a->gains.limit_stiffness, b->gains.limit_stiffness);
    EXPECT_EQ(a->distances.near, b->distances.near);
    EXPECT_EQ(a->distances.far, b->distances.far);
    EXPECT_EQ(a->grip_distance, b->grip_distance);
    EXPECT_EQ(a->grip_seconds, b->grip_seconds);
    EXPECT_LT((a->neutral - b->neutral).norm(), kRounding);
    EXPECT_LT((a->lower - b->lower).norm(), kRounding);
    EXPECT_LT((a->upper - b->upper).norm(), kRounding);
    EXPECT_LT((a->positions - b->positions).norm(), kRounding);
    EXPECT_LT((a->velocities - b->velocities).norm(), kRounding);
    EXPECT_EQ(a->path.frame_rate, b->path.frame_rate);
    EXPECT_EQ(a->path.grip_frame, b->path.grip_frame);
    EXPECT_EQ(a->path.release_frame, b->path.release_frame);
    EXPECT_EQ(a->path.distances, b->path.distances);
    EXPECT_LT((a->path.target_center - b->path.target_center).norm(), kRounding);
    ASSERT_EQ(b->path.target_world.size(), 4u);
    for (int i = 0; i < 4; ++i) {
      EXPECT_LT((a->path.wrist_world[i].position - b->path.wrist_world[i].position).norm(),
                kRounding);
      EXPECT_LT(angle_between(a->path.target_world[i].rotation, b->path.target_world[i].rotation),
                1e-6);
    }
  }
}

TEST(ControlFile, SetpointsWrittenAgainAreTheSameBytes) {
  const io::Value once = controllers_value({make_controller()});
  const io::Value twice = controllers_value(parse_controllers(once, "file").value());
  EXPECT_EQ(io::to_json(*once.find("controllers")->items()[0].find("setpoints")),
            io::to_json(*twice.find("controllers")->items()[0].find("setpoints")));
}

TEST(ControlFile, AJointIsALine) {
  const std::string text = io::to_json_rows(controllers_value({make_controller()}));
  std::size_t at = text.find("\"index-proximal\": [");
  ASSERT_NE(at, std::string::npos);
  const std::string line = text.substr(at, text.find('\n', at) - at);
  EXPECT_NE(line.find(']'), std::string::npos) << line;
  EXPECT_LT(line.size(), 80u) << line;
}

TEST(ControlFile, WhatIsNotJsonIsOneClearLine) {
  const auto path = std::filesystem::temp_directory_path() / "prehend_not_a_controller.json";
  const auto message = [&](const std::string& text) {
    EXPECT_TRUE(write_file(path.string(), text).ok());
    const auto read = load_controllers(path.string());
    std::filesystem::remove(path);
    return read.ok() ? std::string("fine") : read.message();
  };
  const std::string advice = "; a controller is what prehend fit writes";
  EXPECT_EQ(message("{\n  \"format\": what\n}"),
            path.string() + ":2:13: not JSON from here on" + advice);
  EXPECT_EQ(message("{\"format\": "), path.string() + ": not JSON: it ends too soon" + advice);
}

TEST(ControlFile, MistakesNameFileAndPlace) {
  const auto message = [](auto&& spoil) {
    io::Value value = controllers_value({make_controller()});
    spoil(value);
    const auto read = parse_controllers(value, "x.json");
    return read.ok() ? std::string("fine") : read.message();
  };
  // Values hand out their members, not the items of lists: a list is made anew.
  const auto in_first = [&](auto&& spoil) {
    return message([&](io::Value& value) {
      io::Value item = value.find("controllers")->items()[0];
      spoil(item);
      value["controllers"] = io::Value::array();
      value["controllers"].push_back(item);
    });
  };
  EXPECT_EQ(message([](io::Value& v) { v["format"] = "something"; }),
            "x.json: not a controller: format should be \"prehend controller\"");
  EXPECT_EQ(message([](io::Value& v) { v["version"] = 2; }), "x.json: version should be 1");
  EXPECT_EQ(message([](io::Value& v) { v["controllers"] = io::Value::array(); }),
            "x.json: controllers should list one or more");
  EXPECT_EQ(in_first([](io::Value& v) { v["side"] = "up"; }),
            "x.json: controllers[0].side should be left or right");
  EXPECT_EQ(in_first([](io::Value& v) { v["damping"] = "much"; }),
            "x.json: controllers[0].damping should be a number");
  EXPECT_EQ(in_first([](io::Value& v) { v["neutral"]["index-distal"] = 1.0; }),
            "x.json: controllers[0].neutral.index-distal should be 3 numbers");
  EXPECT_EQ(in_first([](io::Value& v) { v["upper"] = io::Value::table(); }),
            "x.json: controllers[0].upper should have three numbers for each of the 19 joints");
  EXPECT_EQ(in_first([](io::Value& v) { v["d1"] = 0.4; }),
            "x.json: controllers[0]: D1 = 0.4 m and D2 = 0.3 m; give 0 < D1 < D2");
  EXPECT_EQ(in_first([](io::Value& v) { v["setpoints"] = io::Value::array(); }),
            "x.json: controllers[0].setpoints should list 6");
  EXPECT_EQ(in_first([](io::Value& v) { v["example"]["grip_frame"] = -1; }),
            "x.json: controllers[0].example.grip_frame should be a whole number");
}

}  // namespace
}  // namespace prehend::jobs
