// Storages of flagos and of the boxing key over the same bytes. The second one keeps the first one alive, is known to be
// its twin, and is the only one while it lives: tensors that share a storage share its twin too, so that PyTorch sees
// what overlaps.
#pragma once

#include <c10/core/Storage.h>

#include "runtime/runtime.h"

namespace torch_fl {

// Of a storage of flagos, one of `device`, of the boxing key. Copy-on-write data is made the storage's own.
c10::Storage twin_on_key(const c10::Storage& ours, c10::Device device);
// Of a storage of the boxing key, one of flagos.
c10::Storage twin_on_flagos(const c10::Storage& theirs, c10::Device device);

// What twin_on_key() made `storage` of; an undefined one for other storages.
c10::Storage original_of(const c10::StorageImpl* storage);
// The data that is behind a storage which twin_on_flagos() made; else `data` itself.
const c10::DataPtr& data_behind(const c10::DataPtr& data);

}  // namespace torch_fl
