#include "runtime/twin_storage.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace torch_fl {
namespace {

using StoragePtr = c10::intrusive_ptr<c10::StorageImpl>;

// The context of a twin's data.
struct Owner {
  c10::Storage original;
  std::vector<std::shared_ptr<void>> others;
};

class Twins {
 public:
  explicit Twins(c10::DeleterFnPtr release) : release_(release) {}

  StoragePtr find_or_make(const c10::Storage& original, c10::Device device) {
    void* data = original.mutable_data();
    StoragePtr twin;  // one that fits no longer is released after the lock
    const std::lock_guard<std::mutex> lock(mutex_);
    Entry& entry = entries_[original.unsafeGetStorageImpl()];
    if (entry.owner != nullptr) twin = entry.twin.lock();
    if (twin && twin->data() == data && twin->nbytes() == original.nbytes() && twin->device() == device) return twin;
    auto* owner = new Owner{original, {}};
    // Not resizable: tensors of the original would stay behind.
    StoragePtr made = c10::make_intrusive<c10::StorageImpl>(
        c10::StorageImpl::use_byte_size_t(), original.nbytes(), at::DataPtr(data, owner, release_, device),
        device.type() == kFlagos ? device_allocator() : c10::GetAllocator(device.type()), /*resizable=*/false);
    entry.owner = owner;
    entry.twin = c10::weak_intrusive_ptr<c10::StorageImpl>(made);
    return made;
  }

  void revoke() {
    std::vector<std::pair<StoragePtr, std::string>> gone;
    std::vector<StoragePtr> kept;  // one that dies meanwhile does so after the lock
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (auto& [original, entry] : entries_)
        if (StoragePtr twin = entry.twin.lock()) {
          std::optional<std::string> why = why_gone(*entry.owner, *twin);
          if (why.has_value())
            gone.emplace_back(std::move(twin), std::move(*why));
          else
            kept.push_back(std::move(twin));
        }
    }
    for (auto& [twin, why] : gone) {
      twin->set_data_ptr_noswap(at::DataPtr(nullptr, twin->device()));
      twin->release_data_and_set_meta_custom_data_ptr_error_msg_(std::move(why));
    }
  }

  void release(Owner* owner) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = entries_.find(owner->original.unsafeGetStorageImpl());
      if (found != entries_.end() && found->second.owner == owner) entries_.erase(found);
    }
    delete owner;
  }

 private:
  struct Entry {
    const Owner* owner = nullptr;
    c10::weak_intrusive_ptr<c10::StorageImpl> twin{StoragePtr()};
  };
  static std::optional<std::string> why_gone(const Owner& owner, const c10::StorageImpl& twin) {
    try {
      if (owner.original.data() == twin.data()) return std::nullopt;
    } catch (const c10::Error& error) {  // whoever took it has said why
      return error.what_without_backtrace();
    }
    return "the memory that this tensor of flagos shares with one of another device was taken from that one";
  }

  const c10::DeleterFnPtr release_;
  std::mutex mutex_;
  std::unordered_map<const c10::StorageImpl*, Entry> entries_;
};

Twins& twins_on_key();
Twins& twins_on_flagos();
// A twin is known by its deleter.
void release_on_key(void* owner) { twins_on_key().release(static_cast<Owner*>(owner)); }
void release_on_flagos(void* owner) { twins_on_flagos().release(static_cast<Owner*>(owner)); }

// Never destroyed: tensors may outlive everything.
Twins& twins_on_key() {
  static auto* const twins = new Twins(&release_on_key);
  return *twins;
}
Twins& twins_on_flagos() {
  static auto* const twins = new Twins(&release_on_flagos);
  return *twins;
}

// Also where the data may not be accessed.
const c10::DataPtr& data_of(c10::StorageImpl* storage) { return storage->_mutable_data_ptr_no_checks(); }

const c10::Storage* original_of(c10::StorageImpl* storage, c10::DeleterFnPtr release) {
  const c10::DataPtr& data = data_of(storage);
  return data.get_deleter() == release ? &static_cast<Owner*>(data.get_context())->original : nullptr;
}

}  // namespace

c10::Storage twin_on_key(const c10::Storage& ours, c10::Device device) {
  const c10::Storage* theirs = original_of(ours.unsafeGetStorageImpl(), &release_on_flagos);
  if (theirs != nullptr && theirs->data() == ours.data()) return *theirs;
  return twins_on_key().find_or_make(ours, device);
}

c10::Storage twin_on_flagos(const c10::Storage& theirs, c10::Device device) {
  return twins_on_flagos().find_or_make(theirs, device);
}

void live_as_long(c10::StorageImpl* ours, std::shared_ptr<void> other) {
  const c10::DataPtr& data = data_of(ours);
  if (data.get_deleter() != &release_on_flagos) return;
  auto& others = static_cast<Owner*>(data.get_context())->others;
  // The same one comes again where a graph gives a result that is still alive once more.
  if (std::find(others.begin(), others.end(), other) == others.end()) others.push_back(std::move(other));
}

c10::Storage original_of(c10::StorageImpl* storage) {
  const c10::Storage* original = original_of(storage, &release_on_key);
  return original == nullptr ? c10::Storage() : *original;
}

bool are_twins(c10::StorageImpl* theirs, c10::StorageImpl* ours) {
  const c10::Storage* a = original_of(theirs, &release_on_key);
  const c10::Storage* b = original_of(ours, &release_on_flagos);
  const bool twins =
      (a != nullptr && a->unsafeGetStorageImpl() == ours) || (b != nullptr && b->unsafeGetStorageImpl() == theirs);
  return twins && theirs->data() == ours->data() && theirs->nbytes() == ours->nbytes();
}

void revoke_twins() { twins_on_flagos().revoke(); }

const c10::DataPtr& data_behind(const c10::DataPtr& data) {
  if (C10_LIKELY(data.get_deleter() != &release_on_flagos)) return data;
  return static_cast<Owner*>(data.get_context())->original.data_ptr();
}

}  // namespace torch_fl
