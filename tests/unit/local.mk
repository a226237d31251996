# Unit tests.  They link the library without libibverbs: a pure file that
# called it would not link.  What the others call is in fake_verbs.c.
if HAVE_CMOCKA
# The first ones take longest.
check_PROGRAMS = \
	tests/unit/test_verified_runs \
	tests/unit/test_faults \
	tests/unit/test_transports \
	tests/unit/test_acceptor \
	tests/unit/test_reach \
	tests/unit/test_manager \
	tests/unit/test_control \
	tests/unit/test_waiting \
	tests/unit/test_connections \
	tests/unit/test_peers \
	tests/unit/test_addresses \
	tests/unit/test_addressing \
	tests/unit/test_again \
	tests/unit/test_alive \
	tests/unit/test_arrivals \
	tests/unit/test_auth \
	tests/unit/test_batch \
	tests/unit/test_call_counter \
	tests/unit/test_chart \
	tests/unit/test_check \
	tests/unit/test_calibrate \
	tests/unit/test_clock \
	tests/unit/test_cm_address \
	tests/unit/test_cm_multicast \
	tests/unit/test_compare \
	tests/unit/test_connect \
	tests/unit/test_control_windows \
	tests/unit/test_cores \
	tests/unit/test_control_report \
	tests/unit/test_counter_reader \
	tests/unit/test_counters \
	tests/unit/test_counters_report \
	tests/unit/test_cpu_cost \
	tests/unit/test_cpu_use \
	tests/unit/test_cpulist \
	tests/unit/test_dcb \
	tests/unit/test_descriptors \
	tests/unit/test_done_counters \
	tests/unit/test_doctor \
	tests/unit/test_dump \
	tests/unit/test_error \
	tests/unit/test_explain \
	tests/unit/test_exposure \
	tests/unit/test_facts \
	tests/unit/test_facts_frame \
	tests/unit/test_failures \
	tests/unit/test_fields \
	tests/unit/test_fit \
	tests/unit/test_fit_memory \
	tests/unit/test_flags \
	tests/unit/test_formats \
	tests/unit/test_frames \
	tests/unit/test_gather \
	tests/unit/test_gid \
	tests/unit/test_handshake \
	tests/unit/test_histogram \
	tests/unit/test_hold \
	tests/unit/test_host \
	tests/unit/test_inject \
	tests/unit/test_inline_receive \
	tests/unit/test_intervals \
	tests/unit/test_ip \
	tests/unit/test_json \
	tests/unit/test_json_rows \
	tests/unit/test_latency \
	tests/unit/test_limit \
	tests/unit/test_limit_report \
	tests/unit/test_lines \
	tests/unit/test_list \
	tests/unit/test_load \
	tests/unit/test_memory \
	tests/unit/test_memory_choice \
	tests/unit/test_memory_kinds \
	tests/unit/test_multicast \
	tests/unit/test_need \
	tests/unit/test_networks \
	tests/unit/test_numa \
	tests/unit/test_oob \
	tests/unit/test_open_loop \
	tests/unit/test_option_limits \
	tests/unit/test_option_shapes \
	tests/unit/test_options \
	tests/unit/test_pace \
	tests/unit/test_param \
	tests/unit/test_param_shapes \
	tests/unit/test_patience \
	tests/unit/test_pattern \
	tests/unit/test_peer_check \
	tests/unit/test_perftest \
	tests/unit/test_perftest_lines \
	tests/unit/test_perftest_messages \
	tests/unit/test_perftest_talk \
	tests/unit/test_pacing \
	tests/unit/test_place \
	tests/unit/test_plan \
	tests/unit/test_port \
	tests/unit/test_preflight \
	tests/unit/test_preflight_limits \
	tests/unit/test_protocol \
	tests/unit/test_qp_attr \
	tests/unit/test_rate \
	tests/unit/test_ready \
	tests/unit/test_refusals \
	tests/unit/test_resources \
	tests/unit/test_responder \
	tests/unit/test_samples \
	tests/unit/test_seal \
	tests/unit/test_serve \
	tests/unit/test_service \
	tests/unit/test_session \
	tests/unit/test_shapes \
	tests/unit/test_summary \
	tests/unit/test_sysfs \
	tests/unit/test_text \
	tests/unit/test_time \
	tests/unit/test_topology \
	tests/unit/test_traffic \
	tests/unit/test_traffic_faults \
	tests/unit/test_turn \
	tests/unit/test_units \
	tests/unit/test_usage \
	tests/unit/test_verify \
	tests/unit/test_verify_faults \
	tests/unit/test_walk \
	tests/unit/test_watch \
	tests/unit/test_watch_lines \
	tests/unit/test_window \
	tests/unit/test_wire \
	tests/unit/test_wire_fields \
	tests/unit/test_xrc
