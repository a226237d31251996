"""The file of a sweep while it is written: what is in it survives all."""
import datetime
import fcntl
import json
import os
import platform
import random
import stat
import time

from verbsperf import formats
from verbsperf import jsonfile
from verbsperf import points as naming
from verbsperf import progress
from verbsperf import results
from verbsperf import suite as suites


# Half a day: a job of every night does not go on with the night before.
GOES_ON_WITHIN = 12 * 3600
GOES_ON = ("the same command goes on there, after "
           f"{GOES_ON_WITHIN // 3600} hours with --resume")


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
    head = json.dumps({"schema": formats.SWEEP})[:-1].encode()
    if start[:len(head)] != head[:len(start)]:
        raise FileError(f"{path}:1: not a sweep; it is left alone")


def read_header(path):
    """The first line of the sweep PATH, or None when it is empty."""
    text = jsonfile.read_text(path).partition("\n")[0]
    if not text and not os.path.getsize(path):
        return None
    try:
        header = json.loads(text)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("schema") != formats.SWEEP:
        raise FileError(f"{path}:1: not a sweep; it is left alone")
    formats.check_header(formats.Place(path, 1), header)
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
                         f"measured before is in it, and {GOES_ON}"
                         ) from None


def target_json(target):
    """A target as in the header."""
    return {"name": target.name, "server": target.server,
            "options": target.options}


def make_header(options, program, points, targets, seed):
    """The first line of the file."""
    now = datetime.datetime.now(datetime.timezone.utc)
    return {"schema": formats.SWEEP,
            "tool": {"name": "verbsperf-sweep", "verbsperf": program.version},
            "started": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "host": {"hostname": platform.node(),
                     "kernel": platform.release(),
                     "machine": platform.machine()},
            "suite": os.path.basename(options.suite), "points": points,
            "seed": seed, "targets": [target_json(one) for one in targets]}


def differing_points(path, old, new):
    """A sentence when the points OLD and NEW are not the same."""
    sides = [{suites.key_of(point) for point in points}
             for points in (old, new)]
    for extra, where in ((sides[0] - sides[1], "only the file"),
                         (sides[1] - sides[0], "only the suite")):
        if extra:
            one = naming.label(min(extra))
            return (f"{path} is of another suite: {where} has {one}"
                    + (f", and {len(extra) - 1} more points"
                       if len(extra) > 1 else ""))
    if sorted(map(repr, old)) != sorted(map(repr, new)):
        return (f"{path} is of another suite: the points are measured with "
                "other options")
    return None


def spec(target):
    """A target of a header as it is said."""
    options = dict(target["options"])
    place = target["server"] or "loopback"
    return ",".join([f"'{target['name']}={place}"] + [
        f"{name}={value}" if value else name
        for name, value in options.items()]) + "'"


def check_same(path, old, new):
    """The file's header OLD is of the sweep that NEW is of."""
    sentence = differing_points(path, old.get("points", []), new["points"])
    for target in old["targets"]:
        if sentence or target in new["targets"]:
            continue
        sentence = (f"{path} has the target {spec(target)}, which was not "
                    "given")
    for target in new["targets"]:
        if not sentence and target not in old["targets"]:
            sentence = f"{path} is without the target {spec(target)}"
    if not sentence and old["seed"] != new["seed"]:
        sentence = f"{path} has the seed {old['seed']}, not {new['seed']}"
    if sentence:
        raise FileError(sentence + "; take another FILE, or say the same as "
                        "before")


def start(options, program, points, targets):
    """(descriptor, header, records, seconds since the last measurement) of a
    new file, or of one gone on with."""
    path = options.output
    fd = open_file(path)
    before = age(fd)
    torn = cut_torn_line(fd, path)
    if torn:
        progress.say(f"{path}: dropped the last {torn} bytes, of a measurement"
                     " that was not written to its end")
    old = read_header(path)
    seed = options.seed
    if seed is None:
        seed = old["seed"] if old else random.SystemRandom().getrandbits(32)
    header = make_header(options, program, points, targets, seed)
    if old is None:
        append(fd, path, header)
        return fd, header, [], before
    check_same(path, old, header)
    return fd, old, results.read(path), before
