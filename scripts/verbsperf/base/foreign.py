"""What others wrote, such as the name of a host, a device's firmware or an
error, made harmless: a function for each format that it is written in.

Nothing that comes from a file or from another host goes into an output but
through the function of its format; tests/scripts/test_foreign.py has a table of
words and formats."""
import html
import re

# What Markdown takes for an image, a link, HTML, an emphasis, code, a column,
# mathematics or an entity.
SIGNS = re.compile(r"[\\`*_\[<|~$&]")
# What begins another block where a line has it first.
BLOCK = re.compile(r"^(?:(\d+)(?=[.)]\s)|(?=>|---|[#+-]+\s))")
# What services make a mention, a reference or a link of, although its signs
# are escaped: in what a page shows they look for it once more.
REFERENCE = re.compile(
    r"@|[#!$&](?=\d)|[%~](?=[\w\"])|\bGH-(?=\d)|:(?=//)|\bwww(?=\.)",
    re.IGNORECASE)
NO_WIDTH = "&#8203;"


def terminal(text: str) -> str:
    """Return TEXT without what a terminal would obey, such as escape
    sequences, and without what turns the direction of writing. A picture and
    XML take it, too: libraries quote its signs there."""
    return "".join(one if one.isprintable() else "?" for one in text)


def label(text: str) -> str:
    """Return TEXT as the value of an OpenMetrics label, where two that differ
    must not look the same; prometheus_client quotes its signs."""
    return "".join(one if one.isprintable() and one != "\\"
                   else one.encode("unicode_escape").decode() for one in text)


def markdown(text: str) -> str:
    """Return TEXT as a cell, an item or a heading of Markdown: the letters that
    it has, and no image, link, mention, HTML, column or code."""
    text = SIGNS.sub(r"\\\g<0>", terminal(text).strip())
    text = BLOCK.sub(r"\1\\", text)
    return REFERENCE.sub(rf"\g<0>{NO_WIDTH}", text)


def page(text: str) -> str:
    """Return TEXT as text of a page of HTML, or as a quoted attribute."""
    return html.escape(terminal(text))


def github(text: str, more: str = "") -> str:
    """Return TEXT as the message of a GitHub workflow's command; with ":,"
    for MORE, as a property of one."""
    return re.sub(f"[%{more}]", lambda sign: f"%{ord(sign[0]):02X}",
                  terminal(text))
