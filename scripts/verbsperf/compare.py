"""Is NEW as fast as BASE?  See verbsperf-compare(1).

Exit status: 0 as fast or faster, 1 slower, 2 no answer."""
import argparse
import json
import os
import sys

from verbsperf import results
from verbsperf import tables
from verbsperf import verdict as verdicts

SCHEMA = "verbsperf-compare/1"
ORDER = (verdicts.REGRESSION, verdicts.INCONCLUSIVE, verdicts.IMPROVEMENT,
         verdicts.OK)
EXIT = {verdicts.REGRESSION: 1, verdicts.INCONCLUSIVE: 2,
        verdicts.IMPROVEMENT: 0, verdicts.OK: 0}
# Those where less is better are of latency.
RATES = ("gbps", "mpps", "mib_per_s", "peak_gbps")
TIMES = ("min", "mean", "p50", "p90", "p99", "p99_9", "p99_99", "max")
# How many differences between fingerprints a refusal names.
SHOWN = 8


class Refused(Exception):
    """There is nothing to compare; the text says why."""


def percentage(text):
    """A tolerance as an option gives it."""
    value = float(text.removesuffix("%"))
    if not 0 <= value < 100:
        raise argparse.ArgumentTypeError(f"'{text}' is not 0 to below 100")
    return value


def metric_name(text):
    """A metric's key; 99.9 and p99.9 are p99_9."""
    name = text.lower().replace(".", "_")
    name = "p" + name if name[:1].isdigit() else name
    if name not in RATES + TIMES:
        raise argparse.ArgumentTypeError(
            f"'{text}' is none of {', '.join(RATES + TIMES)}")
    return name


def parser():
    """The options."""
    p = argparse.ArgumentParser(
        prog="verbsperf-compare", allow_abbrev=False,
        usage="%(prog)s [options] BASE[:TARGET] NEW[:TARGET]\n"
              "       %(prog)s [options] [--targets A,B] SWEEP",
        description="Is NEW as fast as BASE, at every point that both have?",
        epilog="Exit status: 0 as fast or faster, 1 slower somewhere, 2 no "
               "answer.  See verbsperf-compare(1).")
    p.add_argument("files", nargs="+", metavar="FILE",
                   help="documents of verbsperf --json, or a sweep")
    p.add_argument("--targets", metavar="A,B",
                   help="these two of one sweep, A as the base")
    p.add_argument("--metric", action="append", type=metric_name, default=[],
                   metavar="NAME",
                   help="instead of gbps and p99: one for bandwidth"
                        f" ({', '.join(RATES)}), one for latency"
                        f" ({', '.join(TIMES)})")
    p.add_argument("--bandwidth-tolerance", type=percentage, default=2.0,
                   metavar="PERCENT", help="loss that does not matter [2]")
    p.add_argument("--latency-tolerance", type=percentage, default=5.0,
                   metavar="PERCENT", help="likewise [5]")
    p.add_argument("--force", action="store_true",
                   help="compare although devices, MTU, ... differ")
    form = p.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true",
                      help="write JSON instead of a table")
    form.add_argument("--markdown", action="store_true",
                      help="write a table for a review comment")
    return p


def split_name(name):
    """FILE or FILE:TARGET; a file that has a colon wins."""
    if ":" in name and not os.path.exists(name):
        return tuple(name.rsplit(":", 1))
    return name, None


def select(name):
    """(file, target, records) of FILE or FILE:TARGET."""
    path, target = split_name(name)
    records = results.read(path)
    names = list(dict.fromkeys(record.target for record in records))
    if target is None:
        return path, None, records
    if target not in names:
        raise Refused(f"{path}: there is no target '{target}', only "
                      + " ".join(names))
    return path, target, [r for r in records if r.target == target]