TESTS += $(check_PROGRAMS)

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
	tests/unit/test_ready \
	tests/unit/test_samples \
	tests/unit/test_session \
	tests/unit/test_shapes \
	tests/unit/test_transports \
	tests/unit/test_verified_runs \
	tests/unit/test_waiting

check-threads:
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS="$(threaded)" \
		check_PROGRAMS="$(threaded)"
.PHONY: check-threads
endif

fake_provider = tests/unit/fake_provider.c tests/unit/fake_provider.h \
	tests/unit/fake_builder.c tests/unit/fake_builder.h
fake_clock = tests/unit/fake_clock.c tests/unit/fake_clock.h
fake_verbs = tests/unit/fake_nic.c tests/unit/fake_nic.h \
	tests/unit/fake_memory.c tests/unit/fake_xrc.c \
	tests/unit/fake_windows.c \
	tests/unit/fake_verbs.c tests/unit/fake_verbs.h \
	tests/unit/fake_qp.c tests/unit/fake_queues.c \
	tests/unit/fake_transfer.c \
	tests/unit/fake_rdmacm.c tests/unit/fake_rdmacm.h \
	tests/unit/fake_builder.c tests/unit/fake_builder.h
pair = tests/unit/pair.c tests/unit/pair.h tests/unit/any_frame.h

AM_CFLAGS += $(CMOCKA_CFLAGS)
LDADD = libverbsperf.a $(JANSSON_LIBS) $(SODIUM_LIBS) $(CMOCKA_LIBS)

tests_unit_test_alive_SOURCES = tests/unit/test_alive.c tests/unit/test.h
tests_unit_test_addresses_SOURCES = tests/unit/test_addresses.c \
	tests/unit/test.h
tests_unit_test_again_SOURCES = tests/unit/test_again.c \
	$(fake_verbs) tests/unit/test.h
tests_unit_test_arrivals_SOURCES = tests/unit/test_arrivals.c \
	tests/unit/test.h
tests_unit_test_auth_SOURCES = tests/unit/test_auth.c tests/unit/test.h
tests_unit_test_addressing_SOURCES = tests/unit/test_addressing.c \
	$(fake_verbs) tests/unit/test.h
tests_unit_test_call_counter_SOURCES = tests/unit/test_call_counter.c \
	tests/unit/test.h
tests_unit_test_chart_SOURCES = tests/unit/test_chart.c tests/unit/test.h
tests_unit_test_check_SOURCES = tests/unit/test_check.c \
	$(fake_verbs) $(pair) tests/unit/json_checks.c \
	tests/unit/json_checks.h tests/unit/results.h tests/unit/test.h
tests_unit_test_calibrate_SOURCES = tests/unit/test_calibrate.c \
	tests/unit/json_checks.c tests/unit/json_checks.h tests/unit/test.h
tests_unit_test_clock_SOURCES = tests/unit/test_clock.c tests/unit/test.h
tests_unit_test_compare_SOURCES = tests/unit/test_compare.c \
	tests/unit/good_plan.h tests/unit/test.h
tests_unit_test_connect_SOURCES = tests/unit/test_connect.c \
	tests/unit/test.h
tests_unit_test_control_SOURCES = tests/unit/test_control.c \
	$(fake_verbs) tests/unit/test.h
tests_unit_test_control_report_SOURCES = tests/unit/test_control_report.c \
	tests/unit/json_checks.c tests/unit/json_checks.h tests/unit/test.h
tests_unit_test_cores_SOURCES = tests/unit/test_cores.c \
	tests/unit/made_up_host.h tests/unit/test.h
