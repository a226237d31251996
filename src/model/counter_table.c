/* The table of counters.  The names are those of the kernel's drivers mlx5,
 * bnxt_re, irdma, hns, efa, erdma, mana and rxe, of the firmware of ionic, of
 * the Ethernet drivers below them (mlx5, bnxt, ice, i40e, qede, hns3, ionic,
 * mana), and of InfiniBand's PortCounters.
 *
 * A row has the names of one meaning ("a|b"); whether a rise is TROUBLE (lost,
 * damaged, repeated or refused), CONGESTION (held back) or TRAFFIC (neither);
 * what it means, as a clause; and for the first two what to do about it.  STOPS
 * is TROUBLE that stops counting at so many bits. */
#include "config.h"
#include "model/counters.h"

#include <ctype.h>
#include <string.h>

#define LOSS "look for discards at both ends and at the switches between"
#define RECEIVER "raise --rx-depth, or give the receiving threads CPUs of " \
	"their own (--cpus)"
#define CABLE "check the cable, the transceivers and the switch port"
#define SLOW_HOST "check the PCIe link, the NUMA node and the IOMMU of this " \
	"host"
#define CONGESTED "the network is congested: look at the switches' queues " \
	"and ECN settings"
#define OTHER_MTU "set the same MTU at both ends and at the switches between"
#define UNEXPECTED "something other than this test may use the port"
#define FIRMWARE "check the firmware and the kernel's log"

#define TROUBLE(names, meaning, advice) \
	{ names, COUNTER_TROUBLE, 0, meaning, advice }
#define STOPS(names, bits, meaning, advice) \
	{ names, COUNTER_TROUBLE, bits, meaning, advice }
#define CONGESTION(names, meaning, advice) \
	{ names, COUNTER_CONGESTION, 0, meaning, advice }
#define TRAFFIC(names, meaning) \
	{ names, COUNTER_TRAFFIC, 0, meaning, NULL }