def two_targets(path, wanted):
    """The two sides of one sweep."""
    records = results.read(path)
    names = list(dict.fromkeys(record.target for record in records))
    chosen = wanted.split(",") if wanted else names
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise Refused(f"{path}: two targets are compared: --targets A,B of: "
                      + " ".join(names))
    for name in chosen:
        if name not in names:
            raise Refused(f"{path}: there is no target '{name}', only "
                          + " ".join(names))
    return [(path, name, [r for r in records if r.target == name])
            for name in chosen]


def sides(options):
    """[(file, target, records)] of base and new."""
    if len(options.files) > 2:
        raise Refused("two files are compared; join those of one side: cat "
                      "base-*.json > base.json")
    if len(options.files) == 1:
        return two_targets(options.files[0], options.targets)
    if options.targets:
        raise Refused("--targets chooses from one sweep; of two files say "
                      "BASE:TARGET NEW:TARGET")
    return [select(name) for name in options.files]


def target_names(side):
    """Those of its records."""
    return {record.target for record in side[2]}


def group(side, by_target):
    """{(target or None, point): records} in the order of the file."""
    groups = {}
    for record in side[2]:
        if record.point is None:
            continue
        key = (record.target if by_target else None, record.point)
        groups.setdefault(key, []).append(record)
    return groups


def pair_up(base, new):
    """The groups of both sides, by target where both have several."""
    several = [len(target_names(side)) > 1 for side in (base, new)]
    if any(several) and not all(several):
        which = base if several[0] else new
        raise Refused(f"{which[0]}: which target? say {which[0]}:TARGET, one "
                      "of: " + " ".join(sorted(target_names(which))))
    return group(base, all(several)), group(new, all(several))


def marks_of(records):
    """{name: values} of the fingerprints of what was measured."""
    marks = {}
    for record in records:
        if record.row is None:
            continue
        for name, value in record.fingerprint.items():
            marks.setdefault(name, {})[repr(value)] = value
    return marks


def words(values):
    """Values of a fingerprint in a sentence."""
    return " and ".join("none" if value is None else str(value)
                        for value in values.values())


def hosts_of(records):
    """{end: names} of the hosts that RECORDS were measured on."""
    hosts = {"client": {}, "server": {}}
    for record in records:
        for end, found in hosts.items():
            name = record.row and record.document[end].get("hostname")
            if name:
                found[name] = name
    return hosts


def mixtures(base, new):
    """Sentences about rounds of one side that are of several hosts: they are
    no rounds of each other."""
    for side, records in (("BASE", base), ("NEW", new)):
        for end, names in hosts_of(records).items():
            if len(names) > 1:
                yield f"{end} hostname: {words(names)} in {side}"


def differences(base, new):
    """Sentences about what differs in the fingerprints of two groups."""
    yield from mixtures(base, new)
    marks = marks_of(base), marks_of(new)
    if not all(marks):
        return
    for name in sorted({**marks[0], **marks[1]}):
        # an option of a target says something when it is not there, too
        absent = {"None": None} if name.startswith("option ") else {}
        a, b = (side.get(name, absent) for side in marks)
        if a and b and (a.keys() != b.keys() or len(a) > 1):
            yield f"{name}: {words(a)} in BASE, {words(b)} in NEW"


def check_fingerprints(groups, force):
    """Notes about what differs; refuses unless FORCE."""
    found = {}
    for key in groups[0].keys() & groups[1].keys():
        for sentence in differences(groups[0][key], groups[1][key]):
            found[sentence] = found.get(sentence, 0) + 1
    notes = sorted(found)
    if notes and not force:
        more = len(notes) - SHOWN
        raise Refused("the fingerprints differ: " + "; ".join(notes[:SHOWN])
                      + (f"; and {more} more" if more > 0 else "")
                      + ": --force compares all the same")
    return [f"the fingerprints differ: {note}" for note in notes]


def measurements(side):
    """What was measured, to be looked for on the other side."""
    return {(record.session, record.session and record.target,
             json.dumps(record.document, sort_keys=True))
            for record in side[2] if record.document}


