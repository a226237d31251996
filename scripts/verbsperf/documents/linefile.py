"""Writes files of JSON lines: one writer, and each line whole."""
import fcntl
import json
import os
import stat

from verbsperf.base.errors import Refused
from verbsperf.documents.jsonfile import Object


class FileError(Refused):
    """The file cannot be used; the text says which and why."""


class WriteError(FileError):
    """Nothing more can be written to the file."""

    status = 1


def open_file(path: str) -> int:
    """Open PATH so that no other program writes it; return the descriptor."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        raise FileError(f"{path}: expected a regular file, in which to "
                        "continue after an interruption")
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise FileError(f"{path}: another program is writing it") from None
    return fd


def write_whole(fd: int, data: bytes) -> None:
    """Write DATA at the end of FD and wait until the disk has it, or leave no
    trace."""
    end = os.lseek(fd, 0, os.SEEK_END)
    try:
        written = 0
        while written < len(data):
            written += os.write(fd, data[written:])
        os.fsync(fd)
    except OSError:
        os.ftruncate(fd, end)
        raise


def append(fd: int, path: str, entry: Object, goes_on: str) -> None:
    """Write ENTRY as a line, all of it or nothing. GOES_ON says what continues
    the file when that fails."""
    try:
        write_whole(fd, (json.dumps(entry) + "\n").encode())
    except OSError as error:
        raise WriteError(f"{path}: cannot write: {error.strerror}; what was "
                         f"measured before is in it, and {goes_on}"
                         ) from None
