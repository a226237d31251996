# What system tests need besides the program, found beside it: its table of
# combinations, and a fault that is preloaded.
noinst_PROGRAMS += tests/system/cells tests/system/flip.so

tests_system_cells_SOURCES = tests/system/cells.c
tests_system_cells_LDADD = libverbsperf.a $(JANSSON_LIBS) $(SODIUM_LIBS)

# It is loaded into programs that may have no sanitizers.
tests_system_flip_so_SOURCES = tests/system/flip.c
tests_system_flip_so_CFLAGS = $(WARN_CFLAGS) $(IBVERBS_CFLAGS) -fPIC
tests_system_flip_so_LDFLAGS = -shared
tests_system_flip_so_LDADD =
