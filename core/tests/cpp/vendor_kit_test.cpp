// vendor_kit.h, as a vendor uses it. Exits with 0 when all is well.
#include "torch_fl/vendor_kit.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace kit = torch_fl_kit;

namespace {

int g_failures = 0;

#define EXPECT(condition)                                                   \
  do {                                                                      \
    if (!(condition)) {                                                     \
      std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      ++g_failures;                                                         \
    }                                                                       \
  } while (0)

// What a core was told last.
int64_t g_code = -1;
std::string g_text;
fl_core_api make_core() {
  fl_core_api api{};
  api.struct_size = sizeof(api);
  api.set_error = [](int64_t code, const char* text) {
    g_code = code;
    g_text = text;
  };
  return api;
}

fl_status init(int32_t how) {
  if (how == 1) kit::unsupported();
  if (how == 2) throw std::runtime_error("as 100% planned");
  if (how == 3) throw std::bad_alloc();
  if (how == 4) kit::require(FL_OOM);
  if (how == 5) throw 5;
  return FL_OK;
}
void release(void* state) {
  if (state != nullptr) throw std::runtime_error("it is not given back");
}

void fill(fl_vendor_api& api) {
  api.name = "kit";
  api.set_device = kit::guarded<init>;
}

void errors() {
  EXPECT(kit::fail(FL_INVALID_VALUE, "%d of %s", 3, "four") == FL_INVALID_VALUE);
  EXPECT(g_code == 0 && g_text == "3 of four");
  EXPECT(kit::fail_code(FL_FAILED, 719, "a launch fails") == FL_FAILED && g_code == 719);
  const auto slot = kit::guarded<init>;
  EXPECT(slot(0) == FL_OK && slot(1) == FL_UNSUPPORTED && slot(4) == FL_OOM);
  EXPECT(slot(2) == FL_FAILED && g_text == "as 100% planned");
  EXPECT(slot(3) == FL_FAILED && g_text.find("memory") != std::string::npos);
  EXPECT(slot(5) == FL_FAILED && g_text.find("unknown type") != std::string::npos);
  const auto end = kit::guarded<release>;
  end(nullptr);
  EXPECT(g_text.find("unknown type") != std::string::npos);
  end(&g_text);
  EXPECT(g_text == "it is not given back");
  EXPECT(kit::check_room(8, 8, 9) == FL_OK && kit::check_room(8, 7, 9) == FL_INVALID_VALUE);
  EXPECT(kit::check_room(8, 9, 7) == FL_INVALID_VALUE);
}

void handshake(const fl_core_api& core) {
  fl_vendor_api api{};
  api.struct_size = sizeof(api);
  api.abi_major = FL_ABI_MAJOR + 1;
  EXPECT(kit::offer(&core, &api, fill) == FL_ABI_MISMATCH);
  EXPECT(api.abi_major == FL_ABI_MAJOR && api.name == nullptr && kit::core() == nullptr);
  // A core with a shorter table is given no more than it has room for.
  api.struct_size = offsetof(fl_vendor_api, set_device);
  EXPECT(kit::offer(&core, &api, fill) == FL_OK);
  EXPECT(kit::core() == &core && std::string(api.name) == "kit" && api.set_device == nullptr);
  api.struct_size = sizeof(api);
  EXPECT(kit::offer(&core, &api, fill) == FL_OK && api.set_device(1) == FL_UNSUPPORTED);
  EXPECT(api.struct_size == sizeof(api) && api.abi_minor == FL_ABI_MINOR);
}

void structs() {
  fl_device_map ours{}, theirs{};
  ours.card = 3;
  ours.partition = 2;
  theirs.struct_size = offsetof(fl_device_map, partition);
  theirs.partition = -7;
  kit::give(ours, &theirs);
  EXPECT(theirs.card == 3 && theirs.partition == -7);
  EXPECT(theirs.struct_size == offsetof(fl_device_map, partition));
  theirs.struct_size = 4;  // less than its own first field
  theirs.card = 9;
  kit::give(ours, &theirs);
  EXPECT(theirs.card == 9);
}

void ranges() {
  static char memory[64];
  kit::Ranges<int> known;
  known.add(memory, 16, 1);
  EXPECT(!known.try_add(memory + 32, 16, 2));
  EXPECT(known.try_add(memory + 8, 24, 3).what == 1);   // its first half is taken
  EXPECT(known.try_add(memory + 16, 17, 3).what == 2);  // its last byte is
  EXPECT(!known.try_add(memory + 16, 16, 3));
  EXPECT(known.find(memory + 15).what == 1 && known.find(memory + 16).what == 3 && !known.find(memory + 48));
  EXPECT(known.find(memory + 40).room(memory + 40) == 8);
  EXPECT(known.holds(memory + 4, 12) && !known.holds(memory + 4, 13) && !known.holds(memory + 48, 1));
  EXPECT(!known.remove(memory, [](int what) { return what == 2; }) && !known.remove(memory + 1));
  EXPECT(known.remove(memory).bytes == 16 && !known.find(memory));
  int seen = 0;
  known.each([&](const auto& range) { seen = seen * 10 + range.what; });
  EXPECT(seen == 32);
}

void reading() {
  struct Longer {  // an element of a later ABI
    int64_t number;
    int64_t more;
  };
  const Longer longer[] = {{5, 0}, {7, 0}};
  EXPECT(kit::item<int64_t>({longer, 2, sizeof(Longer)}, 1) == 7);
  fl_scalar s{FL_COMPLEX, 0, {}};
  s.v.c[0] = 1.5;
  EXPECT(kit::to_double(s) == 1.5);
  s = {FL_INT, 0, {-2}};
  EXPECT(kit::to_double(s) == -2);
  EXPECT(kit::wrap_dim(-1, 3) == 2 && kit::wrap_dim(1, 3) == 1 && kit::wrap_dim(-1, 0) == 0);
}

// A view of ints, and the elements that it shows in order.
struct View : kit::BasicView<View> {
  using BasicView::BasicView;
  std::vector<int> elements() const {
    std::vector<int> all;
    visit(data, 0, all);
    return all;
  }

