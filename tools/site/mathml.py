"""Formulas become MathML while the site is built; a page needs no script for them.

MathJax reads the TeX, in the JavaScript engine of `mini-racer`; browsers draw MathML themselves, let readers
select it and read it aloud. `page_weight` cuts the font that draws it to the characters in use.
"""

import atexit
import os
import unicodedata
from functools import cache
from importlib.resources import files
from itertools import dropwhile
from typing import NoReturn

from docutils import nodes
from lxml import etree
from py_mini_racer import MiniRacer
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

from tools.site.repairs import STOP, is_comment

READER = """
const lib = MathJax._;
lib.handlers.html_ts.RegisterHTMLHandler(lib.adaptors.liteAdaptor.liteAdaptor());
const tex = new lib.input.tex_ts.TeX({
  packages: ["base", "ams", "newcommand"],
  formatError: (_, error) => { throw Error(error.message); },
});
const page = lib.mathjax.mathjax.document("", {InputJax: tex});
const writer = new lib.core.MmlTree.SerializedMmlVisitor.SerializedMmlVisitor();
const mathml = (source, display) =>
  writer.visitTree(page.convert(source, {display, end: lib.core.MathItem.STATE.CONVERT}));
"""
MATHML = "http://www.w3.org/1998/Math/MathML"
STYLES = {"double-struck": "DOUBLE-STRUCK", "bold": "BOLD", "script": "SCRIPT"}
CASES = {"Lu": "CAPITAL ", "Ll": "SMALL ", "Nd": "DIGIT "}


@cache
def reader(process: int) -> MiniRacer:
    """Start MathJax without a browser: what reads TeX, and what writes MathML; a process needs its own."""
    engine = MiniRacer()
    atexit.register(engine.close)  # left to the garbage collector, Python 3.13 waits for its thread for ever
    engine.eval("var global = globalThis, MathJax = {loader: {load: []}, startup: {typeset: false}};")
    for part in ["loader", "core", "adaptors/liteDOM", "input/tex-full"]:
        engine.eval(files("sphinx-mathjax-offline").joinpath(f"static/mathjax/{part}.js").read_text("utf-8"))
    engine.eval(READER)
    return engine


@cache
def mathml(source: str, display: bool) -> str:
    """Turn TeX into MathML as browsers draw it."""
    read = reader(os.getpid()).call("mathml", source, display)
    math = etree.fromstring(read, etree.XMLParser(remove_blank_text=True))
    for element in math.iter():
        mend(element)
    for wrap in list(math.iter(f"{{{MATHML}}}mrow", f"{{{MATHML}}}mstyle")):
        # What groups a single term, or sizes a space, is left out; operators mind what is around them.
        if len(wrap) == 1 and etree.QName(wrap[0]).localname in {"mi", "mn", "mtext", "mspace", "mfrac"}:
            wrap.getparent().replace(wrap, wrap[0])
    etree.cleanup_namespaces(math)
    return str(etree.tostring(math, encoding="unicode", with_tail=False))


def mend(element: etree._Element) -> None:
    """Say in the way of MathML Core what MathJax says in the ways of MathML 3."""
    for name in list(element.attrib):
        if name.startswith("data-"):
            del element.attrib[name]
    style = STYLES.get(element.get("mathvariant", ""))
    if style:
        del element.attrib["mathvariant"]
        element.text = "".join(styled(character, style) for character in element.text or "")
    tag = etree.QName(element).localname
    if tag == "mtable":
        sides = element.attrib.pop("columnalign", "center").split()
        for row in element:
            for cell, side in zip(row, sides * len(row), strict=False):
                cell.set("class", side)
    following = element.getnext()
    is_applied = element.text == "\N{FUNCTION APPLICATION}" and following is not None
    if is_applied and "".join(following.itertext())[:1] not in set("([{"):  # no space before a bracket
        element.tag, element.text = f"{{{MATHML}}}mspace", None
        element.set("width", "0.167em")


def styled(character: str, style: str) -> str:
    """Give a letter or digit as Unicode has it in a mathematical style."""
    name = unicodedata.name(character)
    kind = CASES[unicodedata.category(character)]
    letter = name.rpartition(" ")[2]
    for candidate in (f"MATHEMATICAL {style} {kind}{letter}", f"{style} {kind}{letter}"):
        try:
            return unicodedata.lookup(candidate)
        except KeyError:
            continue
    raise ValueError(f"Unicode has no {character!r} in the style {style}")


def keep_stops(app: Sphinx, tree: nodes.document) -> None:
    """Put a formula and the stop behind it into a part that no line breaks."""
    for math in list(tree.findall(nodes.math)):
        parent, place = math.parent, math.parent.index(math)
        behind = [*parent[place + 1 :]]
        comments = len(behind) - len([*dropwhile(is_comment, behind)])
        text = behind[comments] if comments < len(behind) else None
        if isinstance(text, nodes.Text) and text.startswith(STOP):
            solid = nodes.inline("", "", math, *behind[:comments], nodes.Text(text[0]), classes=["solid"])
            parent[place : place + comments + 2] = [solid, nodes.Text(text[1:])]


def visit_inline(self: HTML5Translator, node: nodes.math) -> NoReturn:
    """Write a formula of a sentence."""
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    self.body.append(mathml(node.astext(), False) + "</span>")
    raise nodes.SkipNode


def visit_display(self: HTML5Translator, node: nodes.math_block) -> NoReturn:
    """Write a formula of its own lines, with its number behind it."""
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    self.body.append(mathml(node.astext(), True))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode
