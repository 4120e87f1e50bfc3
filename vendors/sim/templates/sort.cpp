fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return sorted_along(call, "{{ row.op }}", Types<{{ row.args[0].dtypes | join(', ') }}>{}, int_arg(call, {{ row.params.dim }}),
                      {{ row.params.descending }});
}