// clang-format off
const struct counter_row counter_table[] = {
	/* lost and sent again: at the end that asks */
	TROUBLE("local_ack_timeout_err|to_retransmits|RTO|"
		"retrans_timeout_events|tx_rdma_ack_timeout|requester_timeout",
		"no ACK came in time, so packets were sent again", LOSS),
	TROUBLE("completer_retry_err|retrans_pkts|tcpRetransSegs|RetransSegs|"
		"roce_adp_retrans|roce_adp_retrans_to|tx_rdma_retx_pkts",
		"packets were sent again", LOSS),
	TROUBLE("retrans_bytes|tx_rdma_retx_bytes",
		"bytes were sent again", LOSS),
	TROUBLE("packet_seq_err|rcvd_seq_err|seq_err_naks_rcvd|"
		"Nak Sequence Error|req_rx_pkt_seq_err|requester_oos_nak",
		"the other end missed packets and said so (NAK)", LOSS),
	TROUBLE("implied_nak_seq_err|missing_resp|Nak Sequence Error Implied|"
		"req_rx_impl_nak_seq_err|requester_implicit_nak|"
		"requester_readresp_psn_mismatch",
		"responses to reads or atomics were missing, and were asked "
		"for again", LOSS),
	TROUBLE("rnr_nak_retry_err|rcvd_rnr_err|rnr_naks_rcvd|RNR received|"
		"requester_rnr_nak",
		"the other end had no receive posted (RNR NAK), so messages "
		"were sent again later", RECEIVER),
	TROUBLE("req_transport_retries_exceeded|retry_exceeded_err|"
		"max_retry_exceeded|req_tx_retry_excd_err|"
		"requester_retries_exceeded",
		"a request failed after its last retry", LOSS),
	TROUBLE("req_rnr_retries_exceeded|retry_rnr_exceeded_err|"
		"req_rx_rnr_retry_err|requester_rnr_nak_retries_exceeded",
		"a message failed because the other end never had a receive "
		"posted", RECEIVER),
	TROUBLE("unresponsive_remote_events",
		"the other end did not answer", LOSS),
	TROUBLE("impaired_remote_conn_events",
		"the rate to the other end was lowered because of losses",
		LOSS),
	TROUBLE("roce_slow_restart|roce_slow_restart_cnps|"
		"roce_slow_restart_trans",
		"sending began slowly again after a loss", LOSS),

	/* lost and sent again: at the end that answers */
	TROUBLE("out_of_sequence|oos_drop_count|out_of_seq_request|"
		"Rcvd Out of order packets|resp_rx_outouf_seq|"
		"resp_tx_pkt_seq_err|responder_oos",
		"packets arrived out of sequence: others before them were "
		"lost or late", LOSS),
	TROUBLE("duplicate_request|dup_req|resp_rx_dup_request|"
		"responder_dup_request|dup_rx_requests",
		"requests arrived twice: the other end saw no ACK in time",
		LOSS ", or raise --qp-timeout"),
	TROUBLE("req_rx_dup_response",
		"responses arrived twice: this end had asked again for what "
		"was only late", LOSS ", or raise --qp-timeout"),
	TROUBLE("out_of_buffer|send_rnr_err|rx_out_of_buffer|RNR sent|"
		"ethtool.rx_out_of_buffer|resp_rx_outof_buf|"
		"resp_tx_rnr_retry_err|responder_rnr_nak",
		"messages arrived when no receive was posted", RECEIVER),
	TROUBLE("rx_icrc_encapsulated|CRC errors",
		"RoCE packets arrived with a wrong checksum (ICRC)", CABLE),

	/* congestion control */
	CONGESTION("np_ecn_marked_roce_packets|rx_ecn_marked_pkts|RxECNMrkd|"
		   "cc_rx_ce_pkts|ethtool.rx_prio#_marked|rx_rdma_ecn_pkts|"
		   "received_ecns",
		   "packets arrived with an ECN mark", CONGESTED),
	CONGESTION("np_cnp_sent|np_cnp_pkts|tx_cnp_pkts|cnpSent|tx_cnp_pkt|"
		   "cc_tx_cnp_pkts|tx_rdma_cnp_pkts|sent_cnps",
		   "the sender was told to slow down (CNP)", CONGESTED),
	CONGESTION("rp_cnp_handled|rx_cnp_pkts|cnpHandled|rx_cnp_pkt|"
		   "cc_rx_cnp_pkts|rx_rdma_cnp_pkts|received_cnps|"
		   "received_cnp_count",
		   "this end was told to slow down (CNP), and did",
		   CONGESTED),
	CONGESTION("rp_cnp_ignored|cnpIgnored",
		   "this end was told to slow down (CNP), and did not",
		   "enable congestion control for this priority at this end"),
	CONGESTION("num_qps_congested|qp_congested_events",
		   "queue pairs were slowed down by congestion control",
		   CONGESTED),
	{ "port_xmit_wait", COUNTER_CONGESTION, 32,
	  "ticks in which data waited, because the link gave no credits",
	  "look for a slow receiver or a congested link further on" },
	CONGESTION("pacing_alerts",
		   "the device's doorbells came too fast, so the driver held "
		   "them back", "use fewer queue pairs, or a larger "
		   "--post-list"),

	/* pause frames */
	CONGESTION("ethtool.rx_prio#_pause|ethtool.rx_pfc_ena_frames_pri#|"
		   "ethtool.rx_priority_#_xoff.nic|"
		   "ethtool.port.rx_priority_#_xoff|"
		   "ethtool.mac_rx_pfc_pri#_pkt_num|ethtool.rx_pfc_frames|"
		   "ethtool.rx_pause_ctrl_phy|ethtool.rx_pause_frames|"
		   "ethtool.link_xoff_rx.nic|ethtool.port.link_xoff_rx|"
		   "ethtool.mac_rx_mac_pause_num|ethtool.rx_pause|"
		   "ethtool.frames_rx_pause|ethtool.frames_rx_pripause|"
		   "ethtool.hc_tc#_rx_pause_phy",
		   "pause frames arrived, and this port stopped sending "
		   "meanwhile", CONGESTED),
	CONGESTION("ethtool.rx_prio#_pause_duration|"
		   "ethtool.rx_global_pause_duration|"
		   "ethtool.rx_pripause_#_1us_count|"
		   "ethtool.rx_pause_1us_count",
		   "us for which pause frames stopped this port", CONGESTED),
	CONGESTION("ethtool.tx_prio#_pause|ethtool.tx_pfc_ena_frames_pri#|"
		   "ethtool.tx_priority_#_xoff.nic|"
		   "ethtool.port.tx_priority_#_xoff|"
		   "ethtool.mac_tx_pfc_pri#_pkt_num|ethtool.tx_pfc_frames|"
		   "ethtool.tx_pause_ctrl_phy|ethtool.tx_pause_frames|"
		   "ethtool.link_xoff_tx.nic|ethtool.port.link_xoff_tx|"
		   "ethtool.mac_tx_mac_pause_num|ethtool.tx_pause|"
		   "ethtool.frames_tx_pause|ethtool.frames_tx_pripause|"
		   "ethtool.hc_tc#_tx_pause_phy",
		   "this port sent pause frames: it could not take what came "
		   "as fast as it came", SLOW_HOST),
	CONGESTION("ethtool.tx_prio#_pause_duration|"
		   "ethtool.tx_global_pause_duration|"
		   "ethtool.tx_pripause_#_1us_count",
		   "us for which this port stopped the other side of its link "
		   "by pause frames", SLOW_HOST),
	CONGESTION("ethtool.tx_pause_storm_warning_events|"
		   "ethtool.continuous_roce_pause_events|"
		   "ethtool.continuous_pause_events",
		   "this port sent pause frames for long", SLOW_HOST),
	TROUBLE("ethtool.tx_pause_storm_error_events",
		"this port sent pause frames for so long that it stopped "
		"doing so, and may have dropped packets", SLOW_HOST),

	/* discards */
	TROUBLE("rx_roce_discards|rx_drops|ip4InDiscards|ip6InDiscards|"
		"ethtool.rx_discards_phy|ethtool.rx_prio#_discards|"
		"ethtool.rx_prio#_buf_discard|ethtool.rx_prio#_cong_discard|"
		"ethtool.rx_stat_discard|ethtool.brb_discards|"
		"ethtool.brb_truncates|ethtool.no_buff_discards|"
		"ethtool.rx_dropped.nic|ethtool.port.rx_dropped|"
		"netdev.rx_missed_errors|netdev.rx_fifo_errors|"
		"netdev.rx_over_errors|ethtool.frames_rx_dropped|"
		"ethtool.hw_rx_dropped|ethtool.hw_rx_missed_errors|"
		"ethtool.hw_rx_over_errors|ethtool.hc_rx_discards_no_wqe|"
		"ethtool.hc_rx_pkt_drop_phy",
		"packets that arrived were dropped for want of buffers",
		SLOW_HOST ", and its flow control (PFC)"),
	TROUBLE("ethtool.tx_discards_phy|netdev.tx_dropped|"
		"netdev.tx_fifo_errors|netdev.tx_aborted_errors|"
		"ethtool.tx_dropped_link_down.nic|"
		"ethtool.port.tx_dropped_link_down|ethtool.hw_tx_dropped|"
		"ethtool.hw_tx_aborted_errors|ethtool.frames_tx_bad|"
		"ethtool.hc_tx_pkt_drop_phy",
		"packets were dropped instead of sent",
		"check the link and the flow control (PFC) of this port"),
	STOPS("port_xmit_discards", 16,
	      "packets were dropped instead of sent",
	      "the port was down, or the link congested for too long"),
	TROUBLE("tx_bps_limit_drop_cnt|tx_pps_limit_drop_cnt|"
		"rx_bps_limit_drop_cnt|rx_pps_limit_drop_cnt",
		"packets were dropped by the rate limit of this instance",
		"use a lower --rate, or a larger instance"),
	TROUBLE("tx_disable_drop_cnt|rx_disable_drop_cnt",
		"packets were dropped because the device was disabled",
		FIRMWARE),
	TROUBLE("send_err",
		"the kernel did not let packets out",
		"look at the link, the route ('ip route get'), the MTU and the "
		"output rules of a local firewall ('nft list ruleset'), then "
		"at the transmit queue ('tc -s qdisc', txqueuelen)"),
	TROUBLE("ip4OutNoRoutes|ip6OutNoRoutes",
		"packets had no route", "check 'ip route' and 'ip neigh'"),
	TROUBLE("ip4InTruncatedPkts|ip6InTruncatedPkts|"
		"ethtool.rx_oversize_pkts_phy|ethtool.rx_out_of_range_len_phy|"
		"ethtool.rx_mtu_err_frames|ethtool.rx_oversize_packets|"
		"ethtool.tx_errors_phy|netdev.rx_length_errors|"
		"rx_rdma_mtu_discard_pkts|ethtool.frames_rx_oversized|"
		"ethtool.frames_rx_too_long|ethtool.frames_tx_truncated|"
		"ethtool.hc_tx_err_mtu_violation",
		"packets were longer than the MTU, and dropped", OTHER_MTU),
	TROUBLE("rxVlanErrors",
		"packets arrived with an unknown VLAN",
		"check the VLANs of the switch port"),
	TROUBLE("ethtool.outbound_pci_buffer_overflow",
		"packets were dropped because the PCIe bus was too slow",
		SLOW_HOST),
	TROUBLE("ethtool.dev_internal_queue_oob",
		"packets were dropped inside the device", FIRMWARE),

	/* the link */
	STOPS("symbol_error", 16, "symbols arrived damaged", CABLE),
	TROUBLE("ethtool.rx_symbol_err_phy|ethtool.rx_pcs_symbol_err_phy|"
		"ethtool.rx_crc_errors_phy|ethtool.rx_fcs_err_frames|"
		"ethtool.rx_crc_errors|ethtool.rx_crc_errors.nic|"
		"ethtool.port.rx_crc_errors|ethtool.mac_rx_fcs_err_pkt_num|"
		"netdev.rx_crc_errors|netdev.rx_frame_errors|"
		"ethtool.rx_in_range_len_errors_phy|ethtool.rx_jabbers_phy|"
		"ethtool.rx_fragments_phy|ethtool.rx_undersize_pkts_phy|"
		"ethtool.frames_rx_bad_fcs|ethtool.frames_rx_bad_length|"
		"ethtool.frames_rx_undersized|ethtool.frames_rx_fragments|"
		"ethtool.frames_rx_jabber|ethtool.frames_rx_stomped_crc",
		"frames arrived damaged", CABLE),
	STOPS("link_error_recovery", 8,
	      "the link had to recover from errors", CABLE),
	STOPS("link_downed", 8, "the link went down", CABLE),
	TROUBLE("ethtool.link_down_events_phy|ethtool.link_down_events|"
		"netdev.tx_carrier_errors",
		"the link went down", CABLE),
	STOPS("port_rcv_errors", 16, "packets arrived damaged", CABLE),
	STOPS("port_rcv_remote_physical_errors", 16,
	      "packets arrived that were damaged on an earlier link",
	      "look at the symbol errors of the switches' ports"),
	STOPS("port_rcv_switch_relay_errors", 16,
	      "packets arrived that could not be forwarded",
	      "check the subnet manager's routes"),
	STOPS("port_xmit_constraint_errors|port_rcv_constraint_errors", 8,
	      "packets were refused by the partition or a filter",
	      "check the P_Keys of both ends and of the switches"),
	STOPS("local_link_integrity_errors", 4,
	      "the link's errors exceeded its threshold", CABLE),
	STOPS("excessive_buffer_overrun_errors", 4,
	      "the link's input buffer overran", CABLE),
	STOPS("VL15_dropped", 16,
	      "management packets were dropped for want of buffers",
	      UNEXPECTED),
	TROUBLE("ethtool.module_bus_stuck|ethtool.module_high_temp|"
		"ethtool.module_bad_shorted",
		"the transceiver or cable reported a fault", CABLE),
	TROUBLE("netdev.rx_errors|netdev.tx_errors|rx_roce_errors|rx_err_pkt|"
		"tx_err_pkt|tcpInOptErrors|tcpInProtoErrors|InOptErrors|"
		"InProtoErrors",
		"packets had errors", CABLE),

	/* the PCIe bus */
	TROUBLE("ethtool.rx_pci_signal_integrity|"
		"ethtool.tx_pci_signal_integrity",
		"the PCIe bus had errors", "try another slot"),
	CONGESTION("ethtool.outbound_pci_stalled_rd_events|"
		   "ethtool.outbound_pci_stalled_wr_events",
		   "the device waited for the PCIe bus (in seconds)",
		   SLOW_HOST),
	CONGESTION("ethtool.rx_buffer_passed_thres_phy",
		   "the port's receive buffer was nearly full", SLOW_HOST),

	/* operations that ended with an error */
	TROUBLE("req_cqe_error|resp_cqe_error|rdma_read_wr_err|"
		"rdma_write_wr_err|unrecoverable_err|bad_resp_err|"
		"remote_op_err|get_mpt_err_pkt|get_irrl_err_pkt|"
		"trp_get_mpt_err_pkt|trp_get_irrl_err_pkt|req_rx_cqe_err|"
		"resp_rx_cqe_err|general_hw_error|total_fatal_error|"
		"responder_malformed_wqe",
		"operations ended with an error", FIRMWARE),
	TROUBLE("resp_local_length_error|req_remote_invalid_request|"
		"remote_invalid_req_err|req_remote_access_errors|"
		"resp_remote_access_errors|remote_access_err|local_qp_op_err|"
		"local_protection_err|mem_mgmt_op_err|res_*|"
		"req_rx_inval_pkts|req_rx_oper_err|req_rx_rmt_acc_err|"
		"req_rx_rmt_req_err|req_tx_loc_acc_err|req_tx_loc_oper_err|"
		"req_tx_loc_sgl_inv_err|req_tx_mem_mgmt_err|"
		"resp_rx_inval_request|resp_rx_loc_len_err|"
		"resp_rx_loc_oper_err|resp_rx_outof_atomic|"
		"resp_tx_loc_sgl_inv_err|resp_tx_rmt_inval_req_err|"
		"resp_tx_rmt_acc_err|resp_tx_rmt_oper_err|nak_inv_req|"
		"nak_access_error|nak_opp_error|nak_inv_read|"
		"responder_local_len_error|requestor_local_prot_error|"
		"responder_rem_access_error|responder_local_qp_error",
		"operations were refused: length, key or permission",
		UNEXPECTED),

	/* to compare the others with */
	TRAFFIC("port_xmit_data|port_rcv_data", "4-byte words that passed"),
	TRAFFIC("port_xmit_packets|port_rcv_packets|sent_pkts|rcvd_pkts|"
		"tx_pkts|rx_pkts|tx_pkt|rx_pkt|tx_packets_cnt|"
		"rx_packets_cnt|ip4InPkts|ip4OutPkts|ip6InPkts|ip6OutPkts|"
		"tx_packets|rx_packets|netdev.tx_packets|netdev.rx_packets|"
		"tx_rdma_ucast_pkts|"
		"rx_rdma_ucast_pkts|tx_rdma_mcast_pkts|rx_rdma_mcast_pkts",
		"packets that passed"),
	TRAFFIC("tx_bytes|rx_bytes|sent_bytes|rcvd_bytes|"
		"tx_rdma_ucast_bytes|rx_rdma_ucast_bytes|"
		"tx_rdma_mcast_bytes|rx_rdma_mcast_bytes",
		"bytes that passed"),
};
// clang-format on

