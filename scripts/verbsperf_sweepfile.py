"""The file of a sweep while it is written: what is in it survives all."""
import fcntl
import json
import os
import stat
import time

import verbsperf_results as results


class FileError(Exception):
    """The file cannot be used; the text says which and why."""

    status = 2


class WriteError(FileError):
    """It could be used, and now nothing more can be written to it."""

    status = 1


def open_file(path):
    """A descriptor of PATH that no other sweep has."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        raise FileError(f"{path}: a sweep goes on where it was, which needs a"
                        " regular file")
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise FileError(f"{path}: another sweep is writing it") from None
    return fd


def age(fd):
    """Seconds since something was written."""
    return time.time() - os.fstat(fd).st_mtime


def cut_torn_line(fd, path):
    """Drop what a sweep that was killed wrote of its last line; how much.
    The file does not get younger by it."""
    try:
        times = os.fstat(fd)
        data = os.pread(fd, os.fstat(fd).st_size, 0)
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            check_torn(data[:100], path)
            os.ftruncate(fd, whole)
            os.utime(fd, ns=(times.st_atime_ns, times.st_mtime_ns))
        return len(data) - whole
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None


def check_torn(start, path):
    """Only what is a sweep is cut; START is how the file begins."""
    head = json.dumps({"schema": results.SWEEP})[:-1].encode()
    if start[:len(head)] != head[:len(start)]:
        raise FileError(f"{path}:1: not a sweep; it is left alone")


def read_header(path):
    """The first line of the sweep PATH, or None when it is empty."""
    text = results.read_text(path).partition("\n")[0]
    if not text and not os.path.getsize(path):
        return None
    try:
        header = json.loads(text)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("schema") != results.SWEEP:
        raise FileError(f"{path}:1: not a sweep; it is left alone")
    results.check_header(path, 1, header)
    return header


def append(fd, path, entry):
    """Write ENTRY as a line and see it on the disk, or leave no trace."""
    data = (json.dumps(entry) + "\n").encode()
    end = os.lseek(fd, 0, os.SEEK_END)
    try:
        written = 0
        while written < len(data):
            written += os.write(fd, data[written:])
        os.fsync(fd)
    except OSError as error:
        os.ftruncate(fd, end)
        raise WriteError(f"{path}: cannot write: {error.strerror}; what was "
                         "measured before is in it, and the same command "
                         "with --resume goes on there") from None
