// PyTorch's device guard: current device and stream, and the events of users.
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/headeronly/version.h>

#include "runtime/key_runtime.h"
#include "runtime/state.h"

namespace torch_fl {

void set_current_device_unchecked(int32_t device) noexcept;

namespace {

struct Event {
  int32_t device;
  fl_event handle;
};
Event* event_of(void* event) { return static_cast<Event*>(event); }

c10::Device flagos(int32_t index) { return c10::Device(kFlagos, static_cast<c10::DeviceIndex>(index)); }
int32_t index_of(c10::Device device) { return device.has_index() ? device.index() : current_device(); }

// The dtypes of fl_dtype_id as c10 knows them.
constexpr std::pair<fl_dtype_id, c10::ScalarType> kDtypes[] = {
    {FL_BOOL, c10::ScalarType::Bool},
    {FL_U8, c10::ScalarType::Byte},
    {FL_I8, c10::ScalarType::Char},
    {FL_I16, c10::ScalarType::Short},
    {FL_I32, c10::ScalarType::Int},
    {FL_I64, c10::ScalarType::Long},
    {FL_U16, c10::ScalarType::UInt16},
    {FL_U32, c10::ScalarType::UInt32},
    {FL_U64, c10::ScalarType::UInt64},
    {FL_F16, c10::ScalarType::Half},
    {FL_BF16, c10::ScalarType::BFloat16},
    {FL_F32, c10::ScalarType::Float},
    {FL_F64, c10::ScalarType::Double},
    {FL_C32, c10::ScalarType::ComplexHalf},
    {FL_C64, c10::ScalarType::ComplexFloat},
    {FL_C128, c10::ScalarType::ComplexDouble},
    {FL_F8_E4M3FN, c10::ScalarType::Float8_e4m3fn},
    {FL_F8_E4M3FNUZ, c10::ScalarType::Float8_e4m3fnuz},
    {FL_F8_E5M2, c10::ScalarType::Float8_e5m2},
    {FL_F8_E5M2FNUZ, c10::ScalarType::Float8_e5m2fnuz},
};

struct GuardImpl final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kFlagos; }