const size_t counter_row_count = sizeof(counter_table) / sizeof(*counter_table);

/* Does NAME match PATTERN, which ends at a bar if there is one? */
static bool matches(const char *pattern, const char *name)
{
	for (; *pattern && *pattern != '|'; pattern++) {
		if (*pattern == '*')
			return true;
		if (*pattern != '#') {
			if (*name++ != *pattern)
				return false;
			continue;
		}
		if (!isdigit((unsigned char)*name))
			return false;
		while (isdigit((unsigned char)*name))
			name++;
	}
	return !*name;
}

/* Is NAME one of NAMES, which bars separate? */
static bool is_among(const char *names, const char *name)
{
	while (!matches(names, name)) {
		names = strchr(names, '|');
		if (!names)
			return false;
		names++;
	}
	return true;
}

/* A counter of an RDMA device that has no row, but a name of trouble. */
static const struct counter_row unknown_trouble =
	TROUBLE("*", "the name says that something went wrong, and no more is "
		"known here",
		"look for it in the documents of the NIC's driver");

/*
 * True if NAME, for which there is no row, is one of the RDMA device and says
 * that something was lost, late, damaged or refused.  Some names say so of what
 * is none: a queue pair that is destroyed flushes its requests, and some
 * firmware counts broadcasts as recoverable errors.
 */
static bool sounds_like_trouble(const char *name)
{
	static const char *const bad[] = {
		"_err", "error", "drop", "discard", "retrans", "retx",
		"timeout", "nak", "exceed", "excd", "out_of_", "outof",
		"oos", "dup", "fail", "malformed", "violation", "overflow",
		"overrun",
	};
	static const char *const good[] = {
		"netdev.", "ethtool.", "flush", "recoverable_errors",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (strstr(name, good[i]))
			return false;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (strcasestr(name, bad[i]))
			return true;
	return false;
}

const struct counter_row *counter_row(const char *name)
{
	for (size_t i = 0; i < counter_row_count; i++)
		if (is_among(counter_table[i].names, name))
			return &counter_table[i];
	return sounds_like_trouble(name) ? &unknown_trouble : NULL;
}

const char *const counter_kind_names[] = {
	[COUNTER_TRAFFIC] = "traffic",
	[COUNTER_CONGESTION] = "congestion",
	[COUNTER_TROUBLE] = "trouble",
};
