"""What others wrote cannot do anything in what is written of it: a table of
words and formats, and every writer with a document full of such words."""
import html.parser
import json
import re
import xml.etree.ElementTree

import pytest

from conftest import called, document
from test_cluster import FINDING, document as cluster_document, write as store
from verbsperf.base import foreign

# By a word, what it is in a terminal, in Markdown, in HTML, as a label of
# OpenMetrics and in a message of a GitHub workflow.
TABLE = {
    "mlx5_0": ("mlx5_0", r"mlx5\_0", "mlx5_0", "mlx5_0", "mlx5_0"),
    "![x](http://a.b/c) @all": (
        "![x](http://a.b/c) @all",
        r"!\[x](http:&#8203;//a.b/c) @&#8203;all",
        "![x](http://a.b/c) @all", "![x](http://a.b/c) @all",
        "![x](http://a.b/c) @all"),
    "=HYPERLINK(0)": ("=HYPERLINK(0)",) * 5,
    "\x1b[1m\x07\x9b2J": ("?[1m??2J", r"?\[1m??2J", "?[1m??2J",
                          "\\x1b[1m\\x07\\x9b2J", "?[1m??2J"),
    "a\u202eb\u2028c": ("a?b?c", "a?b?c", "a?b?c", "a\\u202eb\\u2028c",
                        "a?b?c"),
    "\ud800\x00\ufffe": ("???", "???", "???", "\\ud800\\x00\\ufffe", "???"),
    "</script><b>'&lt;": (
        "</script><b>'&lt;", r"\</script>\<b>'\&lt;",
        "&lt;/script&gt;&lt;b&gt;&#x27;&amp;lt;", "</script><b>'&lt;",
        "</script><b>'&lt;"),
    "a|b`c`": ("a|b`c`", r"a\|b\`c\`", "a|b`c`", "a|b`c`", "a|b`c`"),
    "*x* ~~y~~ $z$": ("*x* ~~y~~ $z$",
                      r"\*x\* \~\~&#8203;y\~\~ \$z\$", "*x* ~~y~~ $z$",
                      "*x* ~~y~~ $z$", "*x* ~~y~~ $z$"),
    "#1 !2 GH-3 www.a.b 5%": (
        "#1 !2 GH-3 www.a.b 5%",
        "#&#8203;1 !&#8203;2 GH-&#8203;3 www&#8203;.a.b 5%",
        "#1 !2 GH-3 www.a.b 5%", "#1 !2 GH-3 www.a.b 5%",
        "#1 !2 GH-3 www.a.b 5%25"),
    "# head": ("# head", r"\# head", "# head", "# head", "# head"),
    "> said": ("> said", r"\> said", "&gt; said", "> said", "> said"),
    "1. one": ("1. one", r"1\. one", "1. one", "1. one", "1. one"),
    "- one": ("- one", r"\- one", "- one", "- one", "- one"),
    "a\n::error::b\r": ("a?::error::b?", "a?::error::b?", "a?::error::b?",
                        "a\\n::error::b\\r", "a?::error::b?"),
    'a"b\\c': ('a"b\\c', r'a"b\\c', "a&quot;b\\c", 'a"b\\\\c', 'a"b\\c'),
}
FORMATS = (foreign.terminal, foreign.markdown, foreign.page, foreign.label,
           foreign.github)


@pytest.mark.parametrize("word", TABLE)
def test_words_and_formats(word):
    assert tuple(form(word) for form in FORMATS) == TABLE[word]


def test_properties_of_a_command_have_more_signs():
    assert foreign.github("a:b,c%", ":,") == "a%3Ab%2Cc%25"


def test_labels_that_differ_stay_so():
    words = ["\n", "\\n", "\x00", "?", "\\x00"]
    assert len(set(map(foreign.label, words))) == len(words)


# --- every writer ---

# All of TABLE in one: what it has is what must not be obeyed.
HOSTILE = " ".join(TABLE)
# Of a document, what other hosts and their devices say of themselves.
OWN_WORDS = ("hostname", "device", "firmware", "gid", "gid_type", "link_layer")


def ours(name):
    """A document of a host that calls itself HOSTILE and NAME."""
    made = document(50.0 - 2 * len(name), mpps=1.0, title=f"{HOSTILE} {name}")
    for end in ("client", "server"):
        made[end] = {**made[end], **dict.fromkeys(OWN_WORDS, HOSTILE)}
        made["environment"] = {**(made["environment"] or {}),
                               end: {"kernel": f"{HOSTILE} {name}"}}
    made["test"]["transport"] = HOSTILE
    made["parameters"] = {"tclass": HOSTILE}
    made["results"][0]["counters"] = {
        "client": {"seconds": 1.0, "values": {}}, "server": None, "rose": [{
            "end": HOSTILE, "counter": HOSTILE, "value": len(name),
            "kind": "trouble", "meaning": HOSTILE, "advice": HOSTILE}]}
    made["limits"] = [{
        "name": HOSTILE, "counter": HOSTILE, "end": HOSTILE, "percent": None,
        "asked": 60.0, "unit": HOSTILE, "seen": 50.0, "size": 64, "qps": 1,
        "met": False, "reason": HOSTILE}]
    failed = json.loads(json.dumps(made))
    failed["results"][0]["failed"] = True
    failed["error"] = {"stage": "x", "code": "x", "message": HOSTILE,
                       "advice": HOSTILE}
    return [made] * 5 + [failed]


