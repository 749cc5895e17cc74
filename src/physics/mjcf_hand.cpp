#include "prehend/physics/mjcf_hand.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "physics/mjcf_import.h"

namespace prehend::physics {
namespace {

// A coordinate of the hand and where the file keeps it.
struct CoordinateSource {
  JointType type = JointType::kHinge;
  int qpos = 0;
};

// Where a body of the file ended up.
struct Place {
  int segment = -1;
  Transform segment_from_body;
};

class Assembler {
 public:
  Assembler(const mjModel* m, const std::string& file, const LabeledBodies& found,
            const RestFrames& rest, const BoneFrames& bones, std::vector<std::string>& warnings)
      : m_(m), file_(file), found_(found), rest_(rest), bones_(bones), warnings_(warnings) {}

  Status run(Hand& hand, std::vector<CoordinateSource>& sources, Transform& root_in_body) {
    hand.xr_segments.fill(-1);
    places_.resize(static_cast<size_t>(m_->nbody));
    const int root = found_.bodies[0];
    for (int body = root; body < m_->nbody; ++body) {
      if (!below(m_, body, root)) continue;
      if (Status status = add_body(body, hand, sources); !status) return status;
    }
    root_in_body = places_[static_cast<size_t>(root)].segment_from_body.inverse();
    for (size_t joint = 0; joint < kXrJointCount; ++joint) {
      if (found_.bodies[joint] < 0) continue;
      hand.xr_segments[joint] = places_[static_cast<size_t>(found_.bodies[joint])].segment;
    }
    for (const Digit digit : kDigits) {
      const int tip = xr_tip_of(digit);
      hand.xr_segments[static_cast<size_t>(tip)] =
          hand.xr_segments[static_cast<size_t>(xr_joint_parent(tip))];
    }
    return {};
  }
  const Place& place(int body) const { return places_[static_cast<size_t>(body)]; }

 private:
  int label(int body) const {
    for (size_t joint = 0; joint < kXrJointCount; ++joint) {
      if (found_.bodies[joint] == body) return static_cast<int>(joint);
    }
    return -1;
  }

  std::string segment_name(int body) const {
    const int joint = label(body);
    if (joint >= 0) return std::string(xr_joint_names()[static_cast<size_t>(joint)]);
    const std::string name = name_of(m_, mjOBJ_BODY, body);
    return name.empty() ? fmt::format("body{}", body) : name;
  }

  // The labeled bone's axes in its body's frame.
  Quat turned(int body) const {
    const int joint = label(body);
    if (found_.openxr_names || joint < 0 || !bones_.axes[static_cast<size_t>(joint)]) {
      return Quat::Identity();
    }
    return (rest_.bodies[static_cast<size_t>(body)].rotation.conjugate() *
            *bones_.axes[static_cast<size_t>(joint)])
        .normalized();
  }

  Status add_body(int body, Hand& hand, std::vector<CoordinateSource>& sources) {
    const bool root = body == found_.bodies[0];
    std::vector<int> joints;
    for (int k = 0; k < m_->body_jntnum[body] && !root; ++k) {
      const int joint = m_->body_jntadr[body] + k;
      if (m_->jnt_type[joint] == mjJNT_FREE) {
        return Error{fmt::format("{}: body \"{}\" below the wrist floats freely", file_,
                                 name_of(m_, mjOBJ_BODY, body))};
      }
      if (m_->jnt_type[joint] == mjJNT_SLIDE) {
        warnings_.push_back(fmt::format("sliding joint \"{}\" is held at its zero",
                                        name_of(m_, mjOBJ_JOINT, joint)));
        continue;
      }
      joints.push_back(joint);
    }
    Place& own = places_[static_cast<size_t>(body)];
    if (!root && joints.empty() && label(body) < 0) {
      const Place& parent = places_[static_cast<size_t>(m_->body_parentid[body])];
      own = {parent.segment, parent.segment_from_body * body_frame(body)};
    } else {
      add_segments(body, root, joints, hand, sources);
    }
    add_content(body, own, hand.segments[static_cast<size_t>(own.segment)]);
    return {};
  }

