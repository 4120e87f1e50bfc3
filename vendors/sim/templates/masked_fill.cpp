fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return masked_fill(call, "{{ row.op }}", Types<{{ row.args[0].dtypes | join(', ') }}>{});
}
