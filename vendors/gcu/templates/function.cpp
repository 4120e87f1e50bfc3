const Uses uses_{{ row.symbol }}("{{ row.op }}", "{{ row.params.needs }}");
fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return run(call, "{{ row.op }}", [](Call& c) {
    {{ row.kernel }};
    return TOPSATEN_STATUS_SUCCESS;
  });
}
