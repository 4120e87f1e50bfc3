fl_status prepare_{{ row.symbol }}(const fl_call* call, void** state) {
  return prepare_matmul(call, state, {{ row.params.first }});
}
fl_status run_{{ row.symbol }}(const fl_call* call, void* state) {
  return matmul(call, "{{ row.op }}", Types<{{ row.args[0].dtypes | join(', ') }}>{}, state, {{ row.params.first }});
}
void release_{{ row.symbol }}(void* state) { release_matmul(state); }