tests_unit_test_counter_reader_SOURCES = \
	tests/unit/test_counter_reader.c tests/unit/made_up_host.h \
	tests/unit/test.h
tests_unit_test_counters_SOURCES = tests/unit/test_counters.c \
	tests/unit/test.h
tests_unit_test_counters_report_SOURCES = \
	tests/unit/test_counters_report.c \
	tests/unit/json_checks.c tests/unit/json_checks.h \
	tests/unit/results.c tests/unit/results.h tests/unit/test.h
tests_unit_test_cpu_cost_SOURCES = tests/unit/test_cpu_cost.c \
	tests/unit/test.h
tests_unit_test_cpu_use_SOURCES = tests/unit/test_cpu_use.c \
	tests/unit/made_up_host.h tests/unit/test.h
tests_unit_test_cpulist_SOURCES = tests/unit/test_cpulist.c \
	tests/unit/test.h
tests_unit_test_done_counters_SOURCES = tests/unit/test_done_counters.c \
	tests/unit/golden.h tests/unit/golden_plan.h \
	tests/unit/samples.c tests/unit/samples.h \
	tests/unit/test.h
tests_unit_test_acceptor_SOURCES = tests/unit/test_acceptor.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c \
	tests/unit/pair_connect.c tests/unit/pair_connect.h tests/unit/test.h
tests_unit_test_connections_SOURCES = tests/unit/test_connections.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c \
	tests/unit/pair_connect.c tests/unit/pair_connect.h tests/unit/test.h
tests_unit_test_control_windows_SOURCES = \
	tests/unit/test_control_windows.c $(fake_verbs) tests/unit/test.h
tests_unit_test_dump_SOURCES = tests/unit/test_dump.c \
	tests/unit/command_line.h tests/unit/is_number.h \
	tests/unit/row_of.h tests/unit/test.h
tests_unit_test_error_SOURCES = tests/unit/test_error.c tests/unit/test.h
tests_unit_test_explain_SOURCES = tests/unit/test_explain.c \
	tests/unit/test.h
tests_unit_test_exposure_SOURCES = tests/unit/test_exposure.c \
	$(fake_verbs) tests/unit/good_plan.h tests/unit/test.h
tests_unit_test_failures_SOURCES = tests/unit/test_failures.c \
	tests/unit/test.h
tests_unit_test_faults_SOURCES = tests/unit/test_faults.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/test.h
tests_unit_test_fields_SOURCES = tests/unit/test_fields.c \
	tests/unit/golden.h tests/unit/golden_plan.h \
	tests/unit/samples.c tests/unit/samples.h \
	tests/unit/test.h
tests_unit_test_fit_SOURCES = tests/unit/test_fit.c \
	tests/unit/good_plan.h tests/unit/test.h
tests_unit_test_fit_memory_SOURCES = tests/unit/test_fit_memory.c \
	tests/unit/good_plan.h tests/unit/test.h
tests_unit_test_formats_SOURCES = tests/unit/test_formats.c \
	tests/unit/json_checks.c tests/unit/json_checks.h \
	tests/unit/results.c tests/unit/results.h tests/unit/test.h
tests_unit_test_cm_address_SOURCES = tests/unit/test_cm_address.c \
	tests/unit/test.h
tests_unit_test_dcb_SOURCES = tests/unit/test_dcb.c tests/unit/test.h
tests_unit_test_descriptors_SOURCES = tests/unit/test_descriptors.c \
	tests/unit/test.h
tests_unit_test_doctor_SOURCES = tests/unit/test_doctor.c \
	tests/unit/two_ends.h tests/unit/good_plan.h tests/unit/test.h
tests_unit_test_facts_SOURCES = tests/unit/test_facts.c \
	tests/unit/made_up_host.h tests/unit/test.h
tests_unit_test_facts_frame_SOURCES = tests/unit/test_facts_frame.c \
	tests/unit/every_fact.h tests/unit/golden.h tests/unit/golden_plan.h \
	tests/unit/samples.c tests/unit/samples.h \
	tests/unit/test.h
