fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return {{ row.kernel }}(call);
}