def check_sessions(base, new):
    """No measurement is on both sides: a copy is always as fast."""
    shared = len(measurements(base) & measurements(new))
    if shared:
        raise Refused(f"{base[0]} and {new[0]} are of the same session, both "
                      f"have {shared} of its measurements: what was measured "
                      "later is in another file, or was not measured")


def values_of(records, metric):
    """What was measured of METRIC."""
    found = [results.metric(record.row, metric) for record in records
             if record.row is not None]
    return [value for value in found if value is not None]


def measured(records):
    """How many gave a result."""
    return sum(record.row is not None for record in records)


def failures(records):
    """The errors of those that gave no result."""
    return [record.error or "the run failed" for record in records
            if record.row is None]


def entry_of(key, groups, every, metrics, limits):
    """What is known of one point before it is judged."""
    target, point = key
    base, new = groups[0].get(key, []), groups[1].get(key, [])
    latency = point.test.endswith("_lat")
    metric = metrics["latency" if latency else "bandwidth"]
    return {"label": tables.label_of(point, every, target),
            "target": target, "point": tables.point_json(point),
            "metric": metric, "higher_is_better": metric in RATES,
            "tolerance": limits["latency" if latency else "bandwidth"],
            "base_values": values_of(base, metric),
            "new_values": values_of(new, metric),
            "base_measured": measured(base), "new_measured": measured(new),
            "base_failures": failures(base), "new_failures": failures(new),
            "base_seen": bool(base), "new_seen": bool(new)}


def without_values(entry):
    """(verdict, note) of a point that one side at least did not measure."""
    if not entry["new_seen"]:
        return verdicts.INCONCLUSIVE, "not in NEW"
    failed = [bool(entry[f"{side}_failures"])
              and not entry[f"{side}_values"] for side in ("base", "new")]
    if all(failed):
        return verdicts.INCONCLUSIVE, "failed in both"
    if failed[1] and entry["base_values"]:
        return verdicts.REGRESSION, "failed: " + entry["new_failures"][0]
    if failed[0] and entry["new_values"]:
        return verdicts.IMPROVEMENT, "failed in BASE"
    side = "NEW" if entry["base_values"] else "BASE"
    return (verdicts.INCONCLUSIVE,
            f"{tables.unit(entry['metric'])} was not measured in {side}")


def median(values):
    """The median, or None."""
    return verdicts.stats.statistics.median(values) if values else None


def contradiction(base, new, ratio):
    """A note when the medians BASE and NEW go another way than RATIO, as they
    can when rounds are of two kinds."""
    if ratio is None or tables.number(base) == tables.number(new):
        return
    if tables.percent(ratio, 1) != "+0.0%" and (new - base) * (ratio - 1) < 0:
        more, less = ("higher", "lower")[::1 if ratio > 1 else -1]
        yield (f"the median of NEW is {less}, yet in most pairs of rounds NEW "
               f"is {more}, which is what counts")


def finish(entry, judgement):
    """The point as it is reported."""
    notes = []
    if judgement is None:
        verdict, note = without_values(entry)
        notes.append(note)
    else:
        verdict = judgement.verdict
        if len(entry["new_failures"]) > len(entry["base_failures"]):
            total = len(entry["new_failures"]) + len(entry["new_values"])
            notes.append(f"{len(entry['new_failures'])} of {total} rounds of "
                         f"NEW failed: {entry['new_failures'][0]}")
            if EXIT[verdict] == 0:
                verdict = verdicts.INCONCLUSIVE
    found = judgement or verdicts.Judgement(*[None] * 8)
    base, new = (median(entry[f"{side}_values"]) for side in ("base", "new"))
    notes.extend(contradiction(base, new, found.ratio))
    return {"label": entry["label"], "target": entry["target"],
            "point": entry["point"], "metric": entry["metric"],
            "base": base, "new": new,
            "base_rounds": len(entry["base_values"]),
            "new_rounds": len(entry["new_values"]),
            "ratio": found.ratio, "low": found.low, "high": found.high,
            "p": found.p, "p_adjusted": found.adjusted,
            "verdict": verdict, "more_rounds": found.more,
            "reason": found.reason if verdict == found.verdict else None,
            "tolerance_percent": entry["tolerance"], "notes": notes}