tests_unit_test_frames_SOURCES = tests/unit/test_frames.c \
	tests/unit/golden.h tests/unit/golden_plan.h \
	tests/unit/is_number.h tests/unit/row_of.h \
	tests/unit/samples.c tests/unit/samples.h \
	tests/unit/test.h
tests_unit_test_gid_SOURCES = tests/unit/test_gid.c tests/unit/test.h
tests_unit_test_handshake_SOURCES = tests/unit/test_handshake.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/test.h
tests_unit_test_histogram_SOURCES = tests/unit/test_histogram.c \
	tests/unit/test.h
tests_unit_test_hold_SOURCES = tests/unit/test_hold.c \
	tests/unit/made_up_host.h \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/test.h
tests_unit_test_host_SOURCES = tests/unit/test_host.c tests/unit/test.h
tests_unit_test_inject_SOURCES = tests/unit/test_inject.c \
	tests/unit/test.h
tests_unit_test_intervals_SOURCES = tests/unit/test_intervals.c \
	tests/unit/test.h
tests_unit_test_ip_SOURCES = tests/unit/test_ip.c tests/unit/test.h
tests_unit_test_json_SOURCES = tests/unit/test_json.c \
	tests/unit/json_checks.c tests/unit/json_checks.h \
	tests/unit/results.c tests/unit/results.h tests/unit/test.h
tests_unit_test_json_rows_SOURCES = tests/unit/test_json_rows.c \
	tests/unit/json_checks.c tests/unit/json_checks.h \
	tests/unit/results.c tests/unit/results.h tests/unit/test.h
tests_unit_test_latency_SOURCES = tests/unit/test_latency.c \
	$(fake_provider) tests/unit/test.h
tests_unit_test_limit_SOURCES = tests/unit/test_limit.c \
	tests/unit/results.c tests/unit/results.h tests/unit/test.h
tests_unit_test_limit_report_SOURCES = tests/unit/test_limit_report.c \
	tests/unit/json_checks.c tests/unit/json_checks.h \
	tests/unit/results.c tests/unit/results.h tests/unit/test.h
tests_unit_test_lines_SOURCES = tests/unit/test_lines.c \
	tests/unit/json_checks.c tests/unit/json_checks.h \
	tests/unit/results.c tests/unit/results.h tests/unit/test.h
tests_unit_test_list_SOURCES = tests/unit/test_list.c tests/unit/test.h
tests_unit_test_load_SOURCES = tests/unit/test_load.c tests/unit/test.h
tests_unit_test_manager_SOURCES = tests/unit/test_manager.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/test.h
tests_unit_test_memory_SOURCES = tests/unit/test_memory.c \
	$(fake_verbs) tests/unit/good_plan.h tests/unit/test.h
tests_unit_test_memory_choice_SOURCES = tests/unit/test_memory_choice.c \
	tests/unit/test.h
tests_unit_test_memory_kinds_SOURCES = tests/unit/test_memory_kinds.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/good_plan.h \
	tests/unit/test.h
tests_unit_test_need_SOURCES = tests/unit/test_need.c $(fake_verbs) \
	tests/unit/good_plan.h tests/unit/test.h
tests_unit_test_networks_SOURCES = tests/unit/test_networks.c \
	tests/unit/test.h
tests_unit_test_numa_SOURCES = tests/unit/test_numa.c \
	tests/unit/made_up_host.h $(fake_verbs) tests/unit/test.h
tests_unit_test_oob_SOURCES = tests/unit/test_oob.c tests/unit/test.h
tests_unit_test_open_loop_SOURCES = tests/unit/test_open_loop.c \
	$(fake_provider) $(fake_clock) tests/unit/test.h
tests_unit_test_option_limits_SOURCES = tests/unit/test_option_limits.c \
	tests/unit/command_line.h \
	tests/unit/is_number.h tests/unit/row_of.h tests/unit/test.h
tests_unit_test_option_shapes_SOURCES = tests/unit/test_option_shapes.c \
	tests/unit/command_line.h \
	tests/unit/is_number.h tests/unit/row_of.h tests/unit/test.h
tests_unit_test_options_SOURCES = tests/unit/test_options.c \
	tests/unit/command_line.h \
	tests/unit/test.h
