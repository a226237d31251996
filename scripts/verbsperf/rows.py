"""Are rows of results as verbsperf writes them?  results.py looks at
what it uses itself; here is the rest of what verbsperf-plot draws."""


def is_number(value):
    """A number of JSON."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def numbers(values, n=None):
    """True for a list of N numbers, or of any length."""
    return (isinstance(values, list) and all(map(is_number, values))
            and n in (None, len(values)))


def good_part(part):
    """Is PART of a row, "bandwidth" or "latency", as verbsperf writes it?"""
    part = part or {}
    asked, interval = part.get("percentiles"), part.get("ci95_gbps")
    if not isinstance(asked, (dict, type(None))):
        return False
    plain = {name: value for name, value in part.items()
             if name not in ("definition", "unit", "ci95_gbps", "saturated",
                             "percentiles")}
    return (all(v is None or is_number(v)
                for v in (*plain.values(), *(asked or {}).values()))
            and (interval is None or numbers(interval, 2)))


def good_intervals(series):
    """The same of "intervals"."""
    return series is None or isinstance(series, list) and all(
        isinstance(one, dict) and numbers(
            [one.get(name) for name in ("start", "seconds", "gbps")])
        for one in series)


def is_sound(row):
    """Can ROW be drawn: is what is used of it of the right type?"""
    histogram, directions = row.get("histogram"), row.get("directions")
    histogram = {"bins": []} if histogram is None else histogram
    directions = [] if directions is None else directions
    return (good_part(row["bandwidth"]) and good_part(row["latency"])
            and good_intervals(row.get("intervals"))
            and isinstance(directions, list)
            and all(isinstance(one, dict) and good_intervals(
                one.get("intervals")) for one in directions)
            and isinstance(histogram, dict)
            and isinstance(histogram.get("bins"), list)
            and all(numbers(one, 3) for one in histogram["bins"]))
