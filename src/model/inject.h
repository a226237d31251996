/*
 * The faults that --inject provokes between two real ends, as data.
 * inject/inject.c has the code that causes them.  The numbers refer to
 * tests/FAULTS, the list of faults that a benchmark must survive.
 */
#pragma once

#include <stddef.h>

/* What several faults end in. */
#define INJECT_REFUSED "REM_ACCESS_ERR", "EVENT_QP_ACCESS_ERR|-"
#define INJECT_NOT_SENT "LOC_PROT_ERR|LOC_QP_OP_ERR", "-"
#define INJECT_NOT_TAKEN "REM_OP_ERR", "LOC_PROT_ERR|LOC_QP_OP_ERR"
#define INJECT_NOT_ALLOWED \
	"REM_INV_REQ_ERR|REM_ACCESS_ERR", \
	"EVENT_QP_ACCESS_ERR|EVENT_QP_REQ_ERR|-"

/*
 * X(id, name, numbers, test, options, what, requester, responder)
 *   test       test the fault belongs to, run with these options
 *   what       what is wrong
 *   requester  what the client reports of its own failure: a completion
 *   responder  status without "IBV_WC_", an event without "IBV_", an errno;
 *              ok: it succeeds; -: it fails only because the other end does.
 *              Bars separate outcomes where providers differ.
 */