tests_unit_test_pace_SOURCES = tests/unit/test_pace.c \
	$(fake_provider) $(fake_clock) tests/unit/test.h
tests_unit_test_watch_SOURCES = tests/unit/test_watch.c \
	$(fake_verbs) tests/unit/made_up_host.h tests/unit/test.h
tests_unit_test_watch_lines_SOURCES = tests/unit/test_watch_lines.c \
	tests/unit/json_checks.c tests/unit/json_checks.h tests/unit/test.h
tests_unit_test_window_SOURCES = tests/unit/test_window.c \
	$(fake_provider) $(fake_clock) tests/unit/test.h
tests_unit_test_param_SOURCES = tests/unit/test_param.c \
	tests/unit/is_number.h tests/unit/row_of.h tests/unit/test.h
tests_unit_test_param_shapes_SOURCES = tests/unit/test_param_shapes.c \
	tests/unit/is_number.h tests/unit/row_of.h tests/unit/test.h
tests_unit_test_patience_SOURCES = tests/unit/test_patience.c \
	$(fake_verbs) tests/unit/test.h
tests_unit_test_pattern_SOURCES = tests/unit/test_pattern.c tests/unit/test.h
tests_unit_test_perftest_lines_SOURCES = \
	tests/unit/test_perftest_lines.c \
	tests/unit/command_line.h tests/unit/test.h
tests_unit_test_perftest_messages_SOURCES = \
	tests/unit/test_perftest_messages.c tests/unit/test.h
tests_unit_test_perftest_talk_SOURCES = \
	tests/unit/test_perftest_talk.c $(fake_verbs) tests/unit/test.h
tests_unit_test_perftest_SOURCES = tests/unit/test_perftest.c \
	tests/unit/command_line.h \
	tests/unit/is_number.h tests/unit/row_of.h tests/unit/test.h
tests_unit_test_peer_check_SOURCES = tests/unit/test_peer_check.c \
	tests/unit/good_plan.h tests/unit/test.h
tests_unit_test_peers_SOURCES = tests/unit/test_peers.c \
	$(fake_verbs) $(pair) tests/unit/test.h
tests_unit_test_place_SOURCES = tests/unit/test_place.c tests/unit/test.h
tests_unit_test_plan_SOURCES = tests/unit/test_plan.c \
	tests/unit/good_plan.h tests/unit/test.h
tests_unit_test_preflight_SOURCES = tests/unit/test_preflight.c \
	tests/unit/two_ends.h tests/unit/good_plan.h tests/unit/test.h
tests_unit_test_preflight_limits_SOURCES = \
	tests/unit/test_preflight_limits.c \
	tests/unit/two_ends.h tests/unit/good_plan.h tests/unit/test.h
tests_unit_test_pacing_SOURCES = tests/unit/test_pacing.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c \
	tests/unit/two_ends.h tests/unit/good_plan.h tests/unit/test.h
tests_unit_test_port_SOURCES = tests/unit/test_port.c tests/unit/test.h
tests_unit_test_protocol_SOURCES = tests/unit/test_protocol.c \
	tests/unit/golden.h tests/unit/golden_plan.h \
	tests/unit/is_number.h tests/unit/row_of.h \
	tests/unit/samples.c tests/unit/samples.h \
	tests/unit/test.h
tests_unit_test_qp_attr_SOURCES = tests/unit/test_qp_attr.c \
	tests/unit/same_effective.h tests/unit/test.h
tests_unit_test_rate_SOURCES = tests/unit/test_rate.c tests/unit/test.h
tests_unit_test_reach_SOURCES = tests/unit/test_reach.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/test.h
tests_unit_test_ready_SOURCES = tests/unit/test_ready.c \
	tests/unit/same_effective.h $(fake_verbs) \
	$(pair) tests/unit/test.h
tests_unit_test_refusals_SOURCES = tests/unit/test_refusals.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/test.h
tests_unit_test_resources_SOURCES = tests/unit/test_resources.c \
	$(fake_verbs) tests/unit/test.h
tests_unit_test_responder_SOURCES = tests/unit/test_responder.c \
	$(fake_provider) tests/unit/test.h
tests_unit_test_samples_SOURCES = tests/unit/test_samples.c \
	tests/unit/test.h
