fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return where(call, "{{ row.op }}", Types<{{ row.outs[0] | join(', ') }}>{});
}
