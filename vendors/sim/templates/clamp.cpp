fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return clamp(call, "{{ row.op }}", Types<{{ row.args[0].dtypes | join(', ') }}>{}, {{ row.params.low }}, {{ row.params.high }});
}
