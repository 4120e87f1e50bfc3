// What all plans' recordings hold of memory, and its bound; counts by op.
#pragma once

#include <cstdint>

#include "replay/replay.h"

namespace torch_fl {

// A clock that goes on with each recording.
uint64_t recordings_so_far() noexcept;
void count_recording() noexcept;

void enter_ledger(Replays* replays);
void leave_ledger(Replays* replays, size_t bytes);
void charge_ledger(size_t before, size_t after);
// Makes the plans that were used least recently forget, where all hold more than they may. Holds no plan's lock.
void settle_ledger();

void count_replays(const OpEntry& entry, const std::function<void(ReplayStats&)>& change);
// The same text always is the same string, for ever.
const std::string* interned(const std::string& text);

}  // namespace torch_fl
