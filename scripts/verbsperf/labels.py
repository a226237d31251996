"""What verbsperf-plot calls the curves that it draws, and what stands below
them."""
from verbsperf import results
from verbsperf import sources as origin

# How the fields of a point are said; the others as they are.
WORDS = {"size": lambda size: f"{results.size_text(size)} bytes",
         "qps": lambda qps: f"{qps} QP" + "s" * (qps != 1)}


def grouped(records, key):
    """{KEY(record): its records}, in the order they came."""
    groups = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return groups


def by_curve(records, point_of):
    """{(source, POINT_OF(record)): its records}: what one curve shows."""
    groups = {}
    for source, record in zip(origin.sources(records), records):
        groups.setdefault((source, point_of(record)), []).append(record)
    return groups


def size_of(record):
    return record.point.size


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
    """{key of GROUPS: label}; a key is (source, point, ...).  Labels that
    would be alike have the file's name."""
    names = origin.names(key[0] for key in groups)
    points, found = [key[1] for key in groups], {}
    for key in groups:
        words = point_words(key[1], points) + list(key[2:])
        if len(set(names.values())) > 1 or not words:
            words.insert(0, names[key[0]])
        found[key] = " ".join(words)
    every = list(found.values())
    return {key: f"{label} ({key[0].path})" if every.count(label) > 1
            else label for key, label in found.items()}


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


def origin_text(document):
    """Which devices, path and program DOCUMENT is of; None when it failed
    before they were known."""
    if not document or not document["client"].get("device"):
        return None
    return (f"{end_text(document['client'])} \N{RIGHTWARDS ARROW} "
            f"{end_text(document['server'])}, verbsperf "
            f"{document['tool']['version']}")


def origins(records):
    """Lines that say which devices, path and program RECORDS are of, each
    with the names of its curves."""
    every, found = origin.sources(records), {}
    names = origin.names(every)
    for record, source in zip(records, every):
        text = origin_text(record.document)
        if text:
            found.setdefault(text, {})[source_label(source, names)] = True
    if len(found) < 2:
        return list(found)
    return [f"{', '.join(of)}: {text}" for text, of in found.items()]


def source_label(source, names):
    """Its name, with the file's where another has the same."""
    alike = list(names.values()).count(names[source]) > 1
    return f"{names[source]} ({source.path})" if alike else names[source]
