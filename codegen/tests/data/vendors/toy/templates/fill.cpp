fl_status run_{{ row.symbol }}(const fl_call* call, void*) { return fill(call); }