@pytest.fixture(name="files")
def two_files(tmp_path, monkeypatch):
    """Two files of such documents, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    for name in ("a", "bb"):
        (tmp_path / name).write_text("".join(map(json.dumps, ours(name))))
    return "a", "bb"


class Page(html.parser.HTMLParser):
    """What a browser finds in a page: its elements, and its text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.words, self.attributes = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data):
        self.words.append(data)


def check_plain(text, form=foreign.terminal):
    """TEXT has nothing that a terminal obeys, but the word as FORM has it."""
    assert not [one for one in text
                if not one.isprintable() and one != "\n"], text
    assert form("\x1b[1m\x07\x9b2J") in text


def check_markdown(text):
    check_plain(text, foreign.markdown)
    # what is left where an escaped sign, and one before &#8203;, is nothing
    left = re.sub(r"\\[!-/:-@[-`{-~]|.&#8203;", "", text)
    for one in ("[", "@", "<", "`", "://", "www.", "a|b"):
        assert one not in left, one


def check_page(text):
    check_plain(text)
    found = Page(text)
    assert not {"b", "img", "a"} & set(found.tags)
    assert not [one for one in found.attributes if one.startswith("on")]
    assert foreign.terminal("</script><b>'&lt;") in "".join(found.words)


def check_xml(text):
    check_plain(text)
    tags = {one.tag.rpartition("}")[2]
            for one in xml.etree.ElementTree.fromstring(text).iter()}
    assert not {"b", "script", "a"} & tags


def check_openmetrics(text):
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    found = [one.labels for family in
             parser.text_string_to_metric_families(text)
             for one in family.samples]
    assert any("\\x1b[1m\\x07\\x9b2J" in one["transport"] for one in found)
    check_plain(text.replace("\\\\x1b[1m\\\\x07\\\\x9b2J", "?[1m??2J"))


def check_github(text):
    check_plain(text)
    assert not [line for line in text.splitlines()[:-1]
                if not line.startswith(("::error title=", "::warning title="))]


CHECKS = {"text": check_plain, "markdown": check_markdown,
          "junit": check_xml, "openmetrics": check_openmetrics,
          "github": check_github}


@pytest.mark.parametrize("form", CHECKS)
def test_forms_of_a_verdict(files, form):
    """Of a comparison, and of a file with its limits."""
    if form in ("junit", "openmetrics"):
        pytest.importorskip("junitparser" if form == "junit"
                            else "prometheus_client")
    for words in (("compare", "--force", *files), ("sweep", files[0])):
        status, out, err = called(*words, "--format", form)
        assert status in (1, 2, 3), err
        CHECKS[form](out)


@pytest.mark.parametrize("words, check", (
    (("compare", "--nics"), check_plain),
    (("compare", "--nics", "--format", "markdown"), check_markdown),
    (("compare", "--nics", "-o", "x.html"), check_page),
    (("compare", "--nics", "-o", "x.svg"), check_xml),
    (("plot", "-o", "x.svg"), check_xml)))
@pytest.mark.filterwarnings("ignore:Glyph")
def test_reports_and_pictures(files, words, check):
    status, out, err = called(*words, *files)
    assert status == 0, err
    if "-o" in words:
        with open(words[-1], encoding="utf-8") as file:
            out = file.read()
    check(out)


def test_what_a_sweep_file_has(files):
    status, out, _ = called("sweep", files[0])
    assert status == 0 and "failed: " in out
    check_plain(out)


def test_refusals(files):
    """What names a target or a mark that differs."""
    for words in (("compare", *files), ("plot", files[0], "--only", "x=\x1b")):
        status, _, err = called(*words)
        assert status and "error: " in err
        assert "\x1b" not in err and "\u202e" not in err


@pytest.mark.parametrize("option", ((), ("--html", "x.html"),
                                    ("--picture", "x.svg")))
@pytest.mark.filterwarnings("ignore:Glyph")
def test_a_cluster(tmp_path, monkeypatch, option):
    """An agent's error, and what nodes say of themselves."""
    monkeypatch.chdir(tmp_path)
    header, lines = cluster_document(["n1", "n2", "n3", "n4"])
    for one in lines:
        if one["type"] == "node":
            one.update(error=HOSTILE, verbsperf=HOSTILE)
    lines += [{**FINDING, "sentence": HOSTILE},
              {"type": "note", "point": 0, "sentence": HOSTILE}]
    store(tmp_path / "c", header, lines)
    status, out, err = called("cluster", *option, "c")
    assert "Traceback" not in err, err
    check_plain(out)
    if option:
        text = (tmp_path / option[-1]).read_text(encoding="utf-8")
        (check_page if ".html" in option[-1] else check_xml)(text)
