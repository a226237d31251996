"""What verbsperf-plot calls the curves that it draws, and what stands below
them."""
import os

import verbsperf_results as results

# How the fields of a point are said; the others as they are.
WORDS = {"size": lambda size: f"{results.size_text(size)} bytes",
         "qps": lambda qps: f"{qps} QP" + "s" * (qps != 1)}


def grouped(records, key):
    """{KEY(record): its records}, in the order they came."""
    groups = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return groups


def size_of(record):
    return record.point.size


def source_name(record):
    """What a result is called: its target's name in a sweep, its title, or
    host and device."""
    document = record.document
    stem = os.path.splitext(os.path.basename(record.path))[0]
    if record.target != stem or not document:
        return record.target
    client = document["client"]
    named = [client.get("hostname"), client.get("device")]
    return document.get("title") or " ".join(n for n in named if n) or stem


def source_names(records):
    """{(path, target): name}, from a document that says it."""
    names = {}
    for record in records:
        source = (record.path, record.target)
        if source not in names or record.document:
            names[source] = source_name(record)
    return names


def point_words(point, points):
    """What tells POINT from the other POINTS; options only from those of its
    test, as another test has other ones."""
    words = []
    for name in ("test", "transport", "size", "qps"):
        if len({getattr(one, name) for one in points}) > 1:
            words.append(WORDS.get(name, str)(getattr(point, name)))
    options = dict(point.options)
    alike = [one for one in points
             if (one.test, one.transport) == (point.test, point.transport)]
    for name in sorted(results.differing(alike)):
        words.append(results.option_text(name, options[name])
                     if name in options else f"no {name}")
    return words


def common_words(records):
    """What all RECORDS measured: "write_bw, RC, 64K, 2 QPs"."""
    points = [r.point for r in records if r.point]
    words = []
    for name in ("test", "transport", "size", "qps"):
        found = {getattr(point, name) for point in points}
        if len(found) == 1 and None not in found:
            words.append(WORDS.get(name, str)(found.pop()))
    return ", ".join(words)


def labels(groups):
    """{key of GROUPS: label}; a key is (path, target, point, ...).  Labels
    that would be alike have the file's name."""
    names = source_names([r for group in groups.values() for r in group])
    points, found = [key[2] for key in groups], {}
    for key in groups:
        words = point_words(key[2], points) + list(key[3:])
        if len(set(names.values())) > 1 or not words:
            words.insert(0, names[key[:2]])
        found[key] = " ".join(words)
    every = list(found.values())
    return {key: f"{label} ({key[0]})" if every.count(label) > 1 else label
            for key, label in found.items()}


def failures(groups):
    """A line about what failed, and how often."""
    names, words = labels(groups), []
    for key, group in groups.items():
        for size, same in sorted(grouped(group, size_of).items()):
            bad = sum(1 for record in same if not record.row)
            if bad:
                words.append(f"{names[key]} {results.size_text(size)}: {bad} "
                             f"of {len(same)}")
    return ["failed: " + "; ".join(words)] if words else []


def end_text(end):
    """An end as the footer has it."""
    place = " ".join(str(end[name]) for name in ("hostname", "device")
                     if end.get(name))
    gid = " ".join(str(end[name]) for name in ("gid_type", "gid")
                   if end.get(name))
    mtu = f"MTU {end['mtu']}" if end.get("mtu") else ""
    return f"{place} ({', '.join(filter(None, (gid, mtu)))})".replace(
        " ()", "")


def origins(records):
    """Lines that say which devices, path and program RECORDS are of."""
    lines = []
    for record in records:
        document = record.document
        if document and document["client"].get("device"):
            lines.append(
                f"{end_text(document['client'])} \N{RIGHTWARDS ARROW} "
                f"{end_text(document['server'])}, verbsperf "
                f"{document['tool']['version']}")
    return list(dict.fromkeys(lines))
