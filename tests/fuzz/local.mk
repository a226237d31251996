# Fuzzers, of ./configure --enable-fuzzers CC=clang; never installed.
fuzzers = \
	tests/fuzz/fuzz_client \
	tests/fuzz/fuzz_frames \
	tests/fuzz/fuzz_options \
	tests/fuzz/fuzz_perftest \
	tests/fuzz/fuzz_server \
	tests/fuzz/fuzz_units

if FUZZERS
noinst_PROGRAMS += $(fuzzers) tests/fuzz/make_corpus
TESTS += tests/fuzz/run

# The seeds in the source, made anew.
corpus: tests/fuzz/make_corpus
	tests/fuzz/make_corpus $(srcdir)/tests/fuzz/corpus
.PHONY: corpus
endif

EXTRA_DIST += tests/fuzz/corpus tests/fuzz/run tests/fuzz/uninstrumented

fuzz_common = tests/fuzz/fuzz.h
fuzz_dialogue = $(fuzz_common) tests/fuzz/dialogue.c tests/fuzz/dialogue.h \
	$(fake_verbs)
fuzz_ldflags = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
# Time runs fast in a dialogue, and nothing is random.
fuzz_dialogue_ldflags = $(fuzz_ldflags) -Wl,--wrap=clock_gettime \
	-Wl,--wrap=timerfd_settime -Wl,--wrap=randombytes_buf
fuzz_dialogue_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/tests/unit

tests_fuzz_fuzz_client_SOURCES = tests/fuzz/fuzz_client.c \
	tests/fuzz/tests.c tests/fuzz/tests.h $(fuzz_dialogue)
tests_fuzz_fuzz_client_CPPFLAGS = $(fuzz_dialogue_cppflags)
tests_fuzz_fuzz_client_LDFLAGS = $(fuzz_dialogue_ldflags)
tests_fuzz_fuzz_client_LDADD = libverbsperf.a $(JANSSON_LIBS) $(SODIUM_LIBS)
tests_fuzz_fuzz_frames_SOURCES = tests/fuzz/fuzz_frames.c $(fuzz_common)
tests_fuzz_fuzz_frames_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_frames_LDADD = libverbsperf.a $(JANSSON_LIBS) $(SODIUM_LIBS)
tests_fuzz_fuzz_options_SOURCES = tests/fuzz/fuzz_options.c $(fuzz_common)
tests_fuzz_fuzz_options_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_options_LDADD = libverbsperf.a $(JANSSON_LIBS) $(SODIUM_LIBS)
tests_fuzz_fuzz_perftest_SOURCES = tests/fuzz/fuzz_perftest.c $(fuzz_common)
tests_fuzz_fuzz_perftest_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_perftest_LDADD = libverbsperf.a $(JANSSON_LIBS) $(SODIUM_LIBS)
tests_fuzz_fuzz_server_SOURCES = tests/fuzz/fuzz_server.c $(fuzz_dialogue)
tests_fuzz_fuzz_server_CPPFLAGS = $(fuzz_dialogue_cppflags)
tests_fuzz_fuzz_server_LDFLAGS = $(fuzz_dialogue_ldflags)
tests_fuzz_fuzz_server_LDADD = libverbsperf.a $(JANSSON_LIBS) $(SODIUM_LIBS)
tests_fuzz_fuzz_units_SOURCES = tests/fuzz/fuzz_units.c $(fuzz_common)
tests_fuzz_fuzz_units_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_units_LDADD = libverbsperf.a $(JANSSON_LIBS) $(SODIUM_LIBS)
tests_fuzz_make_corpus_SOURCES = tests/fuzz/make_corpus.c \
	tests/fuzz/tests.c tests/fuzz/tests.h tests/fuzz/dialogue.h \
	tests/unit/any_frame.h $(fuzz_common)
tests_fuzz_make_corpus_CPPFLAGS = $(fuzz_dialogue_cppflags)
tests_fuzz_make_corpus_LDADD = libverbsperf.a $(JANSSON_LIBS) $(SODIUM_LIBS)
