"""verbsperf-sweep, -compare, -plot and -selftest: what they do and share."""
