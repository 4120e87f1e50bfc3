fl_status run_{{ row.symbol }}(const fl_call* call, void*) {
{% if row.params.exact %}
  return unary_exact<{{ row.kernel }}>(call);
{% else %}
  return unary<{{ row.kernel }}>(call);
{% endif %}
}
