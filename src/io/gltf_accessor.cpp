#include "io/gltf_accessor.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <tiny_gltf.h>

namespace prehend::io::gltf {
namespace {

// No clip or mesh comes near; a file that asks for more is broken or hostile.
constexpr std::uint64_t kMaxNumbers = std::uint64_t{1} << 27;

struct Block {
  const unsigned char* data = nullptr;
  std::uint64_t stride = 0;
};

template <typename T>
double load_as(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

double load_component(const unsigned char* at, int component_type) {
  switch (component_type) {
    case TINYGLTF_COMPONENT_TYPE_BYTE:
      return load_as<std::int8_t>(at);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
      return load_as<std::uint8_t>(at);
    case TINYGLTF_COMPONENT_TYPE_SHORT:
      return load_as<std::int16_t>(at);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
      return load_as<std::uint16_t>(at);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
      return load_as<std::uint32_t>(at);
    default:
      return load_as<float>(at);
  }
}

int component_size(int component_type) {
  switch (component_type) {
    case TINYGLTF_COMPONENT_TYPE_BYTE:
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
      return 1;
    case TINYGLTF_COMPONENT_TYPE_SHORT:
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
      return 2;
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
    case TINYGLTF_COMPONENT_TYPE_FLOAT:
      return 4;
    default:
      return 0;
  }
}

int component_count(int type) {
  switch (type) {
    case TINYGLTF_TYPE_SCALAR:
      return 1;
    case TINYGLTF_TYPE_VEC2:
      return 2;
    case TINYGLTF_TYPE_VEC3:
      return 3;
    case TINYGLTF_TYPE_VEC4:
      return 4;
    case TINYGLTF_TYPE_MAT4:
      return 16;
    default:
      return 0;
  }
}

double denormalized(double value, int component_type) {
  switch (component_type) {
    case TINYGLTF_COMPONENT_TYPE_BYTE:
      return std::max(value / 127.0, -1.0);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
      return value / 255.0;
    case TINYGLTF_COMPONENT_TYPE_SHORT:
      return std::max(value / 32767.0, -1.0);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
      return value / 65535.0;
    default:
      return value;
  }
}

// `count` elements of `element_size` bytes from `offset` on in a buffer view.
Result<Block> locate(const tinygltf::Model& model, int view_index, std::uint64_t offset,
                     std::uint64_t count, std::uint64_t element_size, const std::string& where) {
  if (view_index < 0 || static_cast<std::size_t>(view_index) >= model.bufferViews.size())
    return Error{fmt::format("{} names buffer view {}, but there are {}", where, view_index,
                             model.bufferViews.size())};
  const auto& view = model.bufferViews[view_index];
  if (view.buffer < 0 || static_cast<std::size_t>(view.buffer) >= model.buffers.size())
    return Error{fmt::format("{}: buffer view {} names buffer {}, but there are {}", where,
                             view_index, view.buffer, model.buffers.size())};
  const auto& bytes = model.buffers[view.buffer].data;
  const std::uint64_t stride = view.byteStride == 0 ? element_size : view.byteStride;
  const std::uint64_t size = bytes.size();
  // Every term is below 2^62 once compared with the sizes, so the sums do not wrap.
  if (view.byteOffset > size || view.byteLength > size - view.byteOffset)
    return Error{
        fmt::format("{}: buffer view {} leaves its buffer of {} bytes", where, view_index, size)};
  const bool outside =
      offset > view.byteLength || stride < element_size || stride > size ||
      (count > 0 && (count - 1 > (view.byteLength - offset) / stride ||
                     (count - 1) * stride + element_size > view.byteLength - offset));
  if (outside)
    return Error{fmt::format("{} leaves its buffer view of {} bytes", where, view.byteLength)};
  return Block{bytes.data() + view.byteOffset + offset, stride};
}

Status apply_sparse(const tinygltf::Model& model, const tinygltf::Accessor& accessor,
                    int components, const std::string& where, std::vector<double>& values) {
  const auto& sparse = accessor.sparse;
  const int index_size = component_size(sparse.indices.componentType);
  const int size = component_size(accessor.componentType);
  if (sparse.count < 0 || static_cast<std::size_t>(sparse.count) > accessor.count ||
      index_size == 0 || sparse.indices.byteOffset < 0 || sparse.values.byteOffset < 0)
    return Error{where + " has broken sparse values"};
  auto indices = locate(model, sparse.indices.bufferView, sparse.indices.byteOffset, sparse.count,
                        index_size, where);
  if (!indices) return indices.error();
  auto replacements = locate(model, sparse.values.bufferView, sparse.values.byteOffset,
                             sparse.count, std::uint64_t(size) * components, where);
  if (!replacements) return replacements.error();
  for (int i = 0; i < sparse.count; ++i) {
    const double target =
        load_component(indices->data + i * indices->stride, sparse.indices.componentType);
    if (!(target >= 0 && target < static_cast<double>(accessor.count)))
      return Error{where + " has a sparse index out of range"};
    for (int c = 0; c < components; ++c)
      values[static_cast<std::size_t>(target) * components + c] = load_component(
          replacements->data + i * replacements->stride + c * size, accessor.componentType);
  }
  return {};
}

}  // namespace

Result<std::vector<double>> read_accessor(const tinygltf::Model& model, int index, int components,
                                          const std::string& source) {
  const std::string where = fmt::format("{}: accessor {}", source, index);
  if (index < 0 || static_cast<std::size_t>(index) >= model.accessors.size())
    return Error{fmt::format("{} does not exist; there are {}", where, model.accessors.size())};
  const tinygltf::Accessor& accessor = model.accessors[index];
  const int size = component_size(accessor.componentType);
  if (size == 0)
    return Error{fmt::format("{} has unknown component type {}", where, accessor.componentType)};
  if (component_count(accessor.type) != components)
    return Error{fmt::format("{} has {} components an element where {} are needed", where,
                             component_count(accessor.type), components)};
  if (accessor.count > kMaxNumbers / components)
    return Error{
        fmt::format("{} asks for {} elements, more than any clip has", where, accessor.count)};

  std::vector<double> values;
  if (accessor.bufferView >= 0) {
    const std::uint64_t element_size = std::uint64_t(size) * components;
    auto block = locate(model, accessor.bufferView, accessor.byteOffset, accessor.count,
                        element_size, where);
    if (!block) return block.error();
    values.resize(accessor.count * components);
    for (std::size_t i = 0; i < accessor.count; ++i)
      for (int c = 0; c < components; ++c)
        values[i * components + c] =
            load_component(block->data + i * block->stride + c * size, accessor.componentType);
  } else {
    values.assign(accessor.count * components, 0.0);
  }
  if (accessor.sparse.isSparse) {
    if (Status status = apply_sparse(model, accessor, components, where, values); !status)
      return status.error();
  }
  for (double& value : values) {
    if (!std::isfinite(value)) return Error{where + " holds a number that is not finite"};
    if (accessor.normalized) value = denormalized(value, accessor.componentType);
  }
  return values;
}

Result<std::vector<int>> read_integers(const tinygltf::Model& model, int index, int components,
                                       const std::string& source) {
  const auto numbers = read_accessor(model, index, components, source);
  if (!numbers) return numbers.error();
  std::vector<int> integers;
  integers.reserve(numbers->size());
  for (double number : *numbers) {
    if (std::abs(number) > std::numeric_limits<int>::max() || number != std::floor(number))
      return Error{fmt::format("{}: accessor {} holds {} where a whole number is needed", source,
                               index, number)};
    integers.push_back(static_cast<int>(number));
  }
  return integers;
}

}  // namespace prehend::io::gltf
