// From the worst of a frame to a finding that names contact, joint and place.
#include <algorithm>

#include "audit/auditor.h"
#include "prehend/core/text.h"

namespace prehend::audit {

namespace {

// Middle of where two segments of a hand overlap the most.
Vec3 middle_of_overlap(const Hand& hand, const std::vector<Transform>& segments_world, int a,
                       int b) {
  double deepest = INFINITY;
  Vec3 middle = segments_world[a].position;
  for (const Capsule& first : hand.segments[a].capsules) {
    const Capsule one = segments_world[a] * first;
    for (const Capsule& second : hand.segments[b].capsules) {
      const Capsule other = segments_world[b] * second;
      const LinePair nearest = closest_on_lines(one.a, one.b, other.a, other.b);
      const double gap = nearest.distance - one.radius - other.radius;
      if (gap >= deepest) continue;
      deepest = gap;
      middle = 0.5 * (one.a + nearest.first * (one.b - one.a) + other.a +
                      nearest.second * (other.b - other.a));
    }
  }
  return middle;
}

// The joint that a coordinate of a hand belongs to, and its segment.
void name_joint(const Hand& hand, int coordinate, Finding& finding) {
  for (int s = 0; s < hand.segment_count(); ++s) {
    for (const Joint& joint : hand.segments[s].joints) {
      if (coordinate < joint.dof()) {
        finding.by.segment = s;
        finding.joint = printable(joint.name);
        return;
      }
      coordinate -= joint.dof();
    }
  }
}

std::string name_of(const Clip& clip, const ContactSide& side) {
  if (side.is_surroundings()) return "floor";
  if (side.is_object()) return printable(clip.objects[side.index].object->name);
  const Hand& hand = *clip.hands[side.index].hand;
  const std::string name = printable(hand.name);
  return side.segment < 0 ? name + " hand"
                          : name + " " + printable(hand.segments[side.segment].name);
}

void name_sides(const Clip& clip, Finding& finding) {
  finding.by_name = name_of(clip, finding.by);
  if (!finding.alone) finding.on_name = name_of(clip, finding.on);
  for (const ContactSide* side : {&finding.by, &finding.on}) {
    if (side->is_object() && finding.object.empty()) finding.object = name_of(clip, *side);
    if (!side->is_hand() || !finding.hand.empty()) continue;
    const Hand& hand = *clip.hands[side->index].hand;
    finding.hand = printable(hand.name);
    if (side->segment >= 0) finding.segment = printable(hand.segments[side->segment].name);
  }
}

}  // namespace

Finding Auditor::finding(Measure measure, int frame) const {
  const FrameFinding& found = findings_[frame][measure];
  Finding finding;
  finding.measure = measure;
  finding.value = found.value;
  finding.frame = frame;
  finding.time = frame / clip_.frame_rate;
  finding.by = found.by;
  finding.on = found.on;
  const ClipMoment moment = moment_of(clip_, frame);
  switch (measure) {
    case Measure::kPenetration:
    case Measure::kBeyondTissue:
    case Measure::kSlip:
      finding.contact = touching_[frame][found.detail];
      break;
    case Measure::kFriction:
      finding.contact = believed_contacts(frame, moment).contacts[found.detail];
      break;
    case Measure::kSelfPenetration:
      finding.point_world = middle_of_overlap(*clip_.hands[found.by.index].hand,
                                              moment.segments_world[found.by.index],
                                              found.by.segment, found.on.segment);
      break;
    case Measure::kLimits:
      finding.alone = true;
      name_joint(*clip_.hands[found.by.index].hand, found.detail, finding);
      finding.point_world = moment.frame_of(finding.by).position;
      break;
    case Measure::kDynamics:
      finding.alone = true;
      finding.point_world = moment.objects_world[found.by.index] *
                            clip_.objects[found.by.index].object->center_of_mass;
      break;
    case Measure::kThirdLaw:
      break;
  }
  if (finding.contact) finding.point_world = moment.point_world(*finding.contact);
  name_sides(clip_, finding);
  return finding;
}

}  // namespace prehend::audit
