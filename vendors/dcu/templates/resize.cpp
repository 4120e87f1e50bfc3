fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
  return {{ row.kernel }}(call{% if not row.params.by_size %}, Types<{{ row.args[0].dtypes | join(', ') }}>{}{% endif %}{% if row.params.exact is defined %}, {{ row.params.exact }}{% endif %});
}