  Transform body_frame(int body) const {
    return {to_quat(m_->body_quat + 4 * body), to_vec3(m_->body_pos + 3 * body)};
  }

  // One segment for each run of joints that share an anchor; the last carries the body.
  void add_segments(int body, bool root, const std::vector<int>& joints, Hand& hand,
                    std::vector<CoordinateSource>& sources) {
    const Quat turn = turned(body);
    Transform before;  // the segment above, in this body's frame
    int parent = -1;
    if (!root) {
      const Place& above = places_[static_cast<size_t>(m_->body_parentid[body])];
      parent = above.segment;
      before = body_frame(body).inverse() * above.segment_from_body.inverse();
    }
    size_t k = 0;
    do {
      Vec3 anchor = Vec3::Zero();
      if (root && m_->body_jntnum[body] > 0 && !found_.openxr_names) {
        anchor = to_vec3(m_->jnt_pos + 3 * m_->body_jntadr[body]);
      } else if (k < joints.size()) {
        anchor = to_vec3(m_->jnt_pos + 3 * joints[k]);
      }
      const Transform frame{turn, anchor};
      Segment segment;
      segment.parent = parent;
      if (!root) segment.rest_parent = before.inverse() * frame;
      for (; k < joints.size(); ++k) {
        if ((to_vec3(m_->jnt_pos + 3 * joints[k]) - anchor).norm() > 1e-9) break;
        segment.joints.push_back(read_joint(joints[k], turn));
        sources.push_back({segment.joints.back().type, m_->jnt_qposadr[joints[k]]});
      }
      segment.name = segment_name(body);
      if (k < joints.size()) segment.name += fmt::format("-{}", k);
      parent = hand.segment_count();
      before = frame;
      hand.segments.push_back(std::move(segment));
    } while (k < joints.size());
    places_[static_cast<size_t>(body)] = {parent, before.inverse()};
    set_digit(body, hand.segments.back());
  }

  void set_digit(int body, Segment& segment) const {
    const int joint = label(body);
    for (const Digit digit : kDigits) {
      const int tip = xr_tip_of(digit);
      const int first = tip - (digit == Digit::kThumb ? 3 : 4);
      if (joint < first || joint >= tip) continue;
      segment.digit = digit;
      segment.phalanx = joint - first;
      if (digit == Digit::kThumb && segment.phalanx == 2) segment.phalanx = 3;
    }
  }

  Joint read_joint(int joint, const Quat& turn) const {
    Joint out;
    out.name = name_of(m_, mjOBJ_JOINT, joint);
    if (out.name.empty()) out.name = fmt::format("joint{}", joint);
    out.type = m_->jnt_type[joint] == mjJNT_BALL ? JointType::kBall : JointType::kHinge;
    const bool ball = out.type == JointType::kBall;
    if (!ball) out.axis = (turn.conjugate() * to_vec3(m_->jnt_axis + 3 * joint)).normalized();
    out.lower.setConstant(-kPi);
    out.upper.setConstant(kPi);
    if (!ball) out.lower.tail<2>().setZero(), out.upper.tail<2>().setZero();
    if (m_->jnt_limited[joint]) {
      const double zero = ball ? 0.0 : m_->qpos0[m_->jnt_qposadr[joint]];
      const double low = m_->jnt_range[2 * joint], high = m_->jnt_range[2 * joint + 1];
      if (ball) {
        out.lower.setConstant(-high);
        out.upper.setConstant(high);
      } else {
        out.lower[0] = low - zero;
        out.upper[0] = high - zero;
      }
    }
    out.passive_stiffness = m_->jnt_stiffness[joint];
    out.damping = m_->dof_damping[m_->jnt_dofadr[joint]];
    return out;
  }

