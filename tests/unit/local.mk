# Unit tests.  They link the library without libibverbs: a pure file that
# called it would not link.  What the others call is in fake_verbs.c.
if HAVE_CMOCKA
# Tests that need the same fakes are one program, as linking takes longer than
# compiling, and each is a link to it (see main.c).  The first take longest.
verbs_tests = \
	tests/unit/test_verified_runs.c tests/unit/test_faults.c \
	tests/unit/test_transports.c tests/unit/test_acceptor.c \
	tests/unit/test_reach.c tests/unit/test_manager.c \
	tests/unit/test_control.c tests/unit/test_waiting.c \
	tests/unit/test_connections.c tests/unit/test_peers.c \
	tests/unit/test_addressing.c tests/unit/test_again.c \
	tests/unit/test_check.c tests/unit/test_cm_multicast.c \
	tests/unit/test_control_windows.c tests/unit/test_exposure.c \
	tests/unit/test_handshake.c tests/unit/test_hold.c \
	tests/unit/test_memory.c tests/unit/test_memory_kinds.c \
	tests/unit/test_multicast.c tests/unit/test_need.c \
	tests/unit/test_need_count.c \
	tests/unit/test_numa.c tests/unit/test_outcome.c \
	tests/unit/test_pacing.c \
	tests/unit/test_perftest_talk.c tests/unit/test_quiet_peer.c \
	tests/unit/test_ready.c \
	tests/unit/test_refusals.c tests/unit/test_resources.c \
	tests/unit/test_session.c tests/unit/test_shapes.c \
	tests/unit/test_turn.c tests/unit/test_xrc.c
provider_tests = \
	tests/unit/test_batch.c tests/unit/test_flags.c \
	tests/unit/test_gather.c tests/unit/test_latency.c \
	tests/unit/test_responder.c tests/unit/test_traffic.c \
	tests/unit/test_traffic_faults.c tests/unit/test_walk.c
clock_tests = \
	tests/unit/test_open_loop.c tests/unit/test_pace.c \
	tests/unit/test_window.c
pure_tests = \
	tests/unit/test_alive.c tests/unit/test_arrivals.c \
	tests/unit/test_auth.c tests/unit/test_calibrate.c \
	tests/unit/test_chart.c \
	tests/unit/test_clock.c tests/unit/test_compare.c \
	tests/unit/test_connect.c tests/unit/test_control_report.c \
	tests/unit/test_cores.c tests/unit/test_counters.c \
	tests/unit/test_counters_report.c tests/unit/test_cpu_cost.c \
	tests/unit/test_cpu_use.c tests/unit/test_cpulist.c \
	tests/unit/test_descriptors.c tests/unit/test_doctor.c \
	tests/unit/test_done_counters.c tests/unit/test_doubts.c \
	tests/unit/test_dump.c \
	tests/unit/test_error.c tests/unit/test_explain.c \
	tests/unit/test_facts_frame.c tests/unit/test_failures.c \
	tests/unit/test_fields.c tests/unit/test_firmware.c \
	tests/unit/test_fit.c \
	tests/unit/test_fit_memory.c tests/unit/test_formats.c \
	tests/unit/test_frames.c tests/unit/test_gid.c \
	tests/unit/test_histogram.c tests/unit/test_host.c \
	tests/unit/test_inject.c tests/unit/test_inline_receive.c \
	tests/unit/test_intervals.c tests/unit/test_ip.c \
	tests/unit/test_json.c tests/unit/test_json_rows.c \
	tests/unit/test_limit.c tests/unit/test_limit_report.c \
	tests/unit/test_lines.c tests/unit/test_list.c \
	tests/unit/test_load.c tests/unit/test_memory_choice.c \
	tests/unit/test_networks.c tests/unit/test_oob.c \
	tests/unit/test_openmetrics.c \
	tests/unit/test_option_limits.c tests/unit/test_option_shapes.c \
	tests/unit/test_progress.c \
	tests/unit/test_options.c tests/unit/test_param.c \
	tests/unit/test_param_shapes.c tests/unit/test_pattern.c \
	tests/unit/test_peer_check.c tests/unit/test_perftest.c \
	tests/unit/test_perftest_lines.c tests/unit/test_perftest_messages.c \
	tests/unit/test_place.c tests/unit/test_plain.c \
	tests/unit/test_plan.c \
	tests/unit/test_port.c tests/unit/test_preflight.c \
	tests/unit/test_preflight_limits.c tests/unit/test_protocol.c \
	tests/unit/test_qp_attr.c tests/unit/test_rate.c \
	tests/unit/test_samples.c tests/unit/test_seal.c \
	tests/unit/test_service.c tests/unit/test_summary.c \
	tests/unit/test_sysfs.c tests/unit/test_text.c \
	tests/unit/test_time.c tests/unit/test_topology.c \
	tests/unit/test_traffic_time.c \
	tests/unit/test_units.c tests/unit/test_usage.c \
	tests/unit/test_verify.c tests/unit/test_verify_faults.c \
	tests/unit/test_wire.c tests/unit/test_wire_fields.c
