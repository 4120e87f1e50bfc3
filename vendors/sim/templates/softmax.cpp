fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return softmax<{{ row.params.log }}>(call, "{{ row.op }}", Types<{{ row.args[0].dtypes | join(', ') }}>{});
}
