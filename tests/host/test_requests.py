"""What a work request asks of the device, on a NIC that has two entries."""
from lab import QUICK, client, failed, loopback, succeeded


def test_several_entries():
    for test in ("write_bw", "read_bw", "read_lat"):
        program = succeeded(loopback(test, "--sge", 2, "-s", 4096, *QUICK))
        assert " 4096 " in program.out


def test_more_entries_than_the_device_has():
    failed(loopback("write_bw", "--sge", 3, *QUICK),
           "--sge: 3 is above what the client's fake0 allows",
           "max_sge 2", "use --sge 2 or less")


def test_more_entries_than_the_server_has(server):
    failed(client("send_bw", "--sge", 3, "--reversed", *QUICK,
                  port=server.port), "--sge: 3 is above", "max_sge 2")


def test_entries_mean_nothing_to_atomics():
    failed(loopback("atomic_bw", "--sge", 2, *QUICK),
           "--sge 2: an atomic has one entry, of 8 bytes", status=2)
