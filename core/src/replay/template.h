// What a call of a package's function does, without the addresses of one call: its results and temporaries, the kernels
// that it launches, and the ops that it calls between them.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "dispatch/op_entry.h"
#include "torch_fl/vendor.h"

namespace torch_fl {

// A launch as the compiler's launcher made it.
struct LaunchRecord {
  enum class Kind : uint8_t {
    number,
    pointer,
    scratch,     // a pointer to memory for this launch alone; bytes: how much and which alignment, two uint64_t
    tensor_map,  // bytes: an fl_tensor_map; the kernel takes what the vendor makes of it
  };
  struct Value {
    std::string bytes;
    Kind kind = Kind::number;
  };
  void* function = nullptr;  // the vendor's own handle
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t shared_bytes = 0;
  uint32_t cluster = 1, features = 0;  // as of fl_launch
  // Of a kernel that computes each element by itself, its grid one tile per block: the elements of a tile by dimension,
  // behind the value that has the dimension's size (-1: it is 1).
  struct Tile {
    int32_t value;
    uint32_t elements;
    bool operator==(const Tile&) const = default;
  };
  std::vector<Tile> tiles;
  std::vector<Value> values;
};

// Where a pointer comes from.
struct PointerOrigin {
  enum class Kind : uint8_t { input, output, temporary, op } kind = Kind::input;
  uint8_t result = 0;  // of an op
  uint16_t index = 0;
  uint32_t value = 0;  // byte position of the pointer among the launch's values
  int64_t offset = 0;  // bytes from the tensor's first element, the temporary's first byte, the op's result's memory
  bool operator==(const PointerOrigin&) const = default;
};

struct LaunchTemplate {
  struct Parameter {
    uint32_t position;
    uint16_t size;
    bool number;
    bool operator==(const Parameter&) const = default;
  };
  struct Map {
    fl_tensor_map map;  // its address is null
    PointerOrigin origin;
    bool operator==(const Map& other) const {
      return origin == other.origin && std::memcmp(&map, &other.map, sizeof map) == 0;
    }
  };

  void* function = nullptr;
  uint32_t grid[3], block[3];
  uint32_t shared_bytes = 0, cluster = 1, features = 0;
  std::vector<uint8_t> values;  // aligned each to its size; pointers and maps are zero
  std::vector<Parameter> parameters;
  std::vector<PointerOrigin> pointers;
  std::vector<Map> maps;
  std::vector<LaunchRecord::Tile> tiles;

  void take_shape(const LaunchRecord& launch);
  // The byte position of room for a value, aligned for it. Zeros.
  uint32_t add(size_t bytes, bool number);
  bool operator==(const LaunchTemplate&) const = default;
};

struct ResultTemplate {
  int32_t argument = -1;  // the tensor argument that it is, or -1
  int16_t op = -1;        // the op whose result's memory it has, or -1: a new tensor
  uint8_t op_result = 0;
  at::ScalarType dtype = at::ScalarType::Undefined;
  std::vector<int64_t> sizes, strides;
  size_t bytes = 0;
  bool operator==(const ResultTemplate&) const = default;
};

// A tensor among the arguments of an op that the function calls.
struct TensorTemplate {
  PointerOrigin origin;
  at::ScalarType dtype = at::ScalarType::Undefined;  // Undefined: no tensor
  std::vector<int64_t> sizes, strides;
  bool operator==(const TensorTemplate&) const = default;
};

struct OpTemplate {
  OpEntry* entry = nullptr;     // null: the first tensor gets a copy of the second
  uint32_t before = 0;          // the launches that come before it
  torch::jit::Stack arguments;  // undefined tensors where `tensors` has one
  std::vector<TensorTemplate> tensors;
  std::vector<std::vector<int64_t>> results;  // sizes
  bool operator==(const OpTemplate& other) const;
};

struct CallTemplate {
  std::vector<ResultTemplate> results;
  std::vector<size_t> temporaries;  // bytes
  std::vector<LaunchTemplate> launches;
  std::vector<OpTemplate> ops;
  bool operator==(const CallTemplate&) const = default;

  // Of memory, about.
  size_t footprint() const;
  // Every number that may be another for another call of the kind: see(address, bytes).
  template <class See>
  void each_number(const See& see) {
    for (LaunchTemplate& l : launches) {
      for (uint32_t& blocks : l.grid) see(&blocks, sizeof blocks);
      for (const LaunchTemplate::Parameter& p : l.parameters)
        if (p.number) see(l.values.data() + p.position, p.size);
    }
    for (ResultTemplate& r : results) {
      for (int64_t& size : r.sizes) see(&size, sizeof size);
      for (int64_t& stride : r.strides) see(&stride, sizeof stride);
      see(&r.bytes, sizeof r.bytes);
    }
    for (size_t& bytes : temporaries) see(&bytes, sizeof bytes);
  }
};

}  // namespace torch_fl
