"""What an editor shows of a public function says all of its parameters, there and in full."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
from unicodedata import normalize

import pytest

import calibration_lessons as cl
from calibration_lessons.book.definitions import NUMBERED


def public_functions():
    """Yield every public function, class and method of the package, by its name."""
    for info in pkgutil.walk_packages(cl.__path__, "calibration_lessons."):
        module = importlib.import_module(info.name)
        for name, thing in vars(module).items():
            if name.startswith("_") or getattr(thing, "__module__", "") != info.name:
                continue
            if inspect.isfunction(thing):
                yield f"{info.name}.{name}", thing
            elif inspect.isclass(thing):
                for attribute, method in vars(thing).items():
                    if inspect.isfunction(method) and not attribute.startswith("_"):
                        yield f"{info.name}.{name}.{attribute}", method
                yield f"{info.name}.{name}", thing


DESCRIBED = dict(public_functions())
FUNCTIONS = {name: thing for name, thing in DESCRIBED.items() if inspect.isfunction(thing)}
HEAD = re.compile(r"^(\*{0,2}\w[\w, *]*)(?: : (.*))?$", re.M)  # names of parameters, and their type


def parameters_section(doc):
    """Return the lines under "Parameters", or None where there is no such section."""
    found = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}\n|\Z)", doc or "", re.S | re.M)
    return found and found[1]


def test_no_parameter_is_described_on_another_page():
    elsewhere = {
        name: line.strip()
        for name, function in FUNCTIONS.items()
        for line in (parameters_section(inspect.getdoc(function)) or "").splitlines()
        if re.match(r"\s+As (for|in) ", line)
    }
    assert elsewhere == {}


PLAIN = {"bool", "float", "int"}
LOOKS = {"x_label", "y_label", "title", "legend", "ax"}  # of a picture: `plots` says it for all of them


@pytest.mark.parametrize(
    "name", [n for n, one in DESCRIBED.items() if parameters_section(inspect.getdoc(one))]
)
def test_a_docstring_describes_each_parameter_in_the_order_of_the_signature_and_with_its_words(name):
    thing, section = DESCRIBED[name], parameters_section(inspect.getdoc(DESCRIBED[name]))
    named = [one for names, _ in HEAD.findall(section) for one in names.replace("*", "").split(", ")]
    taken = {one: of.default for one, of in inspect.signature(thing).parameters.items() if one != "self"}
    unsaid = LOOKS - {*named} if ".plots." in name else set()
    assert named == [one for one in taken if one not in unsaid]
    hints = (thing.__init__ if inspect.isclass(thing) else thing).__annotations__
    for one, kind in HEAD.findall(section):
        if one in taken:
            assert ("optional" in kind or "None" in kind) == (taken[one] is None)
            assert kind not in PLAIN or kind in str(hints.get(one, ""))
        words = re.fullmatch(r"Literal\[(.+)\]", str(hints.get(one, "")))
        if words and kind.startswith("{"):
            assert {*re.findall(r'"([^"]+)"', kind)} == {*re.findall(r"'([^']+)'", words[1])}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_docstring_returns_the_kind_that_the_signature_says(name):
    kind = str(FUNCTIONS[name].__annotations__.get("return"))
    said = re.search(r"^Returns\n-+\n(?:[\w, ]+ : )?(\w+)", inspect.getdoc(FUNCTIONS[name]) or "", re.M)
    assert not said or PLAIN.isdisjoint({said[1], kind}) or said[1] in kind


@pytest.mark.parametrize("name", [n for n in cl.__all__ if inspect.isfunction(getattr(cl, n))])
def test_whatever_takes_labels_takes_weights_by_the_same_name(name):
    parameters = inspect.signature(getattr(cl, name)).parameters
    if "y_true" in parameters and name != "risk_validation":  # its intervals are of rows that count once
        weight = parameters["sample_weight"]
        assert weight.kind is inspect.Parameter.KEYWORD_ONLY and weight.default is None


@pytest.mark.parametrize("name", [n for n, one in DESCRIBED.items() if dataclasses.is_dataclass(one)])
def test_the_docstring_of_a_result_describes_each_of_its_fields(name):
    doc = inspect.getdoc(DESCRIBED[name]) or ""
    own = {field.name for field in dataclasses.fields(DESCRIBED[name]) if not field.name.startswith("_")}
    said = {one for names, _ in HEAD.findall(doc) for one in names.split(", ")}
    is_panel = "key" in own or "keys" in own  # of a figure: its label, height and range speak for themselves
    assert is_panel or "Attributes\n---" not in doc or own <= said


def plain(latex):
    """Write a formula in a line of plain text."""
    text = re.sub(r"\\bigl|\\bigr|\\,|, \\qquad.*", "", " ".join(latex.split()))
    text = re.sub(r"\\(?:mathrm|text|mathbf)(?:\{(\w+)\}| (\d))", r"\1\2", text)
    for accent, mark in (("hat", "\u0302"), ("bar", "\u0304")):
        text = re.sub(rf"\\{accent} (\w)", lambda found, mark=mark: normalize("NFC", found[1] + mark), text)
    text = re.sub(r"\\(sum|max)_\{(\w)(?:=1| :[^}]*)\}(?:\^\{?\w\}?)?", r"\1_\2", text)
    text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2", text)
    text = re.sub(r"_\{(\w+)\}", r"_\1", re.sub(r"_\{([^{}]* [^{}]*)\}", r"_(\1)", text))
    text = re.sub(r"\\underbrace\{([^{}]*)\}_\w+", r"\1", text)
    text = re.sub(r"\\(?=sum|log|in)", "", text)
    return " ".join(re.sub(r"\| ([^|]*) \|", r"|\1|", text).replace("( ", "(").replace(" )", ")").split())


@pytest.mark.parametrize(
    "label",
    ["ece", "mce", "brier-binary", "brier", "nll", "accuracy", "confidence", "brier-decomposition", "corp"],
)
def test_help_shows_the_formula_that_the_chapter_shows(label):
    definition = NUMBERED[f"eq-{label}"]
    text = " ".join(inspect.getdoc(getattr(cl, definition.function)).split())
    assert plain(definition.latex) in text and not set("\\{}") & set(plain(definition.latex))
