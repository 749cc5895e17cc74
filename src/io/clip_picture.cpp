#include "prehend/io/clip_picture.h"

namespace prehend::io {

void add_hand_capsules(const Hand& hand, const HandPose& pose, const Material& material,
                       PictureScene& scene) {
  const std::vector<Transform> frames_world = segment_frames(hand, pose);
  for (int s = 0; s < hand.segment_count(); ++s) {
    for (const Capsule& capsule : hand.segments[s].capsules)
      scene.capsules.push_back(
          {frames_world[s] * capsule.a, frames_world[s] * capsule.b, capsule.radius, material});
  }
}

void add_object(const Object& object, const Transform& pose_world, const Material& material,
                PictureScene& scene) {
  scene.meshes.push_back({object.shape.mesh, pose_world, material});
}

void add_contacts(const std::vector<Contact>& contacts, const std::vector<Transform>& poses_world,
                  const ContactMarks& marks, PictureScene& scene) {
  const Material point_material{{0.93, 0.78, 0.20}, 0.35};
  for (const Contact& contact : contacts) {
    if (contact.object < 0 || contact.object >= static_cast<int>(poses_world.size())) continue;
    const Vec3 point_world = poses_world[contact.object] * contact.point_object;
    if (marks.points)
      scene.capsules.push_back({point_world, point_world, marks.point_radius, point_material});
    const Vec3 vector_world = marks.metres_per_newton * contact.force_world;
    if (!marks.arrows || vector_world.norm() < marks.shortest) continue;
    PictureArrow arrow;
    arrow.tail_world = point_world - vector_world;
    arrow.vector_world = vector_world;
    scene.arrows.push_back(arrow);
  }
}

}  // namespace prehend::io