tests_unit_test_seal_SOURCES = tests/unit/test_seal.c tests/unit/test.h
tests_unit_test_serve_SOURCES = tests/unit/test_serve.c \
	$(fake_verbs) tests/unit/test.h
tests_unit_test_service_SOURCES = tests/unit/test_service.c \
	tests/unit/json_checks.c tests/unit/json_checks.h \
	tests/unit/results.c tests/unit/results.h tests/unit/test.h
tests_unit_test_session_SOURCES = tests/unit/test_session.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c \
	tests/unit/test.h
tests_unit_test_shapes_SOURCES = tests/unit/test_shapes.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/test.h
tests_unit_test_summary_SOURCES = tests/unit/test_summary.c \
	tests/unit/test.h
tests_unit_test_sysfs_SOURCES = tests/unit/test_sysfs.c \
	tests/unit/made_up_host.h tests/unit/test.h
tests_unit_test_text_SOURCES = tests/unit/test_text.c tests/unit/results.c \
	tests/unit/results.h tests/unit/test.h
tests_unit_test_time_SOURCES = tests/unit/test_time.c tests/unit/test.h
tests_unit_test_topology_SOURCES = tests/unit/test_topology.c \
	tests/unit/json_checks.c tests/unit/json_checks.h \
	tests/unit/made_up_host.h tests/unit/test.h
tests_unit_test_traffic_SOURCES = tests/unit/test_traffic.c \
	$(fake_provider) tests/unit/test.h
tests_unit_test_traffic_faults_SOURCES = tests/unit/test_traffic_faults.c \
	$(fake_provider) tests/unit/test.h
tests_unit_test_transports_SOURCES = tests/unit/test_transports.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/test.h
tests_unit_test_turn_SOURCES = tests/unit/test_turn.c \
	$(fake_verbs) tests/unit/test.h
tests_unit_test_units_SOURCES = tests/unit/test_units.c tests/unit/test.h
tests_unit_test_usage_SOURCES = tests/unit/test_usage.c tests/unit/test.h
tests_unit_test_verified_runs_SOURCES = tests/unit/test_verified_runs.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/test.h
tests_unit_test_verify_SOURCES = tests/unit/test_verify.c \
	tests/unit/verify_pair.c tests/unit/verify_pair.h tests/unit/test.h
tests_unit_test_verify_faults_SOURCES = tests/unit/test_verify_faults.c \
	tests/unit/verify_pair.c tests/unit/verify_pair.h tests/unit/test.h
tests_unit_test_waiting_SOURCES = tests/unit/test_waiting.c \
	$(fake_verbs) tests/unit/test.h
tests_unit_test_wire_SOURCES = tests/unit/test_wire.c tests/unit/test.h
tests_unit_test_wire_fields_SOURCES = tests/unit/test_wire_fields.c \
	tests/unit/golden.h tests/unit/golden_plan.h \
	tests/unit/samples.c tests/unit/samples.h \
	tests/unit/test.h
tests_unit_test_cm_multicast_SOURCES = tests/unit/test_cm_multicast.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/test.h
tests_unit_test_inline_receive_SOURCES = \
	tests/unit/test_inline_receive.c tests/unit/made_up_host.h \
	tests/unit/test.h
tests_unit_test_multicast_SOURCES = tests/unit/test_multicast.c \
	tests/unit/good_plan.h tests/unit/samples.c tests/unit/samples.h \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/test.h
tests_unit_test_xrc_SOURCES = tests/unit/test_xrc.c \
	$(fake_verbs) $(pair) tests/unit/pair_run.c tests/unit/test.h
tests_unit_test_flags_SOURCES = tests/unit/test_flags.c \
	$(fake_provider) tests/unit/test.h
tests_unit_test_batch_SOURCES = tests/unit/test_batch.c \
	tests/unit/good_plan.h $(fake_provider) tests/unit/test.h
tests_unit_test_gather_SOURCES = tests/unit/test_gather.c \
	$(fake_provider) tests/unit/test.h
tests_unit_test_walk_SOURCES = tests/unit/test_walk.c \
	$(fake_provider) tests/unit/test.h
