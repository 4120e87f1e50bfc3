fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return random_whole(call, Types<{{ row.args[0].dtypes | join(', ') }}>{}, {{ row.params.from }}, {{ row.params.to }}, {{ row.params.generator }});
}
