"""Tells what the build does, and mends what Sphinx and the theme get wrong here."""

import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pybtex.plugin
from docutils import nodes
from jinja2 import Template
from lxml import html
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.environment import BuildEnvironment


def tell(line: str) -> None:
    """Print a line for a step of the build; Sphinx itself is quiet."""
    print(f"build: {line}", file=sys.stderr, flush=True)


def tell_reading(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Tell how much of the book is read; what did not change is known from the last build."""
    tell(f"reading {len(pages)} of {len(env.found_docs)} pages")


def tell_writing(app: Sphinx, builder: Builder) -> None:
    """Tell that pages are written."""
    tell("writing the pages")


NARROW = "\N{NARROW NO-BREAK SPACE}"
VERBATIM = (nodes.literal, nodes.literal_block, nodes.raw, nodes.math, nodes.math_block, nodes.comment)
WITHIN = re.compile(r"(?<=\d)[ \n](?=%|\d{3}(?!\d))")  # a number and its sign
ENDS = re.compile(rb"</t[dhr]>(?=<(?:/tr|t[dhr][ >]|/t(?:head|body)>))")  # of cells and rows; HTML needs none
STOP = (".", ",", ";", ":", "?", ")")


def set_type(app: Sphinx, tree: nodes.document) -> None:
    """Keep a number and its % on one line, and drop the space that a comment leaves before a stop."""
    for parent in list(tree.findall(nodes.TextElement)):
        if isinstance(parent, VERBATIM):
            continue
        for place, text in enumerate(parent.children):
            if not isinstance(text, nodes.Text):
                continue
            told = WITHIN.sub(NARROW, text)
            before, after = parent.children[max(place - 2, 0) : place], parent.children[place + 1 : place + 3]
            if len(after) == 2 and is_comment(after[0]) and after[1].astext().startswith(STOP):
                told = told.rstrip()
            if len(before) == 2 and is_comment(before[1]) and before[0].astext()[-1:].isdigit():
                told = re.sub("^ %", f"{NARROW}%", told)
            if told != text:
                parent[place] = nodes.Text(told)


def write_in_parallel(app: Sphinx, env: BuildEnvironment) -> None:
    """Write pages in a process for each core, while this one resolves their references."""
    if app.builder.name == "html":
        app.parallel = 1 + (os.cpu_count() or 1)


def adopt(app: Sphinx, tree: nodes.document) -> None:
    """Have each node belong to its page: what autodoc read kept a document with the whole book's memory."""
    for node in tree.findall():
        node.document = tree


def mend_libraries(app: Sphinx) -> None:
    """Have pybtex look for its plugins once, and sphinx-thebe not add the script that the theme adds, too."""
    vars(pybtex.plugin)["_load_entry_point"] = cache(vars(pybtex.plugin)["_load_entry_point"])
    for listener in list(app.events.listeners["env-before-read-docs"]):
        if listener.handler.__name__ == "init_thebe_core":  # run twice, it is an error
            app.disconnect(listener.id)


def filled(name: str, env: BuildEnvironment, **values: Any) -> str:
    """Fill in one of the templates beside this file; a page with it is read anew when that changes."""
    path = Path(__file__).with_name(name)
    env.note_dependency(str(path))
    text: str = Template(path.read_text("utf-8"), autoescape=True).render(values)
    return text


def write_page(path: Path, page: Any) -> None:
    """Write a page of HTML, a tree of lxml's."""
    path.write_bytes(ENDS.sub(b"", html.tostring(page, encoding="utf-8", doctype="<!DOCTYPE html>")))


def is_comment(node: nodes.Node) -> bool:
    """Tell a comment of the source, which is passed on as it is."""
    return isinstance(node, nodes.raw) and node.astext().startswith("<!--")