  void add_content(int body, const Place& place, Segment& segment) {
    for (const Capsule& c : body_capsules(m_, body, warnings_)) {
      segment.capsules.push_back(place.segment_from_body * c);
    }
    const double mass = m_->body_mass[body];
    if (mass <= 0.0) return;
    const Transform inertial{to_quat(m_->body_iquat + 4 * body), to_vec3(m_->body_ipos + 3 * body)};
    const Transform frame = place.segment_from_body * inertial;
    const Mat3 axes = frame.rotation.toRotationMatrix();
    const Mat3 inertia =
        axes * to_vec3(m_->body_inertia + 3 * body).asDiagonal() * axes.transpose();
    const double total = segment.mass + mass;
    const Vec3 center = (segment.mass * segment.center_of_mass + mass * frame.position) / total;
    const auto shifted = [&](const Mat3& about_own, double part, const Vec3& own) -> Mat3 {
      const Vec3 r = own - center;
      return about_own + part * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    };
    segment.inertia = shifted(segment.inertia, segment.mass, segment.center_of_mass) +
                      shifted(inertia, mass, frame.position);
    segment.mass = total;
    segment.center_of_mass = center;
  }

  const mjModel* m_;
  const std::string& file_;
  const LabeledBodies& found_;
  const RestFrames& rest_;
  const BoneFrames& bones_;
  std::vector<std::string>& warnings_;
  std::vector<Place> places_;
};

// Pulp of a digit: under the end of its last capsule, unless the file has sites that say.
void set_pad(const mjModel* m, const LabeledBodies& found, const Assembler& assembler, size_t d,
             Hand& hand) {
  const int tip_joint = xr_tip_of(kDigits[d]);
  const int segment = hand.xr_segments[static_cast<size_t>(tip_joint)];
  if (segment < 0) return;
  const Segment& s = hand.segments[static_cast<size_t>(segment)];
  const int distal = found.bodies[static_cast<size_t>(xr_joint_parent(tip_joint))];
  const Transform& place = assembler.place(distal).segment_from_body;
  FingerPad& pad = hand.pads[d];
  pad.segment = segment;
  Capsule last;
  for (const Capsule& c : s.capsules) {
    if (std::min(c.a.z(), c.b.z()) - c.radius < std::min(last.a.z(), last.b.z()) - last.radius) {
      last = c;
    }
  }
  const Vec3 end = last.a.z() < last.b.z() ? last.a : last.b;
  pad.point = end - last.radius * Vec3::UnitY();
  pad.tip = found.tips[d] ? place * *found.tips[d] : Vec3(end - last.radius * Vec3::UnitZ());
  const auto site_of = [&](const char* what) {
    const std::string name = fmt::format("{}-{}", to_string(kDigits[d]), what);
    const int site = mj_name2id(m, mjOBJ_SITE, name.c_str());
    return site >= 0 && m->site_bodyid[site] == distal ? site : -1;
  };
  if (const int site = site_of("pad"); site >= 0) {
    pad.point = place * to_vec3(m->site_pos + 3 * site);
    pad.normal = place.turn(to_quat(m->site_quat + 4 * site) * Vec3::UnitZ());
  }
  if (const int site = site_of("nail"); site >= 0) {
    pad.nail_normal = place.turn(to_quat(m->site_quat + 4 * site) * Vec3::UnitZ());
  }
}

void set_overlapping(const mjModel* m, const LabeledBodies& found, const Assembler& assembler,
                     Hand& hand) {
  if (found.openxr_names && m->nexclude > 0) {
    for (int i = 0; i < m->nexclude; ++i) {
#if mjVERSION_HEADER >= 300
      const int a = m->exclude_signature[i] >> 16, b = m->exclude_signature[i] & 0xffff;
#else
      const int a = (m->exclude_signature[i] >> 16) - 1, b = (m->exclude_signature[i] & 0xffff) - 1;
#endif
      if (a <= 0 || b <= 0 || a >= m->nbody || b >= m->nbody) continue;
      const int first = assembler.place(a).segment, second = assembler.place(b).segment;
      if (first < 0 || second < 0) continue;
      hand.overlapping.emplace_back(std::min(first, second), std::max(first, second));
    }
    return;
  }
  // Neighbors that overlap at rest do so by construction.
  const std::vector<Transform> frames = segment_frames(hand, rest_pose(hand));
  for (size_t i = 0; i < frames.size(); ++i) {
    for (size_t j = i + 1; j < frames.size(); ++j) {
      bool overlap = hand.segments[j].parent == static_cast<int>(i);
      for (const Capsule& a : hand.segments[i].capsules) {
        for (const Capsule& b : hand.segments[j].capsules) {
          overlap = overlap || distance(frames[i] * a, frames[j] * b) < 0.0;
        }
      }
      if (overlap) hand.overlapping.emplace_back(static_cast<int>(i), static_cast<int>(j));
    }
  }
}

std::string custom_text(const mjModel* m, const char* name) {
  const int id = mj_name2id(m, mjOBJ_TEXT, name);
  return id < 0 ? "" : std::string(m->text_data + m->text_adr[id]);
}
double custom_number(const mjModel* m, const char* name) {
  const int id = mj_name2id(m, mjOBJ_NUMERIC, name);
  return id < 0 || m->numeric_size[id] < 1 ? 0.0 : m->numeric_data[m->numeric_adr[id]];
}

void set_sizes(const mjModel* m, Hand& hand) {
  hand.length = custom_number(m, "prehend-length");
  hand.breadth = custom_number(m, "prehend-breadth");
  if (hand.length > 0.0 && hand.breadth > 0.0) return;
  const std::vector<Transform> frames = segment_frames(hand, rest_pose(hand));
  // Along the straightened middle finger, or the longest there is.
  for (size_t d = 0; d < kDigitCount; ++d) {
    if (hand.pads[d].segment < 0) continue;
    double length = hand.pads[d].tip.norm();
    for (int s = hand.pads[d].segment; s > 0; s = hand.segments[static_cast<size_t>(s)].parent) {
      length += hand.segments[static_cast<size_t>(s)].rest_parent.position.norm();
    }
    hand.length = std::max(hand.length, length);
  }
  const int index = hand.find("index-proximal"), little = hand.find("little-proximal");
  if (index >= 0 && little >= 0) {
    hand.breadth =
        (frames[static_cast<size_t>(index)].position - frames[static_cast<size_t>(little)].position)
            .norm();
    for (const int s : {index, little}) {
      const auto& capsules = hand.segments[static_cast<size_t>(s)].capsules;
      if (!capsules.empty()) hand.breadth += capsules[0].radius;
    }
  }
}

Status check_finite(const std::string& file, const Hand& hand) {
  for (const Segment& s : hand.segments) {
    const bool fine = all_finite(s.rest_parent) && std::isfinite(s.mass) && s.inertia.allFinite() &&
                      s.rest_parent.position.norm() < 100.0;
    if (!fine) {
      return Error{
          fmt::format("{}: body \"{}\" is not finite or more than 100 m from its parent; "
                      "lengths are meters",
                      file, s.name)};
    }
  }
  return {};
}

}  // namespace

struct MjcfHand::Impl {
  std::string file;
  ModelPtr model;
  HandPtr hand;
  HandLabels labels;
  std::vector<std::string> warnings;
  std::vector<std::string> joint_names;
  std::vector<CoordinateSource> sources;
  Transform root_in_body;
  int root_body = 0;
  Quat world_from_file;

