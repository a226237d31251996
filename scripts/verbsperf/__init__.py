"""What verbsperf-sweep, -cluster, -compare, -plot and -selftest do.

Each of them is a module of commands/.  The folders are in doc/architecture.md,
in the order in which they may import each other; what is in a folder, its
__init__ says."""
