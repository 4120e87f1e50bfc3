// The sort of keys, whatever they stand for.
#include "kernels/order.h"

#include "kernels/random.h"

namespace torch_fl_dcu {
namespace {

constexpr int kTile = 2048, kThreads = 256, kEach = kTile / kThreads;

// Tiles of lines, each sorted by a block (or several by one, where they are short) in a bitonic network. Keys of equal
// worth are told apart by their places, so that the network has one outcome.
template <class K>
struct SortTiles {
  static constexpr bool kCooperative = true;
  const K* keys;
  const uint32_t* places;  // null: an element's place is where it lies
  K* out_keys;
  uint32_t* out_places;
  uint32_t tiles;  // in all
  int64_t length, out_length;
  Divider per_line;  // tiles
  int tile;          // elements of a tile, a power of two
  int keep;          // the smallest of a tile that are written

  FL_GPU bool find(int slot, int64_t& line, int64_t& part, int64_t& at) const {
    const uint32_t number =
        static_cast<uint32_t>(block_id()) * static_cast<uint32_t>(kTile / tile) + static_cast<uint32_t>(slot / tile);
    if (number >= tiles) return false;
    const uint32_t whole = per_line.divide(number);
    line = whole;
    part = number - whole * per_line.size;
    at = part * tile + slot % tile;
    return at < length;
  }

