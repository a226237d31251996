"""Writes files: whole ones beside what was there, and lines of JSON, each of
them at once. No other module does.

A file is never replaced by one of another kind, and never cut but where a
line of a known file was not written to its end."""
import contextlib
import datetime
import errno
import fcntl
import json
import os
import stat
from typing import Iterator, Optional, Sequence, Union

from verbsperf.base import command
from verbsperf.base.errors import Refused
from verbsperf.documents.jsonfile import Object

# How whole files begin, by what they are; letters may be of either case.
BEGINS = {"html": b"<!doctype html", "svg": b"<?xml ", "png": b"\x89png\r\n",
          "md": b"## ", "json": b"{", "junit": b"<?xml ", "markdown": b"**",
          "openmetrics": b"# "}
# Of a file that others read, such as Prometheus' node exporter, whatever the
# umask of a nightly job is.
SHARED = 0o644
# What file systems without locks answer, such as Lustre without "flock".
NO_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK)


@contextlib.contextmanager
def refused(path: str) -> Iterator[None]:
    """Refuse what fails with PATH in one line."""
    try:
        yield
    except OSError as error:
        raise Refused(f"{path}: cannot write: {error.strerror}", 1) from None


def check_whole(path: str, form: str, force: Optional[bool] = False,
                inputs: Sequence[str] = ()) -> None:
    """Refuse to write a file of FORM to PATH where that is one of INPUTS, or,
    without FORCE, of another kind, where the command has it unless it is None;
    or where no file can be made."""
    with refused(path):
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if os.path.exists(path) and not os.path.isfile(path):
            return
        folder = os.path.dirname(os.path.realpath(path))
        os.close(os.open(folder, os.O_RDONLY | os.O_CLOEXEC))
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if not os.path.exists(path):
            return
        if any(os.path.exists(one) and os.path.samefile(path, one)
               for one in inputs):
            raise Refused(f"{path}: it is read, too; choose another name "
                          "for what is written")
        with open(path, "rb") as file:
            begin = file.read(len(BEGINS[form])).lower()
    if begin not in (b"", BEGINS[form]) and not force:
        raise Refused(f"{path}: what is there does not begin as {form} does; "
                      "left as it is: choose another name"
                      + ("" if force is None else ", or --force"))


def write_whole(path: str, data: Union[str, bytes],
                mode: Optional[int] = None) -> None:
    """Write DATA into the file PATH, which has either all of it or what it had
    before, and then the MODE that is given, if it is new. What is no regular
    file is written as it is."""
    if isinstance(data, str):
        data = data.encode()
    path = os.path.realpath(path)
    with refused(path):
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as there:
                there.write(data)
            return
        replace(path, data, mode)


def replace(path: str, data: bytes, mode: Optional[int]) -> None:
    """Write DATA beside PATH, wait until the disk has it, and rename it. It
    has the MODE that is given unless PATH is there, whose it keeps."""
    beside = f"{path}.{os.getpid()}.new"
    try:
        with open(beside, "xb") as file:
            if os.path.exists(path):
                mode = stat.S_IMODE(os.stat(path).st_mode)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    # the name, too; not every file system can
    with contextlib.suppress(OSError):
        folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_CLOEXEC)
        os.fsync(folder)
        os.close(folder)


def now_text() -> str:
    """Return the time, as RFC 3339 has it."""
    now = datetime.datetime.now(datetime.timezone.utc)
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


class Lines:
    """The file PATH of JSON lines, open to append to it: a KIND, whose first
    line has SCHEMA. GOES_ON says what continues it when no more can be
    written. WAIT for who writes it, or refuse it."""

    def __init__(self, path: str, schema: str, kind: str, goes_on: str,
                 wait: bool = False) -> None:
        self.path, self.kind, self.goes_on = path, kind, goes_on
        self.header: Optional[Object] = None    # its first line, if there is
        try:
            self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND
                              | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise Refused(f"{path}: {error.strerror}") from None
        try:
            self.check(schema, wait)
        except BaseException:
            self.close()
            raise

    def check(self, schema: str, wait: bool) -> None:
        """Refuse what is no such file, and have no others write it."""
        if not stat.S_ISREG(os.fstat(self.fd).st_mode):
            raise Refused(f"{self.path}: expected a regular file, in which "
                          "to continue after an interruption")
        self.lock(wait)
        first, end, _ = self.text().partition(b"\n")
        try:
            header = json.loads(first) if end else None
        except ValueError:
            header = None
        if isinstance(header, dict) and header.get("schema") == schema:
            self.header = header
        elif first or end:
            raise Refused(f"{self.path}:1: not a {self.kind}; left as it is")

    def lock(self, wait: bool) -> None:
        """Lock the file; WAIT for who has it, or refuse it."""
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise Refused(f"{self.path}: another program is writing it"
                          ) from None
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise Refused(f"{self.path}: cannot lock: {error.strerror}"
                              ) from None
            command.say(f"{self.path}: no locks in this file system "
                        f"({error.strerror}): have no other program write it")

    def close(self) -> None:
        """Let others write it."""
        os.close(self.fd)

    def text(self) -> bytes:
        """Return what is in the file."""
        return os.pread(self.fd, os.fstat(self.fd).st_size, 0)

    def cut_torn(self) -> int:
        """Drop the last line if it was not written to its end, and return its
        length. The file does not get younger by it."""
        text, times = self.text(), os.fstat(self.fd)
        whole = text.rfind(b"\n") + 1
        if whole < len(text):
            with refused(self.path):
                os.ftruncate(self.fd, whole)
                os.utime(self.fd, ns=(times.st_atime_ns, times.st_mtime_ns))
        return len(text) - whole

    def append(self, *entries: Object) -> None:
        """Write ENTRIES as lines and wait until the disk has them, or leave no
        trace. A last line without an end gets one."""
        end = os.fstat(self.fd).st_size
        torn = end and os.pread(self.fd, 1, end - 1) != b"\n"
        data = ("\n" * torn + "".join(
            json.dumps(entry, allow_nan=False) + "\n"
            for entry in entries)).encode()
        try:
            while data:     # once, unless the disk is full
                data = data[os.write(self.fd, data):]
            os.fsync(self.fd)
        except OSError as error:
            os.ftruncate(self.fd, end)
            raise Refused(f"{self.path}: cannot write: {error.strerror}; "
                          + self.goes_on, 1) from None
