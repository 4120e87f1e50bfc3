fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return fill(call, "{{ row.op }}", Types<{{ row.args[0].dtypes | join(', ') }}>{}, scalar_arg(call, 1));
}
