"""The schemas that come with the program."""

import functools
import json
import pathlib

import jsonschema

DOC = pathlib.Path(__file__).resolve().parent.parent.parent / "doc"


def bundle(name):
    """The schema NAME, with those that it refers to within itself."""
    text = (DOC / f"{name}.schema.json").read_text()
    other = "verbsperf-1.schema.json"
    main = json.loads((DOC / other).read_text())
    definitions = main.pop("definitions")
    schema = json.loads(text.replace(f'"{other}"', '"#/definitions/document"')
                        .replace(f'"{other}#', '"#'))
    own = schema.get("definitions", {})
    assert schema["title"] == main["title"] or not definitions.keys() & own
    schema["definitions"] = {**definitions, **own, "document": main}
    return schema


@functools.cache
def validator(name):
    """To make it takes longer than to use it."""
    schema = bundle(name)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def load(text, name):
    """The one value that TEXT must be, as the schema NAME has it."""
    value = json.loads(text, parse_constant=refuse_constant)
    validator(name).validate(value)
    return value
