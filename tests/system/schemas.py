"""The schemas that come with the program."""

import functools
import json
import pathlib
import re

import fastjsonschema

DOC = pathlib.Path(__file__).resolve().parent.parent.parent / "doc"
OTHER = re.compile(r'"\$ref": "(verbsperf-[\w-]+)\.schema\.json#?')


def parts_of(name, found):
    """Put the schema NAME, and those that it refers to, into FOUND, by their
    names; what one refers to is found in all of them."""
    text = (DOC / f"{name}.schema.json").read_text().replace(
        '"#/', f'"#/definitions/{name}/')
    found[name] = schema = json.loads(
        OTHER.sub(r'"$ref": "#/definitions/\1', text))
    schema.pop("$id", None)
    for other in set(OTHER.findall(text)) - found.keys():
        parts_of(other, found)
    return found


def bundle(name):
    """The schema NAME, with those that it refers to within itself."""
    return {"$ref": f"#/definitions/{name}", "definitions": parts_of(name, {})}


@functools.cache
def checker(name):
    """Code, since a document has thousands of values, and the lab is slow."""
    return fastjsonschema.compile(bundle(name), use_default=False)


def check(value, name):
    """VALUE must be as the schema NAME has it."""
    checker(name)(value)


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def load(text, name):
    """The one value that TEXT must be, as the schema NAME has it."""
    value = json.loads(text, parse_constant=refuse_constant)
    check(value, name)
    return value