  FL_GPU void operator()() const {
    FL_SHARED K key[kTile];
    FL_SHARED uint32_t place[kTile];
    int64_t line = 0, part = 0, at = 0;
    for (int slot = thread_id(); slot < kTile; slot += kThreads) {
      const bool there = find(slot, line, part, at);
      key[slot] = there ? keys[line * length + at] : ~K{0};
      place[slot] = !there ? ~uint32_t{0} : places != nullptr ? places[line * length + at] : static_cast<uint32_t>(at);
    }
    for (int size = 2; size <= tile; size *= 2) {
      for (int step = size / 2; step > 0; step /= 2) {
        sync();
        for (int pair = thread_id(); pair < kTile / 2; pair += kThreads) {
          const int low = (pair & (step - 1)) + ((pair & ~(step - 1)) << 1), high = low + step;
          const bool rising = size == tile || (low & size) == 0;
          const K a = key[low], b = key[high];
          const uint32_t x = place[low], y = place[high];
          if ((a > b || (a == b && x > y)) != rising) continue;
          key[low] = b;
          key[high] = a;
          place[low] = y;
          place[high] = x;
        }
      }
    }
    sync();
    for (int slot = thread_id(); slot < kTile; slot += kThreads) {
      if (!find(slot, line, part, at) || slot % tile >= keep) continue;
      const int64_t to = line * out_length + part * keep + slot % tile;
      out_keys[to] = key[slot];
      out_places[to] = place[slot];
    }
  }
};

// How many of the first `count` of two sorted runs, merged, come from `a`; of equal keys those of `a` come first.
template <class K, class Index>
FL_GPU Index merge_split(const K* a, Index a_count, const K* b, Index b_count, Index count) {
  Index low = count > b_count ? count - b_count : 0, high = count < a_count ? count : a_count;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (a[middle] <= b[count - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Pairs of neighbouring runs become one: a block writes a tile of the result.
template <class K>
struct MergeRuns {
  static constexpr bool kCooperative = true;
  const K* keys;
  const uint32_t* places;
  K* out_keys;
  uint32_t* out_places;
  int64_t length, run, per_line;  // tiles

  FL_GPU void operator()() const {
    FL_SHARED K key[kTile];
    FL_SHARED uint32_t place[kTile];
    FL_SHARED int64_t split[2];
    const int64_t line = block_id() / per_line * length, first = block_id() % per_line * kTile;
    const int count = static_cast<int>(length - first < kTile ? length - first : kTile);
    const int64_t begin = first / (2 * run) * (2 * run), left = length - begin;  // a tile lies within one pair
    const int64_t a_count = left < run ? left : run, b_count = left < 2 * run ? left - a_count : run;
    const int64_t a = line + begin, b = a + a_count;
    if (thread_id() < 2)
      split[thread_id()] =
          merge_split(keys + a, a_count, keys + b, b_count, first - begin + (thread_id() == 0 ? 0 : count));
    sync();
    const int64_t a_first = a + split[0], b_first = b + (first - begin - split[0]);
    const int from_a = static_cast<int>(split[1] - split[0]), from_b = count - from_a;
    for (int i = thread_id(); i < count; i += kThreads) {
      const int64_t at = i < from_a ? a_first + i : b_first + (i - from_a);
      key[i] = keys[at];
      place[i] = places[at];
    }
    sync();
    const int mine = thread_id() * kEach < count ? thread_id() * kEach : count;
    const int many = count - mine < kEach ? count - mine : kEach;
    int i = merge_split(key, from_a, key + from_a, from_b, mine), j = from_a + mine - i;
    K merged[kEach];
    uint32_t merged_place[kEach];
    FL_UNROLL
    for (int n = 0; n < kEach; n++) {
      if (n >= many) continue;
      const bool take_a = j >= count || (i < from_a && key[i] <= key[j]);
      const int taken = take_a ? i : j;
      merged[n] = key[taken];
      merged_place[n] = place[taken];
      i += take_a;
      j += !take_a;
    }
    sync();
    FL_UNROLL
    for (int n = 0; n < kEach; n++) {
      if (n >= many) continue;
      key[mine + n] = merged[n];
      place[mine + n] = merged_place[n];
    }
    sync();
    for (int n = thread_id(); n < count; n += kThreads) {
      out_keys[line + first + n] = key[n];
      out_places[line + first + n] = place[n];
    }
  }
};

constexpr int64_t kMostPlaces = (int64_t{1} << 31) - 1;

size_t room(int64_t count, size_t bytes) { return (static_cast<size_t>(count) * bytes + 255) / 256 * 256; }

}  // namespace

template <class K>
KeyLines<K>::KeyLines(const fl_call* call, int64_t lines, int64_t length)
    : call_(call),
      lines_(lines),
      pitch_(length <= kMostPlaces && lines * blocks_for(length, kTile) <= kMostPlaces ? length : (unsupported(), 0)),
      scratch_(call, 2 * (room(lines * length, sizeof(K)) + room(lines * length, sizeof(uint32_t)))) {
  auto* next = static_cast<char*>(scratch_.data());
  for (int k = 0; k < 2; k++) {
    keys_[k] = reinterpret_cast<K*>(next);
    next += room(lines * length, sizeof(K));
    places_[k] = reinterpret_cast<uint32_t*>(next);
    next += room(lines * length, sizeof(uint32_t));
  }
}

template <class K>
fl_status KeyLines<K>::sort_tiles(int64_t keep, bool first) {
  int tile = 2;
  while (tile < kTile && tile < pitch_) tile *= 2;
  const int64_t per_line = blocks_for(pitch_, tile), last = pitch_ - (per_line - 1) * tile;
  keep = std::min<int64_t>(keep, tile);
  const SortTiles<K> body{keys_[0],
                          first ? nullptr : places_[0],
                          keys_[1],
                          places_[1],
                          static_cast<uint32_t>(lines_ * per_line),
                          pitch_,
                          (per_line - 1) * keep + std::min(keep, last),
                          Divider(static_cast<uint32_t>(per_line)),
                          tile,
                          static_cast<int>(keep)};
  std::swap(keys_[0], keys_[1]);
  std::swap(places_[0], places_[1]);
  pitch_ = body.out_length;
  return launch<kThreads>(call_, body, blocks_for(lines_ * per_line, kTile / tile));
}

template <class K>
fl_status KeyLines<K>::sort() {
  if (const fl_status status = sort_tiles(kTile, true)) return status;
  const int64_t per_line = blocks_for(pitch_, kTile);
  for (int64_t run = kTile; run < pitch_; run *= 2) {
    const MergeRuns<K> body{keys_[0], places_[0], keys_[1], places_[1], pitch_, run, per_line};
    if (const fl_status status = launch<kThreads>(call_, body, lines_ * per_line)) return status;
    std::swap(keys_[0], keys_[1]);
    std::swap(places_[0], places_[1]);
  }
  return FL_OK;
}

template <class K>
fl_status KeyLines<K>::smallest(int64_t count) {
  if (count > kTile / 2 && pitch_ > kTile) return sort();
  // What is not among the smallest of its tile is not among those of the line.
  bool first = true, done = false;
  while (!done) {
    done = pitch_ <= kTile;
    if (const fl_status status = sort_tiles(count, first)) return status;
    first = false;
  }
  return FL_OK;
}

template class KeyLines<uint32_t>;
template class KeyLines<uint64_t>;

Layout line_walk(const fl_tensor& t, int32_t dim, int64_t count, int64_t pitch, int64_t bytes, void* dense) {
  Layout walk;
  walk.operands = 2;
  walk.data[0] = static_cast<char*>(dense);
  walk.data[1] = static_cast<char*>(t.data);
  int64_t strides[kMaxRank] = {}, step = pitch * bytes;
  for (int32_t d = t.ndim; d-- > 0;) {
    strides[d] = d == dim ? bytes : step;
    if (d != dim) step *= t.sizes[d];
  }
  for (int32_t d = 0; d < t.ndim; d++) {
    const int64_t both[2] = {strides[d], byte_stride(t, d)};
    walk.push(d == dim ? count : t.sizes[d], both);
  }
  walk.simplify();
  return walk;
}

fl_status write_sorted(const fl_call* call, const fl_tensor& self, int32_t dim, const uint32_t* places, int64_t pitch) {
  const fl_tensor &values = tensor_out(call, 0), &indices = tensor_out(call, 1);
  // Places as a tensor of the result's shape; they are below 2^31.
  fl_tensor from = indices;
  from.dtype = {FL_CODE_INT, 32, 1};
  from.data = const_cast<uint32_t*>(places);
  int64_t strides[kMaxRank] = {}, step = pitch;
  for (int32_t d = indices.ndim; d-- > 0;) {
    strides[d] = d == dim ? 1 : step;
    if (d != dim) step *= indices.sizes[d];
  }
  from.strides = strides;
  if (const fl_status status = copy_elements(call, indices, from)) return status;
  return gather_elements(call, values, self, from, dim);
}

fl_status randperm(const fl_call* call) {
  const fl_tensor& out = tensor_out(call, 0);
  const int64_t count = int_arg(call, 0);
  if (out.ndim != 1 || out.sizes[0] != count) return FL_UNSUPPORTED;
  if (count == 0) return FL_OK;
  KeyLines<uint64_t> lines(call, 1, count);
  RandomFill<uint64_t, Whole<uint64_t>> body{lines.keys(), count, {}, {0, 0}, true};
  if (const fl_status status = take_random(call, fl_arg(call, 1), &body.source)) return status;
  if (const fl_status status = launch(call, body, blocks_for(blocks_for(count, 2), 256))) return status;
  if (const fl_status status = lines.sort()) return status;
  fl_tensor places = out;  // they are below 2^31
  int64_t stride = 1;
  places.data = const_cast<uint32_t*>(lines.places());
  places.dtype = {FL_CODE_INT, 32, 1};
  places.strides = &stride;
  return copy_elements(call, out, places);
}

}  // namespace torch_fl_dcu
