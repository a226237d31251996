"""Verdicts in the forms of others: JUnit's XML, OpenMetrics, and the commands
of GitHub's workflows; and where they are written.

The first two are written by the libraries that read them, which not everybody
has; the third is lines of text."""
import argparse
import importlib
import json
import os
from typing import Any, Callable, NamedTuple, Optional, Sequence

from verbsperf.base import foreign
from verbsperf.base.command import write
from verbsperf.base.errors import Refused
from verbsperf.base.missing import missing
from verbsperf.documents import results, writer
from verbsperf.documents.jsonfile import Object
from verbsperf.forms.cases import (BROKEN, FAILED, PASSED, UNDECIDED, Case,
                                   Ran, Verdicts)

Form = Callable[[Object], str]
# Those that a file may have; the others are for people and for a workflow.
IN_FILES = ("json", "junit", "markdown", "openmetrics")
# By a form, the module that writes it and Debian's package.
NEEDS = {"junit": ("junitparser", "python3-junitparser"),
         "openmetrics": ("prometheus_client", "python3-prometheus-client")}
# What gauges are, by their name.
HELP = {
    "verbsperf_bandwidth_bytes_per_second": "Bandwidth; of several rounds the "
                                            "median.",
    "verbsperf_messages_per_second": "Message rate; of several rounds the "
                                     "median.",
    "verbsperf_latency_seconds": "A statistic of latency; of several rounds "
                                 "the median.",
    "verbsperf_compare_ratio": "Ratio of new to base, of medians.",
    "verbsperf_compare_ratio_low": "Lower end of its 95% interval.",
    "verbsperf_compare_ratio_high": "Upper end of its 95% interval.",
    "verbsperf_compare_p_value": "Of as large a change at any point where "
                                 "nothing changed.",
    "verbsperf_compare_verdict": "1 for the verdict of the point, else 0.",
    "verbsperf_limit_verdict": "1 for what became of the point, else 0.",
    "verbsperf_limit_asked": "What the limit asks for, in its own unit.",
    "verbsperf_limit_worst": "The worst that was measured, in the limit's "
                             "unit.",
    "verbsperf_limit_missed_rounds": "Rounds that missed the limit.",
    "verbsperf_rounds": "Rounds that were measured, and that failed.",
}


def library(form: str, part: str = "") -> Any:
    """Import the library that writes FORM, or PART of it."""
    module, package = NEEDS[form]
    try:
        return importlib.import_module(module + part)
    except ImportError as error:
        raise missing(module, package, error) from None


class Output(NamedTuple):
    """In which form a report is written, and into which file; without one, to
    standard output."""

    form: str
    path: Optional[str] = None

    def check(self, inputs: Sequence[str] = ()) -> None:
        """Refuse, before anything is measured or read from INPUTS, a form
        without its library, and a file that cannot be written."""
        if self.form in NEEDS:
            library(self.form)
        if self.path is not None:
            writer.check_whole(self.path, self.form, None, inputs)

    def write(self, text: str) -> None:
        """Write TEXT, into a file all at once: who reads it meanwhile has the
        report before."""
        if self.path is None:
            write(text)
        else:
            writer.write_whole(self.path, text, writer.SHARED)


def output(text: str) -> Output:
    """Parse FORM or FORM=FILE."""
    form, equals, path = text.partition("=")
    if form not in NAMES:
        raise argparse.ArgumentTypeError(
            f"'{form}': expected {', '.join(NAMES)}")
    if equals and (form not in IN_FILES or not path):
        raise argparse.ArgumentTypeError(
            f"'{text}': a file is written of {', '.join(IN_FILES)}, as "
            "openmetrics=FILE")
    return Output(form, path or None)