  static Result<MjcfHand> build(ModelPtr model, const std::string& file, const HandLabels& labels);
  static Result<MjcfHand> build_guarded(ModelPtr model, const std::string& file,
                                        const HandLabels& labels) {
    try {
      return build(std::move(model), file, labels);
    } catch (const EngineError& e) {
      return Error{file + ": " + e.what()};
    }
  }
  Result<std::vector<int>> match(std::span<const std::string> columns) const;
  void place(const std::vector<int>& targets, const Eigen::VectorXd& row, mjData* d) const;
  Transform body_world(const mjData* d, int body) const {
    const Transform turn{world_from_file, Vec3::Zero()};
    return turn * Transform{to_quat(d->xquat + 4 * body), to_vec3(d->xpos + 3 * body)};
  }
};

MjcfHand::MjcfHand() : impl_(std::make_unique<Impl>()) {}
MjcfHand::~MjcfHand() = default;
MjcfHand::MjcfHand(MjcfHand&&) noexcept = default;
MjcfHand& MjcfHand::operator=(MjcfHand&&) noexcept = default;
const HandPtr& MjcfHand::hand() const { return impl_->hand; }
const HandLabels& MjcfHand::labels() const { return impl_->labels; }
const std::vector<std::string>& MjcfHand::warnings() const { return impl_->warnings; }
const std::vector<std::string>& MjcfHand::joint_names() const { return impl_->joint_names; }
Quat MjcfHand::world_from_file() const { return impl_->world_from_file; }

Result<MjcfHand> MjcfHand::Impl::build(ModelPtr model, const std::string& file,
                                       const HandLabels& labels) {
  MjcfHand result;
  Impl& impl = *result.impl_;
  impl.file = file;
  impl.labels = labels;
  const mjModel* m = model.get();
  Result<LabeledBodies> found = find_bodies(m, file, impl.labels, impl.warnings);
  if (!found) return found.error();
  const DataPtr data(mj_makeData(m));
  if (!data) return Error{file + ": too large a model"};
  const RestFrames rest = rest_frames(m, data.get());
  const std::string side_text = custom_text(m, "prehend-side");
  if (!impl.labels.side && !side_text.empty()) {
    impl.labels.side = side_text == "left" ? Side::kLeft : Side::kRight;
  }
  const BoneFrames bones = bone_frames(m, rest, *found, impl.labels.side);
  impl.labels.side = bones.side;
  Hand hand;
  hand.side = bones.side;
  hand.name = !labels.name.empty() ? labels.name : custom_text(m, "prehend-name");
  if (hand.name.empty()) hand.name = to_string(hand.side);
  const std::string profile = custom_text(m, "prehend-profile");
  hand.profile = profile.empty() ? "custom" : profile;
  Assembler assembler(m, file, *found, rest, bones, impl.warnings);
  if (Status status = assembler.run(hand, impl.sources, impl.root_in_body); !status) {
    return status.error();
  }
  if (Status status = check_finite(file, hand); !status) return status.error();
  if (m->nuser_jnt >= 1) {
    for (Segment& segment : hand.segments) {
      for (Joint& joint : segment.joints) {
        const int id = mj_name2id(m, mjOBJ_JOINT, joint.name.c_str());
        if (id >= 0) joint.max_torque = m->jnt_user[m->nuser_jnt * id];
      }
    }
  }
  for (size_t d = 0; d < kDigitCount; ++d) set_pad(m, *found, assembler, d, hand);
  set_overlapping(m, *found, assembler, hand);
  set_sizes(m, hand);
  for (int joint = 0; joint < m->njnt; ++joint) {
    impl.joint_names.push_back(name_of(m, mjOBJ_JOINT, joint));
  }
  const Vec3 gravity = to_vec3(m->opt.gravity);
  const Vec3 up = gravity.norm() > 0.0 ? Vec3(-gravity.normalized()) : Vec3(Vec3::UnitZ());
  impl.world_from_file = Quat::FromTwoVectors(up, Vec3::UnitY());
  impl.root_body = found->bodies[0];
  impl.hand = std::make_shared<const Hand>(std::move(hand));
  impl.model = std::move(model);
  return result;
}

Result<MjcfHand> MjcfHand::load(const std::string& path, const HandLabels& labels) {
  Result<ModelPtr> model = compile_file(path);
  if (!model) return model.error();
  return Impl::build_guarded(std::move(*model), path, labels);
}

Result<MjcfHand> MjcfHand::parse(const std::string& mjcf, const std::string& name,
                                 const HandLabels& labels) {
  Result<ModelPtr> model = compile_text(mjcf, name);
  if (!model) return model.error();
  return Impl::build_guarded(std::move(*model), name, labels);
}

// Position of each column's joint in qpos, -1 for columns of other things.
Result<std::vector<int>> MjcfHand::Impl::match(std::span<const std::string> columns) const {
  std::vector<int> targets;
  int matched = 0;
  for (std::string column : columns) {
    int joint = mj_name2id(model.get(), mjOBJ_JOINT, column.c_str());
    for (const char* unit : {"_rad", "_m"}) {
      if (joint < 0 && column.ends_with(unit)) {
        const std::string bare = column.substr(0, column.size() - std::string_view(unit).size());
        joint = mj_name2id(model.get(), mjOBJ_JOINT, bare.c_str());
      }
    }
    const bool scalar = joint >= 0 && (model->jnt_type[joint] == mjJNT_HINGE ||
                                       model->jnt_type[joint] == mjJNT_SLIDE);
    targets.push_back(scalar ? model->jnt_qposadr[joint] : -1);
    matched += scalar ? 1 : 0;
  }
  if (matched == 0) {
    return Error{
        fmt::format("{}: none of the {} columns is a joint of the hand", file, columns.size())};
  }
  return targets;
}

void MjcfHand::Impl::place(const std::vector<int>& targets, const Eigen::VectorXd& row,
                           mjData* d) const {
  std::copy_n(model->qpos0, model->nq, d->qpos);
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] >= 0) d->qpos[targets[i]] = row[static_cast<Eigen::Index>(i)];
  }
  mj_kinematics(model.get(), d);
}

