fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return unary<{{ row.kernel }}>(call, "{{ row.op }}", Types<{{ row.args[0].dtypes | join(', ') }}>{});
}