single_tests = \
	tests/unit/test_addresses tests/unit/test_cm_address \
	tests/unit/test_counter_reader tests/unit/test_dcb \
	tests/unit/test_facts tests/unit/test_patience tests/unit/test_serve
test_links = $(verbs_tests:.c=) $(provider_tests:.c=) $(clock_tests:.c=) \
	$(pure_tests:.c=)
check_PROGRAMS = tests/unit/verbs_tests tests/unit/provider_tests \
	tests/unit/clock_tests tests/unit/pure_tests $(single_tests)
check_SCRIPTS = $(test_links)
TESTS += $(test_links) $(single_tests)
CLEANFILES += $(test_links)

$(verbs_tests:.c=): tests/unit/verbs_tests$(EXEEXT)
	$(AM_V_GEN)ln -sf verbs_tests$(EXEEXT) $@
$(provider_tests:.c=): tests/unit/provider_tests$(EXEEXT)
	$(AM_V_GEN)ln -sf provider_tests$(EXEEXT) $@
$(clock_tests:.c=): tests/unit/clock_tests$(EXEEXT)
	$(AM_V_GEN)ln -sf clock_tests$(EXEEXT) $@
$(pure_tests:.c=): tests/unit/pure_tests$(EXEEXT)
	$(AM_V_GEN)ln -sf pure_tests$(EXEEXT) $@

# A GPU's driver that is not there: programs find it by this path.
standin = tests/standin/libcuda.so.1
standin_sources = tests/standin/cuda.c tests/standin/hip.c \
	tests/standin/memory.c tests/standin/memory.h
standin_links = tests/standin/libamdhip64.so \
	tests/standin/libhsa-runtime64.so.1
check_DATA = $(standin)
EXTRA_DIST += $(standin_sources)
CLEANFILES += $(standin) $(standin_links)
AM_TESTS_ENVIRONMENT = LD_LIBRARY_PATH=$(abs_builddir)/tests/standin; \
	export LD_LIBRARY_PATH;

# Their variables of each thread are static: of other ones the run-time of ASan
# guesses the size by their address, and its search for leaks crashes where one
# address of 256 misleads it.
$(standin): $(standin_sources)
	$(AM_V_CCLD)$(MKDIR_P) tests/standin && cd $(srcdir)/tests/standin && \
		$(CC) $(CFLAGS) $(WARN_CFLAGS) -Wno-missing-prototypes \
		-shared -fPIC -ftls-model=initial-exec \
		-o $(abs_builddir)/$@ cuda.c hip.c memory.c && \
		for link in $(standin_links); do \
			ln -sf libcuda.so.1 $(abs_builddir)/$$link; done