#define INJECT_LIST(X) \
	X(NO_RECEIVE, "no-receive", "1", "send_bw", "--rnr-retry 1", \
	  "no receive is posted", "RNR_RETRY_EXC_ERR", "-") \
	X(NO_RECEIVE_SRQ, "no-receive-srq", "1 34", "send_bw", \
	  "--srq --rnr-retry 1", "the shared receive queue is empty", \
	  "RNR_RETRY_EXC_ERR", "-") \
	X(NO_RECEIVE_EVER, "no-receive-ever", "2", "send_bw", "--timeout 1", \
	  "no receive is posted, retried for ever", "ETIMEDOUT", "-") \
	X(SLOW_RECEIVER, "slow-receiver", "3", "send_bw", \
	  "-n 32 -t 32 -r 16 -Q 1 --rnr-retry 1 --min-rnr-timer 1", \
	  "16 receives for 32 messages", "RNR_RETRY_EXC_ERR", "-") \
	X(LATE_RECEIVES, "late-receives", "4", "send_bw", "-n 32 -r 16", \
	  "receives are posted after messages have arrived", "ok", "ok") \
	X(NO_RECEIVE_IMM, "no-receive-imm", "5", "write_bw", \
	  "--imm --rnr-retry 1", "no receive for a write with immediate data", \
	  "RNR_RETRY_EXC_ERR", "-") \
	X(SHORT_RECEIVE, "short-receive", "6", "send_bw", "", \
	  "receives are shorter than messages", "REM_INV_REQ_ERR|REM_OP_ERR", \
	  "LOC_LEN_ERR|REM_INV_REQ_ERR|LOC_QP_OP_ERR") \
	X(RECEIVE_LKEY, "receive-lkey", "7", "send_bw", "", \
	  "the lkey of receives is wrong", INJECT_NOT_TAKEN) \
	X(RECEIVE_ADDRESS, "receive-address", "7", "send_bw", "", \
	  "receives lie outside their memory region", INJECT_NOT_TAKEN) \
	X(RECEIVE_DEREG, "receive-dereg", "7", "send_bw", "", \
	  "the receives' memory region is gone", INJECT_NOT_TAKEN) \
	X(RECEIVE_READ_ONLY, "receive-read-only", "8", "send_bw", "", \
	  "the receives' memory region lacks LOCAL_WRITE", INJECT_NOT_TAKEN) \
	X(SEND_LKEY, "send-lkey", "9", "send_bw", "", \
	  "the lkey of messages is wrong", INJECT_NOT_SENT) \
	X(WRITE_LKEY, "write-lkey", "9", "write_bw", "", \
	  "the lkey of writes is wrong", INJECT_NOT_SENT) \
	X(READ_LKEY, "read-lkey", "9", "read_bw", "", \
	  "the lkey of reads is wrong", "LOC_PROT_ERR", "-") \
	X(QUIET_LKEY, "quiet-lkey", "9", "write_bw", "-n 64 -t 64 -Q 64", \
	  "the lkey of unsignaled writes is wrong", INJECT_NOT_SENT) \
	X(READ_RKEY, "read-rkey", "10", "read_bw", "", "the rkey is wrong", \
	  INJECT_REFUSED) \
	X(WRITE_RKEY, "write-rkey", "11", "write_bw", "", "the rkey is wrong", \
	  INJECT_REFUSED) \
	X(WRITE_PAST_END, "write-past-end", "12", "write_bw", "", \
	  "one byte past the end of the memory region", INJECT_REFUSED) \
	X(WRITE_BEFORE, "write-before", "12", "write_bw", "", \
	  "one byte before the beginning of the memory region", \
	  INJECT_REFUSED) \
	X(READ_PAST_END, "read-past-end", "12", "read_bw", "", \
	  "one byte past the end of the memory region", INJECT_REFUSED) \
	X(READ_BEFORE, "read-before", "12", "read_bw", "", \
	  "one byte before the beginning of the memory region", \
	  INJECT_REFUSED) \
	X(WRITE_BOTH_KEYS, "write-both-keys", "13", "write_bw", "", \
	  "lkey and rkey are wrong", INJECT_NOT_SENT) \
	X(READ_BOTH_KEYS, "read-both-keys", "13", "read_bw", "", \
	  "lkey and rkey are wrong", INJECT_REFUSED) \
	X(IMM_RKEY, "imm-rkey", "14", "write_bw", "--imm", \
	  "the rkey is wrong", "REM_ACCESS_ERR", \
	  "LOC_ACCESS_ERR|LOC_PROT_ERR|REM_ACCESS_ERR|EVENT_QP_ACCESS_ERR") \
	X(MR_NO_WRITE, "mr-no-write", "15", "write_bw", "", \
	  "the memory region lacks REMOTE_WRITE", INJECT_REFUSED) \
	X(MR_NO_READ, "mr-no-read", "15", "read_bw", "", \
	  "the memory region lacks REMOTE_READ", INJECT_REFUSED) \
	X(MR_NO_ATOMIC, "mr-no-atomic", "15", "atomic_bw", "", \
	  "the memory region lacks REMOTE_ATOMIC", INJECT_REFUSED) \
	X(QP_NO_WRITE, "qp-no-write", "16", "write_bw", "", \
	  "the queue pair lacks REMOTE_WRITE", INJECT_NOT_ALLOWED) \
	X(QP_NO_READ, "qp-no-read", "16", "read_bw", "", \
	  "the queue pair lacks REMOTE_READ", INJECT_NOT_ALLOWED) \
	X(QP_NO_ATOMIC, "qp-no-atomic", "16", "atomic_bw", "", \
	  "the queue pair lacks REMOTE_ATOMIC", INJECT_NOT_ALLOWED) \
	X(EMPTY_WRITE_RKEY, "empty-write-rkey", "17", "write_bw", "-s 0", \
	  "the rkey is wrong, the message has no bytes", "ok", "ok") \
	X(EMPTY_READ_RKEY, "empty-read-rkey", "17", "read_bw", "-s 0", \
	  "the rkey is wrong, the message has no bytes", "ok", "ok") \
	X(ATOMIC_UNALIGNED, "atomic-unaligned", "18", "atomic_bw", "", \
	  "the address is not a multiple of 8", "REM_INV_REQ_ERR", \
	  "EVENT_QP_REQ_ERR|EVENT_QP_ACCESS_ERR|-") \
	X(ATOMIC_LENGTH, "atomic-length", "19", "atomic_bw", "", \
	  "4 bytes where an atomic has 8", "LOC_LEN_ERR|LOC_PROT_ERR|ok", \
	  "-|ok") \
	X(ATOMIC_LKEY, "atomic-lkey", "20", "atomic_bw", "", \
	  "the lkey is wrong", "LOC_PROT_ERR", "-") \
	X(ATOMIC_RKEY, "atomic-rkey", "20", "atomic_bw", "", \
	  "the rkey is wrong", INJECT_REFUSED) \
	X(NO_DEST_READS, "no-dest-reads", "23", "read_bw", "", \
	  "the responder allows no outstanding reads", "REM_INV_REQ_ERR", \
	  "EVENT_QP_REQ_ERR|-") \
	X(PEER_RESET, "peer-reset", "25", "write_bw", "-u 12 --retry-count 2", \
	  "the peer's queue pair is in RESET", \
	  "RETRY_EXC_ERR|REM_OP_ERR|FATAL_ERR", "-") \
	X(PEER_INIT, "peer-init", "25", "write_bw", "-u 12 --retry-count 2", \
	  "the peer's queue pair is in INIT", \
	  "RETRY_EXC_ERR|REM_OP_ERR|FATAL_ERR", "-") \
	X(PEER_ERROR, "peer-error", "26", "write_bw", "-u 12 --retry-count 2", \
	  "the peer's queue pair is in ERR", "RETRY_EXC_ERR|REM_OP_ERR", "-") \
	X(PEER_ERROR_LATER, "peer-error-later", "26", "write_bw", \
	  "-n 100000000 -u 12 --retry-count 2", \
	  "the peer's queue pair goes to ERR in mid-run", \
	  "RETRY_EXC_ERR|REM_OP_ERR", "-") \
	X(WRONG_QPN, "wrong-qpn", "26", "write_bw", "-u 12 --retry-count 2", \
	  "no queue pair has that number", "RETRY_EXC_ERR|REM_OP_ERR", "-") \
	X(WRONG_GID, "wrong-gid", "26", "write_bw", "-u 12 --retry-count 2", \
	  "no host has that GID", \
	  "RETRY_EXC_ERR|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|EINVAL", "-") \
	X(NO_ACK_TIMEOUT, "no-ack-timeout", "27", "write_bw", \
	  "-u 0 --timeout 1", \
	  "the peer's queue pair is in ERR, and the ACK timeout is infinite", \
	  "ETIMEDOUT", "-") \
	X(OWN_ERROR, "own-error", "28", "write_bw", "", \
	  "this end's queue pair is in ERR", "WR_FLUSH_ERR", "-") \
	X(RECEIVER_ERROR, "receiver-error", "28", "send_bw", "", \
	  "the receiver's queue pair is in ERR", "RETRY_EXC_ERR|-", \
	  "WR_FLUSH_ERR") \
	X(OWN_RESET, "own-reset", "29", "write_bw", \
	  "--post legacy --timeout 1", "this end's queue pair is in RESET", \
	  "EINVAL|ETIMEDOUT", "-") \
	X(FIRST_LKEY, "first-lkey", "30", "write_bw", "--post-list 5 -Q 1", \
	  "the first lkey is wrong, the following ones are right", \
	  INJECT_NOT_SENT) \
	X(FULL_SEND_QUEUE, "full-send-queue", "31", "write_bw", \
	  "-n 8192 -t 4 --post legacy", \
	  "more is posted than the queue can hold", "ENOMEM", "-") \
	X(FULL_COMPLETION_QUEUE, "full-completion-queue", "33", "write_bw", \
	  "-n 8192 -t 4 -Q 1 --post legacy --timeout 1", \
	  "more completes than the queue can hold", \
	  "EVENT_CQ_ERR|ENOMEM|ETIMEDOUT|ok", "-|ok") \
	X(FULL_RECEIVE_QUEUE, "full-receive-queue", "31", "send_bw", "-r 16", \
	  "more is posted than the queue can hold", "-", "ENOMEM") \
	X(MANY_PIECES, "many-pieces", "32", "write_bw", "--post legacy", \
	  "a message of more SGEs than any device supports", "EINVAL|ENOMEM", \
	  "-") \
	X(MUCH_INLINE, "much-inline", "32", "write_bw", "-s 4K --post legacy", \
	  "more inline bytes than the queue pair allows", \
	  "EINVAL|ENOMEM|EPERM", "-") \
	X(UD_TOO_LONG, "ud-too-long", "36", "send_bw", "-c UD --walk 16K", \
	  "a message is longer than the MTU", "LOC_LEN_ERR|EIO", "-|EIO") \
	X(UD_NO_HEADER, "ud-no-header", "37", "send_bw", "-c UD", \
	  "receives have no room for the GRH", "EIO|-", "EIO|LOC_QP_OP_ERR") \
	X(UD_NO_RECEIVE, "ud-no-receive", "38", "send_bw", "-c UD", \
	  "no receive is posted", "EIO", "EIO") \
	X(UD_QPN, "ud-qpn", "38", "send_bw", "-c UD", \
	  "no queue pair has that number", "EIO|GENERAL_ERR", "EIO|-") \
	X(UD_QKEY, "ud-qkey", "38", "send_bw", "-c UD", "the Q_Key is wrong", \
	  "EIO|GENERAL_ERR", "EIO|-") \
	X(UC_NO_RECEIVE, "uc-no-receive", "41", "send_bw", "-c UC", \
	  "no receive is posted", "EIO", "EIO") \
	X(UC_RKEY, "uc-rkey", "41", "write_bw", "-c UC", \
	  "the rkey is wrong, and nothing reports it", "ok", "ok") \
	X(UC_NO_ACCESS, "uc-no-access", "41", "write_bw", "-c UC", \
	  "the queue pair lacks REMOTE_WRITE, and nothing reports it", "ok", \
	  "ok") \
	X(UC_IMM_RKEY, "uc-imm-rkey", "41", "write_bw", "-c UC --imm", \
	  "the rkey is wrong, and nothing arrives", "EIO", \
	  "EIO|LOC_ACCESS_ERR|LOC_PROT_ERR") \
	X(OTHER_MTU, "other-mtu", "44", "write_bw", "-s 16K", \
	  "the path MTU of the ends differs", "REM_INV_REQ_ERR", \
	  "EVENT_QP_REQ_ERR|-") \
	X(MR_GONE, "mr-gone", "46", "write_bw", "-n 100000000", \
	  "the memory region goes away in mid-run", INJECT_REFUSED) \
	X(MR_OTHER_PD, "mr-other-pd", "46", "write_bw", "", \
	  "the memory region is of another protection domain", \
	  "REM_ACCESS_ERR|REM_OP_ERR", "EVENT_QP_ACCESS_ERR|-") \
	X(MW_INVALID, "mw-invalid", "46", "write_bw", "-n 100000000", \
	  "the memory window is invalidated in mid-run", "REM_ACCESS_ERR|-", \
	  "EVENT_QP_ACCESS_ERR|EOPNOTSUPP|-") \
	X(CQ_OVERRUN, "cq-overrun", "33", "send_bw", \
	  "-n 64 -r 64 --timeout 1", \
	  "the completion queue of the receives is too small", \
	  "RETRY_EXC_ERR|REM_OP_ERR|ETIMEDOUT|-", \
	  "EVENT_CQ_ERR|EVENT_QP_FATAL|ENOSYS|EOPNOTSUPP|ETIMEDOUT") \
	X(CQ_RESIZE, "cq-resize", "33", "send_bw", "-n 500 -r 64", \
	  "the completion queue of the receives changes its size", "ok|-", \
	  "ok|ENOSYS|EOPNOTSUPP")

enum inject {
	INJECT_NOTHING,
#define X(id, ...) INJECT_##id,
	INJECT_LIST(X)
#undef X
	INJECT_COUNT
};

/* The option's words, separated by bars as in param_table. */
#define INJECT_WORD(id, name, ...) "|" name
#define INJECT_WORDS "none" INJECT_LIST(INJECT_WORD)

struct inject_case {
	const char *name;
	const char *numbers;
	const char *test;
	const char *options;
	const char *what;
	const char *requester;
	const char *responder;
};

/* The row of INJECT; NULL for INJECT_NOTHING and for unknown values. */
const struct inject_case *inject_find(unsigned int inject);