def lacking(entry):
    """A sentence where not all rounds that did well have the metric, as with
    too few samples for a percentile; or None."""
    values = [len(entry[f"{side}_values"]) for side in ("base", "new")]
    rounds = [entry[f"{side}_measured"] for side in ("base", "new")]
    if values == rounds:
        return None
    name = tables.unit(entry["metric"]).removesuffix(" us")
    return (f"{name} was measured in {values[0]} and {values[1]} of "
            f"{rounds[0]} and {rounds[1]} rounds")


def judge(entries):
    """The points as they are reported."""
    able = [entry for entry in entries
            if entry["base_values"] and entry["new_values"]]
    judged = verdicts.judge([
        verdicts.Sample(entry["base_values"], entry["new_values"],
                        entry["higher_is_better"], entry["tolerance"] / 100,
                        lacking(entry))
        for entry in able])
    found = {id(entry): judgement for entry, judgement in zip(able, judged)}
    return [finish(entry, found.get(id(entry))) for entry in entries]


def side_json(side):
    """A file, its target and how often it measured."""
    path, target, records = side
    return {"file": path, "target": target,
            "rounds": max((record.round for record in records), default=0)}


def notes_of(base, new, groups, points):
    """What a reader should know besides the table."""
    notes = []
    if base[0] != new[0]:
        notes.append("two sessions: what changed between them counts as a "
                     "difference; a sweep of both targets does not have that")
    extra = len(groups[1].keys() - groups[0].keys())
    if extra:
        notes.append(f"{extra} point{'s' if extra > 1 else ''} of NEW not in "
                     "BASE")
    more = max((point["more_rounds"] or 0 for point in points), default=0)
    if more:
        notes.append(f"inconclusive: {tables.rounds(more)} of BASE and NEW "
                     "each")
    return notes


def compare(options):
    """The report."""
    base, new = sides(options)
    groups = pair_up(base, new)
    if not groups[0].keys() & groups[1].keys():
        raise Refused(f"{base[0]} and {new[0]} have no point in common")
    forced = check_fingerprints(groups, options.force)
    check_sessions(base, new)
    metrics = {"bandwidth": "gbps", "latency": "p99"}
    for name in options.metric:
        metrics["bandwidth" if name in RATES else "latency"] = name
    limits = {"bandwidth": options.bandwidth_tolerance,
              "latency": options.latency_tolerance}
    every = [point for _, point in groups[0] | groups[1]]
    points = judge([entry_of(key, groups, every, metrics, limits)
                    for key in groups[0]])
    found = [point["verdict"] for point in points]
    return {"schema": SCHEMA, "base": side_json(base), "new": side_json(new),
            "verdict": min(found, key=ORDER.index),
            "counts": {name: found.count(name) for name in ORDER},
            "tolerance_percent": limits,
            "family": sum(point["p"] is not None for point in points),
            "notes": forced + notes_of(base, new, groups, points),
            "points": points}


def main():
    """The exit status."""
    p = parser()
    p.error = lambda sentence: complain(sentence + "; see --help")
    options = p.parse_args()
    try:
        report = compare(options)
    except (results.ResultsError, Refused) as error:
        complain(error)
    form = tables.as_json if options.json else (
        tables.markdown if options.markdown else tables.text)
    try:
        sys.stdout.write(form(report))
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        complain(f"cannot write to stdout: {error.strerror}")
    return EXIT[report["verdict"]]


def complain(sentence):
    """One line, and no answer."""
    print(f"verbsperf-compare: error: {sentence}", file=sys.stderr)
    sys.exit(2)
