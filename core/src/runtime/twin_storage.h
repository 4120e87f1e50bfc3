// Storages of flagos and of the boxing key over the same bytes. The second one keeps the first one alive, is known to
// be its twin, and is the only one while it lives: tensors that share a storage share its twin too, so that PyTorch
// sees what overlaps.
#pragma once

#include <c10/core/Storage.h>

#include <memory>

#include "runtime/runtime.h"

namespace torch_fl {

// Of a storage of flagos, one of `device`, of the boxing key: what it is the twin of, where it is one. Copy-on-write
// data is made the storage's own.
c10::Storage twin_on_key(const c10::Storage& ours, c10::Device device);
// Of a storage of the boxing key, one of flagos.
c10::Storage twin_on_flagos(const c10::Storage& theirs, c10::Device device);
// Of a storage that twin_on_flagos() made, and of no other: `other` lives as long.
void live_as_long(c10::StorageImpl* ours, std::shared_ptr<void> other);

// What twin_on_key() made `storage` of; an undefined one for other storages.
c10::Storage original_of(c10::StorageImpl* storage);
// True where one of the two, of the boxing key and of flagos, is the other's twin, and both have the same data.
bool are_twins(c10::StorageImpl* theirs, c10::StorageImpl* ours);

// Storages of the boxing key can be taken their data while tensors have them: compiled graphs do that to results of
// theirs, whose memory they use again. This does the same to the twins, whose use is then an error that says so.
void revoke_twins();
// The data that is behind a storage which twin_on_flagos() made; else `data` itself.
const c10::DataPtr& data_behind(const c10::DataPtr& data);

}  // namespace torch_fl