Result<std::vector<HandPose>> MjcfHand::poses(std::span<const std::string> columns,
                                              const Eigen::MatrixXd& rows) const {
  const Impl& impl = *impl_;
  Result<std::vector<int>> targets = impl.match(columns);
  if (!targets) return targets.error();
  if (rows.cols() != static_cast<Eigen::Index>(columns.size())) {
    return Error{
        fmt::format("{}: {} columns named, {} given", impl.file, columns.size(), rows.cols())};
  }
  const DataPtr data(mj_makeData(impl.model.get()));
  std::vector<HandPose> poses;
  Eigen::VectorXd q(impl.hand->dof());
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    if (!rows.row(r).allFinite()) {
      return Error{fmt::format("{}: row {} of the recording has a number that is not finite",
                               impl.file, r + 1)};
    }
    impl.place(*targets, rows.row(r), data.get());
    int k = 0;
    for (const CoordinateSource& source : impl.sources) {
      const mjtNum* here = data->qpos + source.qpos;
      const mjtNum* zero = impl.model->qpos0 + source.qpos;
      if (source.type == JointType::kBall) {
        q.segment<3>(k) = log_map(to_quat(zero).conjugate() * to_quat(here));
        k += 3;
      } else {
        q[k++] = here[0] - zero[0];
      }
    }
    const Transform root = impl.body_world(data.get(), impl.root_body) * impl.root_in_body;
    poses.push_back(pose_from_coordinates(*impl.hand, root, q));
  }
  return poses;
}

Result<std::vector<Vec3>> MjcfHand::positions(std::span<const std::string> columns,
                                              const Eigen::VectorXd& row,
                                              std::span<const std::string> names) const {
  const Impl& impl = *impl_;
  Result<std::vector<int>> targets = impl.match(columns);
  if (!targets) return targets.error();
  const DataPtr data(mj_makeData(impl.model.get()));
  impl.place(*targets, row, data.get());
  std::vector<Vec3> out;
  for (const std::string& name : names) {
    const int body = mj_name2id(impl.model.get(), mjOBJ_BODY, name.c_str());
    const int site = mj_name2id(impl.model.get(), mjOBJ_SITE, name.c_str());
    if (body < 0 && site < 0) return Error{impl.file + ": no body or site named " + name};
    const mjtNum* at = body >= 0 ? data->xpos + 3 * body : data->site_xpos + 3 * site;
    out.push_back(impl.world_from_file * to_vec3(at));
  }
  return out;
}

}  // namespace prehend::physics
