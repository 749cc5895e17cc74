#include "prehend/geometry/prepared_object.h"

#include <mutex>

#include "prehend/core/assert.h"

namespace prehend::geometry {

struct PreparedObject::Distances {
  std::once_flag exact_made, contact_made;
  std::shared_ptr<const ExactDistance> exact;
  std::shared_ptr<const SignedDistance> contact;
};

PreparedObject::PreparedObject(ObjectPtr object)
    : object_(std::move(object)), distances_(std::make_unique<Distances>()) {
  PREHEND_ASSERT(object_ && object_->shape.mesh);
  box_ = bounding_box(*object_->shape.mesh);
}

PreparedObject::~PreparedObject() = default;

const std::shared_ptr<const ExactDistance>& PreparedObject::exact() const {
  std::call_once(distances_->exact_made,
                 [this] { distances_->exact = exact_distance(object_->shape); });
  return distances_->exact;
}

const std::shared_ptr<const SignedDistance>& PreparedObject::contact() const {
  std::call_once(distances_->contact_made, [this] {
    if (object_->shape.kind == ShapeKind::kMesh)
      distances_->contact = brick_field(exact(), object_->shape, {kContactSpacing});
    else
      distances_->contact = exact();
  });
  return distances_->contact;
}

PreparedObjectPtr prepare(ObjectPtr object) {
  return std::make_shared<const PreparedObject>(std::move(object));
}

}  // namespace prehend::geometry