# Those that start threads, which is what a build with
# --enable-sanitizers=thread is for.
threaded = \
	tests/unit/test_acceptor \
	tests/unit/test_cm_multicast \
	tests/unit/test_connect \
	tests/unit/test_connections \
	tests/unit/test_control \
	tests/unit/test_faults \
	tests/unit/test_manager \
	tests/unit/test_memory_kinds \
	tests/unit/test_pacing \
	tests/unit/test_peers \
	tests/unit/test_quiet_peer \
	tests/unit/test_ready \
	tests/unit/test_samples \
	tests/unit/test_session \
	tests/unit/test_shapes \
	tests/unit/test_transports \
	tests/unit/test_verified_runs \
	tests/unit/test_waiting

check-threads:
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS="$(threaded)" \
		check_PROGRAMS= check_SCRIPTS=
.PHONY: check-threads
endif

fake_provider = tests/unit/fake_provider.c tests/unit/fake_provider.h \
	tests/unit/fake_builder.c tests/unit/fake_builder.h
fake_verbs = tests/unit/fake_nic.c tests/unit/fake_nic.h \
	tests/unit/fake_memory.c tests/unit/fake_xrc.c \
	tests/unit/fake_windows.c \
	tests/unit/fake_verbs.c tests/unit/fake_verbs.h \
	tests/unit/fake_qp.c tests/unit/fake_queues.c \
	tests/unit/fake_transfer.c \
	tests/unit/fake_rdmacm.c tests/unit/fake_rdmacm.h \
	tests/unit/fake_builder.c tests/unit/fake_builder.h
pair = tests/unit/pair.c tests/unit/pair.h tests/unit/any_frame.h \
	tests/unit/pair_run.c \
	tests/unit/pair_connect.c tests/unit/pair_connect.h

AM_CFLAGS += $(CMOCKA_CFLAGS)
LDADD = libverbsperf.a $(JANSSON_LIBS) $(SODIUM_LIBS) $(CMOCKA_LIBS)

every_test = tests/unit/main.c tests/unit/test.h
tests_unit_verbs_tests_SOURCES = $(verbs_tests) $(fake_verbs) $(pair) \
	tests/unit/json_checks.c tests/unit/json_checks.h \
	tests/unit/samples.c tests/unit/samples.h \
	tests/unit/good_plan.h tests/unit/made_up_host.h \
	tests/unit/results.h tests/unit/same_effective.h \
	tests/unit/two_ends.h $(every_test)
tests_unit_provider_tests_SOURCES = $(provider_tests) $(fake_provider) \
	tests/unit/good_plan.h $(every_test)
tests_unit_clock_tests_SOURCES = $(clock_tests) $(fake_provider) \
	tests/unit/fake_clock.c tests/unit/fake_clock.h $(every_test)
tests_unit_pure_tests_SOURCES = $(pure_tests) \
	tests/unit/json_checks.c tests/unit/json_checks.h \
	tests/unit/results.c tests/unit/results.h \
	tests/unit/samples.c tests/unit/samples.h \
	tests/unit/verify_pair.c tests/unit/verify_pair.h \
	tests/unit/command_line.h tests/unit/every_fact.h \
	tests/unit/golden.h tests/unit/golden_plan.h tests/unit/good_plan.h \
	tests/unit/is_number.h tests/unit/made_up_host.h \
	tests/unit/row_of.h tests/unit/same_effective.h \
	tests/unit/two_ends.h tests/unit/try_connect.h $(every_test)
# Each of these has a function of the C library or of src of its own.
tests_unit_test_addresses_SOURCES = tests/unit/test_addresses.c \
	tests/unit/try_connect.h $(every_test)
tests_unit_test_cm_address_SOURCES = tests/unit/test_cm_address.c $(every_test)
tests_unit_test_counter_reader_SOURCES = \
	tests/unit/test_counter_reader.c tests/unit/made_up_host.h \
	$(every_test)
tests_unit_test_dcb_SOURCES = tests/unit/test_dcb.c $(every_test)
tests_unit_test_facts_SOURCES = tests/unit/test_facts.c \
	tests/unit/made_up_host.h $(every_test)
tests_unit_test_patience_SOURCES = tests/unit/test_patience.c \
	$(fake_verbs) $(every_test)
tests_unit_test_serve_SOURCES = tests/unit/test_serve.c \
	$(fake_verbs) $(every_test)
