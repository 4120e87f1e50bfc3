fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return binary_alpha<{{ row.kernel }}>(call);
}