  // --- devices
  c10::Device exchangeDevice(c10::Device device) const override {
    const int32_t before = current_device();
    if (device.has_index() && device.index() != before) set_current_device(device.index());
    return flagos(before);
  }
  c10::Device getDevice() const override { return flagos(current_device()); }
  void setDevice(c10::Device device) const override {
    if (device.has_index()) set_current_device(device.index());
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index()) set_current_device_unchecked(device.index());
  }
  c10::DeviceIndex deviceCount() const noexcept override { return static_cast<c10::DeviceIndex>(device_count()); }
  void synchronizeDevice(const c10::DeviceIndex device) const override {
    synchronize_device(device < 0 ? current_device() : device);
  }
  c10::DeviceCapability getDeviceCapability(c10::Device device) const override {
    const uint64_t supported = device_properties(index_of(device)).supported_dtypes;
    c10::DeviceCapability capability;
    static_assert(static_cast<int>(c10::kIndex_Float) == static_cast<int>(c10::ScalarType::Float) &&
                      static_cast<int>(c10::kIndex_UInt64) == static_cast<int>(c10::ScalarType::UInt64),
                  "the bits are c10::ScalarType's numbers");
    // Dtypes that the boundary does not know cannot be held.
    uint64_t bits = 0;
    for (const auto& [id, type] : kDtypes) {
      const auto bit = static_cast<size_t>(type);
      if ((supported & FL_MASK(id)) && bit < c10::NUMBER_OF_DEVICE_CAPABILITIES) bits |= uint64_t{1} << bit;
    }
    capability.capability_data.capability_bits = bits;
    return capability;
  }

  // --- streams
  c10::Stream getStream(c10::Device device) const override { return current_stream(index_of(device)); }
  c10::Stream getDefaultStream(c10::Device device) const override { return default_stream(index_of(device)); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool isHighPriority) const override {
    const int32_t index = index_of(device);
    return pool_stream(index, isHighPriority ? stream_priority_range(index).second : 0);
  }
  // From a pool, as CUDA's: nothing tells us when a c10::Stream dies.
  c10::Stream getNewStream(c10::Device device, int priority) const override {
    return pool_stream(index_of(device), priority);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override { return exchange_stream(stream); }
  bool queryStream(const c10::Stream& stream) const override { return query_stream(stream); }
  void synchronizeStream(const c10::Stream& stream) const override { synchronize_stream(stream); }
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 11
  void* getStreamNativeHandle(const c10::Stream stream) const override { return stream_native_handle(stream); }
#endif
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 12
  bool isStreamCapturing(const c10::Stream& stream) const override {
    if (const KeyRuntime* key = key_runtime()) return key->guard.isStreamCapturing(key->theirs(stream));
    const fl_stream handle = stream_handle(stream);
    const Vendor& v = vendor();
    const auto* capture =
        v.api.get_extension ? static_cast<const fl_ext_capture*>(v.api.get_extension("capture", 1)) : nullptr;
    if (!capture || !capture->is_capturing) return false;
    int32_t capturing = 0;
    attach(stream.device_index());
    FL_CHECK(capture->is_capturing(stream.device_index(), handle, &capturing),
             "is_capturing(device=", static_cast<int>(stream.device_index()), ")");
    return capturing != 0;
  }
#endif
  void recordDataPtrOnStream(const c10::DataPtr& data, const c10::Stream& stream) const override {
    device_allocator()->recordStream(data, stream);
  }

  // --- events
  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex device_index,
              const c10::EventFlag flag) const override {
    const int32_t device = stream.device_index();
    TORCH_CHECK(device_index == -1 || device_index == device, "an event of flagos:", static_cast<int>(device_index),
                " cannot be recorded on a stream of flagos:", device, "; make one event per device");
    const fl_stream handle = stream_handle(stream);
    const Vendor& v = vendor();
    FL_REQUIRE_SLOT(v, event_create, "events");
    FL_REQUIRE_SLOT(v, event_record, "events");
    attach(device);
    if (!*event) {
      const uint32_t want = flag == c10::EventFlag::BACKEND_DEFAULT ? FL_EVENT_TIMING : 0;
      fl_event made = nullptr;
      FL_CHECK(v.api.event_create(device, want, &made), "event_create(device=", device, ", want=", want, ")");
      *event = new Event{device, made};
    }
    FL_CHECK(v.api.event_record(device, event_of(*event)->handle, handle), "event_record(device=", device,
             ", stream=", stream.id(), ")");
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (!event) return;
    const fl_stream handle = stream_handle(stream);
    const Vendor& v = vendor();
    const int32_t device = stream.device_index();
    if (!v.api.stream_wait_event) return synchronizeEvent(event);
    attach(device);
    FL_CHECK(v.api.stream_wait_event(device, handle, event_of(event)->handle), "stream_wait_event(device=", device,
             ", stream=", stream.id(), ")");
  }
  bool queryEvent(void* event) const override {
    if (!event) return true;
    const Vendor& v = vendor();
    const int32_t device = event_of(event)->device;
    FL_REQUIRE_SLOT(v, event_query, "query of events");
    attach(device);
    const fl_status status = v.api.event_query(device, event_of(event)->handle);
    if (status == FL_NOT_READY) return false;
    FL_CHECK(status, "event_query(device=", device, ")");
    return true;
  }
  void synchronizeEvent(void* event) const override {
    if (!event) return;
    const Vendor& v = vendor();
    const int32_t device = event_of(event)->device;
    FL_REQUIRE_SLOT(v, event_synchronize, "waiting for events");
    attach(device);
    FL_CHECK(v.api.event_synchronize(device, event_of(event)->handle), "event_synchronize(device=", device, ")");
  }
  double elapsedTime(void* start, void* end, const c10::DeviceIndex /*device_index*/) const override {
    TORCH_CHECK(start && end, "both events must be recorded before the time between them can be asked");
    const Vendor& v = vendor();
    FL_REQUIRE_SLOT(v, event_elapsed, "timing of events");
    const int32_t device = event_of(start)->device;
    TORCH_CHECK(event_of(end)->device == device, "events of flagos:", device, " and flagos:", event_of(end)->device,
                " have no common clock; time work with events of one device");
    attach(device);
    double milliseconds = 0;
    FL_CHECK(v.api.event_elapsed(device, event_of(start)->handle, event_of(end)->handle, &milliseconds),
             "event_elapsed(device=", device, ")");
    return milliseconds;
  }
  void destroyEvent(void* event, const c10::DeviceIndex /*device_index*/) const noexcept override {
    if (!event) return;
    const Vendor* v = runtime_alive() ? loaded_vendor() : nullptr;
    // At exit and in a forked child the vendor must not be called: the event dies with the process.
    if (v && v->api.event_destroy) v->api.event_destroy(event_of(event)->device, event_of(event)->handle);
    delete event_of(event);
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, GuardImpl)

}  // namespace
}  // namespace torch_fl
