"""The schemas that are installed, and what the program and its unit tests make
without a device."""
import json
import os
import pathlib
import subprocess

import fastjsonschema
import jsonschema
import pytest

import complete
import schemas
from verbsperf.documents import jsonfile

NAMES = ("verbsperf-1", "verbsperf-lines-1", "verbsperf-calibration-1",
         "verbsperf-sweep-1", "verbsperf-limits-1", "verbsperf-compare-1",
         "verbsperf-nics-1", "verbsperf-topology-1", "verbsperf-devices-1")
VERBSPERF = os.environ.get("VERBSPERF")
needs_program = pytest.mark.skipif(not VERBSPERF,
                                   reason="VERBSPERF is not set")


# Instead of a value.
OTHERS = (None, True, -1, 0.5, 10**30, "", "x", [], [None], {}, {"x": 1})


def slow_checker(name):
    """The one that says what a schema means."""
    schema = schemas.bundle(name)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema).is_valid


def fast_checker(name):
    """The one that all other tests use."""
    def is_valid(value):
        try:
            schemas.check(value, name)
        except fastjsonschema.JsonSchemaValueException:
            return False
        return True
    return is_valid


CHECKERS = pytest.mark.parametrize("checker", (slow_checker, fast_checker))


def objects(schema, path=""):
    """Each part of SCHEMA that is an object with keys of its own."""
    if isinstance(schema, dict):
        if "properties" in schema and "object" in schema.get("type", ()):
            yield path, schema
        for key, value in schema.items():
            yield from objects(value, f"{path}/{key}")
    elif isinstance(schema, list):
        for number, value in enumerate(schema):
            yield from objects(value, f"{path}/{number}")


@pytest.mark.parametrize("name", NAMES)
def test_every_key_is_described_and_no_other_allowed(name):
    text = (schemas.DOC / f"{name}.schema.json").read_text()
    found = dict(objects(json.loads(text)))
    assert found
    for path, schema in found.items():
        assert schema["additionalProperties"] is False, path
        assert set(schema["required"]) == set(schema["properties"]), path
        for key, value in schema["properties"].items():
            assert value.get("description"), f"{path}: {key}"


@CHECKERS
def test_documents_have_all_keys_and_no_others(checker):
    check = checker("verbsperf-1")
    good = complete.document({"results": [
        complete.row({"bandwidth": {"gbps": 1.0}}),
        complete.row({"latency": {"p50": 1.0}})]})
    assert check(good)
    row = good["results"][0]
    for part, put in ((good, lambda new: new),
                      (row, lambda new: {**good, "results": [new]}),
                      (row["bandwidth"], lambda new: {**good, "results": [
                          {**row, "bandwidth": new}]})):
        assert check(put(part))
        assert not check(put({**part, "more": 1}))
        for key in part:
            less = {name: part[name] for name in part if name != key}
            assert not check(put(less)), key


def altered(value):
    """VALUE with each of its values changed in turn."""
    yield from (other for other in OTHERS)
    parts = (value.items() if isinstance(value, dict) else
             enumerate(value) if isinstance(value, list) else ())
    for key, part in list(parts):
        for other in altered(part):
            new = value.copy()
            new[key] = other
            yield new


def test_both_checkers_agree():
    right, fast = slow_checker("verbsperf-1"), fast_checker("verbsperf-1")
    document = complete.document({"results": [
        complete.row({"bandwidth": {"gbps": 1.0}})]})
    found = {True: 0, False: 0}
    for other in altered(document):
        is_valid = right(other)
        assert fast(other) == is_valid, other
        found[is_valid] += 1
    assert min(found.values()) > 100


@needs_program
@pytest.mark.parametrize("program", (
    "test_calibrate", "test_check", "test_control_report", "test_json",
    "test_json_rows", "test_limit_report", "test_lines", "test_service",
    "test_text", "test_topology"))
def test_documents_of_the_unit_tests(program, tmp_path):
    folder = pathlib.Path(VERBSPERF).resolve().parent / "tests/unit"
    if not (folder / program).exists():
        pytest.skip("there are no unit tests beside the program")
    path = tmp_path / "documents"
    path.touch()
    subprocess.run([folder / program], check=True, capture_output=True,
                   timeout=60, env={
                       **os.environ, "VERBSPERF_DOCUMENTS": str(path),
                       "LD_LIBRARY_PATH": str(folder.parent / "standin")})
    found = [document for _, document in
             jsonfile.objects_of(str(path), path.read_text())]
    assert found
    for document in found:
        name = document["schema"].replace("/", "-")
        schemas.check(document, name)


@needs_program
def test_calibration():
    done = subprocess.run([VERBSPERF, "calibrate", "--json"], check=True,
                          capture_output=True, text=True, timeout=120)
    schemas.load(done.stdout, "verbsperf-calibration-1")
