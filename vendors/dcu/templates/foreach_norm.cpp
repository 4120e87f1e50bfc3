fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return {{ row.kernel }}(call, Types<{{ row.args[0].dtypes | join(', ') }}>{});
}
