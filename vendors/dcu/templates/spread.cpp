fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return spread(call, Types<{{ row.args[0].dtypes | join(', ') }}>{}, {{ row.params.root }});
}
