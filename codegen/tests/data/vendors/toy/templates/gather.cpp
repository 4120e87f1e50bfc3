fl_status prepare_{{ row.symbol }}(const fl_call* call, void** state) { return plan_gather(call, state); }
fl_status run_{{ row.symbol }}(const fl_call* call, void* state) {
  return gather<{{ row.args | length }}>(call, state);
}
void release_{{ row.symbol }}(void* state) { drop_gather(state); }
