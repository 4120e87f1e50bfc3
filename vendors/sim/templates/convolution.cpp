fl_status prepare_{{ row.symbol }}(const fl_call* call, void**) {
  return prepare_convolution(call, {{ row.params.input }}, {{ row.params.stride }});
}
fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return {{ row.kernel }}(call, "{{ row.op }}", Types<{{ row.args[0].dtypes | join(', ') }}>{});
}
void release_{{ row.symbol }}(void*) {}
