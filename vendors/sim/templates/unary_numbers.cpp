fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return unary_numbers<{{ row.kernel }}, {{ row.args | length - 1 }}>(call, "{{ row.op }}", Types<{{ row.args[0].dtypes | join(', ') }}>{});
}