def junit(found: Verdicts) -> str:
    """Return FOUND as JUnit's XML: a suite for each target."""
    parser = library("junit")
    xml = parser.JUnitXml(found.command)
    for name, cases in results.grouped(found.cases,
                                       lambda one: one.suite).items():
        suite = parser.TestSuite(foreign.terminal(name) or found.command)
        describe(suite, [case.ran for case in cases])
        for case in cases:
            suite.add_testcase(junit_case(parser, case))
        xml.add_testsuite(suite)
    xml.update_statistics()
    text: bytes = xml.tostring()
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text.decode()}\n'


def describe(suite: Any, runs: Sequence[Ran]) -> None:
    """Say when and where the cases of SUITE ran, as far as RUNS know."""
    started = min((run.started for run in runs if run.started), default=None)
    hosts = list(dict.fromkeys(run.hostname for run in runs if run.hostname))
    if started:
        # in UTC, without a zone as JUnit's readers have it
        suite.timestamp = foreign.terminal(started[:len("2026-11-21T12:00:00")])
    if hosts:
        suite.hostname = foreign.terminal(", ".join(hosts))


def junit_case(parser: Any, case: Case) -> Any:
    """Return CASE as PARSER has it: skipped, if it is not decided."""
    made = parser.TestCase(*map(foreign.terminal, (
        case.name, f"verbsperf.{case.kind}")))
    text = foreign.terminal(case.text)
    kinds = {FAILED: parser.Failure, BROKEN: parser.Error,
             UNDECIDED: parser.Skipped}
    if case.state in kinds:
        made.result = [kinds[case.state](text, case.verdict)]
    else:
        made.system_out = text
    if case.ran.seconds is not None:
        made.time = round(case.ran.seconds, 3)
    return made


def openmetrics(found: Verdicts) -> str:
    """Return the gauges of FOUND."""
    client = library("openmetrics")
    registry = client.CollectorRegistry(auto_describe=False)
    for name, gauges in results.grouped(found.gauges,
                                        lambda one: one.name).items():
        labels = list(gauges[0].labels)
        family = client.Gauge(name, HELP[name], labels, registry=registry)
        for one in gauges:
            family.labels(*(foreign.label(one.labels[label])
                            for label in labels)).set(one.value)
    data: bytes = library(
        "openmetrics", ".openmetrics.exposition").generate_latest(registry)
    return data.decode()


# How loud a workflow is about a case; the rest is not said.
LOUDNESS = {FAILED: "error", BROKEN: "error", UNDECIDED: "warning"}


def github(found: Verdicts) -> str:
    """Return FOUND as commands, the loudest first; append it to a summary."""
    order = list(LOUDNESS)
    loud = sorted((case for case in found.cases if case.state != PASSED),
                  key=lambda case: order.index(case.state))
    lines = [f"::{LOUDNESS[case.state]} title="
             f"{foreign.github(f'{found.command} {case.verdict}', ':,')}::"
             + foreign.github((f"{case.suite}: " if case.suite else "")
                              + f"{case.name}: {case.text}")
             for case in loud]
    write_summary(found.page)
    return "".join(f"{line}\n" for line in [
        *lines, foreign.terminal(found.summary)])


def write_summary(page: str) -> None:
    """Append PAGE to the summary of the step of a workflow, if this is one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(page + "\n")
    except OSError as error:
        raise Refused(f"{path} (GITHUB_STEP_SUMMARY): {error.strerror}"
                      ) from None


FORMS: dict[str, Callable[[Verdicts], str]] = {
    "junit": junit, "openmetrics": openmetrics, "github": github}
NAMES = ("text", "json", "markdown", *FORMS)


def as_json(report: Object) -> str:
    """Return all of REPORT."""
    return json.dumps(report, indent=2) + "\n"


def forms(text: Form, markdown: Form,
          verdicts_of: Callable[[Object], Verdicts]) -> dict[str, Form]:
    """Return the forms of a report by name: TEXT, MARKDOWN and VERDICTS_OF."""
    def form_of(write: Callable[[Verdicts], str]) -> Form:
        return lambda report: write(verdicts_of(report))
    return {"text": text, "json": as_json, "markdown": markdown,
            **{name: form_of(write) for name, write in FORMS.items()}}