 private:
  void visit(const char* at, int d, std::vector<int>& all) const {
    if (d == rank) return all.push_back(*reinterpret_cast<const int*>(at));
    for (int64_t i = 0; i < sizes[d]; i++) visit(at + i * strides[d] * width, d + 1, all);
  }
};

View view_of(std::vector<int>& memory, std::vector<int64_t> sizes) {
  fl_tensor t{};
  std::vector<int64_t> strides(sizes.size());
  t.data = memory.data();
  t.dtype = {FL_CODE_INT, 32, 1};
  t.ndim = static_cast<int32_t>(sizes.size());
  t.sizes = sizes.data();
  t.strides = strides.data();
  EXPECT(kit::numel(t) == static_cast<int64_t>(memory.size()));
  View v(t);
  v.pack();
  return v;
}

void views() {
  using List = std::vector<int>;
  List memory{0, 1, 2, 3, 4, 5};
  View v = view_of(memory, {2, 3});
  EXPECT(v.contiguous() && v.numel() == 6 && v.dtype == FL_I32 && v.width == 4);
  EXPECT(v.swapped().elements() == (List{0, 3, 1, 4, 2, 5}) && !v.swapped().contiguous());
  EXPECT(v.part(1, 1).elements() == (List{3, 4, 5}) && v.last(1).elements() == (List{1, 4}));
  EXPECT(v.inserted(1).rank == 3 && v.inserted(1).elements() == memory && v.inserted(1).sizes[1] == 1);
  EXPECT(v.matrix(2).elements() == memory && v.matrix(2).sizes[0] == 3 && v.list().rank == 1);
  EXPECT(v.list().part(2, 2).elements() == (List{2, 3}) && v.same_sizes(v) && !v.same_sizes(v.swapped()));
  EXPECT(v.last(0).inserted(1).repeated(v).elements() == (List{0, 0, 0, 3, 3, 3}));

  const View halves = v.words(FL_I16, 2);  // little-endian: the low half first
  EXPECT(halves.rank == 3 && halves.sizes[2] == 2 && halves.width == 2 && halves.strides[1] == 2);
  EXPECT(halves.last(1).data == v.data + 2 && v.words(FL_F32, 4).rank == 2);

  View one = view_of(memory, {2, 3}), other = one;
  one.merge(other);
  EXPECT(one.rank == 1 && one.sizes[0] == 6 && other.rank == 1);
  one = view_of(memory, {2, 3});
  other = one;
  other.strides[0] = 6;  // rows that lie apart
  one.merge(other);
  EXPECT(one.rank == 2 && other.strides[0] == 6);
  List number{8};
  one = other = view_of(number, {1, 1});
  one.merge(other);
  EXPECT(one.rank == 1 && one.elements() == number);
  EXPECT(view_of(number, {}).ranked().rank == 1 && view_of(number, {}).ranked().elements() == number);

  const auto too_many = [](fl_status expected, auto&& body) {
    EXPECT(kit::guard([&] {
             body();
             return FL_OK;
           }) == expected);
  };
  const View most = view_of(number, std::vector<int64_t>(9, 1));
  too_many(FL_OK, [&] { (void)most.words(FL_F32, 4); });
  too_many(FL_UNSUPPORTED, [&] { (void)most.words(FL_I16, 2); });
  too_many(FL_UNSUPPORTED, [&] { (void)most.inserted(0); });
  too_many(FL_UNSUPPORTED, [&] { (void)view_of(number, std::vector<int64_t>(10, 1)); });
}

}  // namespace

int main() {
  const fl_core_api core = make_core();
  handshake(core);
  errors();
  structs();
  ranges();
  reading();
  views();
  if (g_failures == 0) std::printf("vendor_kit_test: all is well\n");
  return g_failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
