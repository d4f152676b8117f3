"""Recall cards of the lessons, a deck for Anki per part, by genanki.

    _static/cards/measures.apkg    the cards of the lessons in book/measures

A card shows the first half of a line of *What to remember*, or a quick question with its choices; behind it
stand the whole line, or the answer and its reason. Anki knows a card by its lesson and its place there, and
takes over what is newer than what it has: a later edition changes its words, and the reader's schedule stays.
"""

import re
import time
from collections.abc import Iterator
from html import escape
from pathlib import Path
from zlib import crc32

from docutils import nodes
from genanki import Deck, Model, Note, Package, guid_for  # type: ignore[import-untyped]
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from tools.binding.pages import PARTS

LINES, QUESTIONS = "what-to-remember", "quick-questions"
TAGS = {nodes.strong: "b", nodes.emphasis: "i", nodes.literal: "code", nodes.bullet_list: "div"}
TAGS |= {nodes.list_item: "p", nodes.paragraph: "", pending_xref: "", nodes.inline: ""}
FRONT, BACK = '<p class="lesson">{{Lesson}}</p>{{Front}}', '{{FrontSide}}<hr id="answer">{{Back}}'
CARD = Model(
    1_614_325_617,  # Anki knows the kind of card by it
    "Calibration Lessons",
    fields=[{"name": name} for name in ("Place", "Lesson", "Front", "Back")],
    templates=[{"name": "Card", "qfmt": FRONT, "afmt": BACK}],
    css=".card { font: 1.2rem/1.5 sans-serif; max-width: 40rem; margin: auto } .lesson { opacity: 0.75 }",
)
LINK = '<a href="{up}_static/cards/{part}.apkg" download>{text}</a>'
ASIDE = '<aside class="cards">To keep these lines and the quick questions: {link}, for Anki.</aside>'
LIST = '<div class="cards"></div>'


def shown(node: nodes.Node) -> str:
    r"""Write what a card shows of a node of a page; formulas as Anki has them.

    >>> shown(nodes.paragraph("", "", nodes.strong("", "p < q"), nodes.raw("", "<!-- given -->")))
    '<b>p &lt; q</b>'
    >>> shown(nodes.math("", "p < 1"))
    '\\(p &lt; 1\\)'
    """
    if isinstance(node, nodes.raw):
        return ""
    if isinstance(node, nodes.math):
        return rf"\({escape(node.astext(), quote=False)}\)"
    if isinstance(node, nodes.Text):
        return escape(node, quote=False)
    if type(node) not in TAGS:
        raise ExtensionError(f"a recall card shows no {type(node).__name__}, as in: {node.astext()[:60]}")
    tag, inside = TAGS[type(node)], re.sub(r"\s+", " ", "".join(map(shown, node.children)))
    return f"<{tag}>{inside}</{tag}>" if tag else inside


def beginning(line: nodes.Element) -> str:
    """Write the first half of a line's words; a formula, or what stands out or is linked, is not cut.

    >>> event = nodes.strong("", "event")
    >>> beginning(nodes.paragraph("", "", nodes.Text("Name the "), event, nodes.Text(", the bins.")))
    'Name the <b>event</b> …'
    """
    children = [child for child in line.children if not isinstance(child, nodes.raw)]
    words = [len(child.astext().split()) for child in children]
    room, first = sum(words) // 2, ""
    for child, length in zip(children, words, strict=True):
        if isinstance(child, nodes.Text) and length > room > 0:
            child = nodes.Text("".join(re.findall(r"\s*\S+", child)[:room]))
        first += shown(child) if room > 0 else ""
        room -= length
    return re.sub(r"\s+", " ", f"{first.rstrip(' ,;:')} …")


def cards(tree: nodes.document) -> Iterator[tuple[str, str, str]]:
    """Give the cards of a lesson: place, front and back."""
    sections = {name: part for part in tree.findall(nodes.section) for name in part["ids"]}
    lines = list(sections[LINES].findall(nodes.bullet_list))
    if len(lines) != 1:
        raise ExtensionError(f"{tree['source']}: a lesson has one list to remember, not {len(lines)}")
    for number, line in enumerate(lines[0], 1):
        yield f"line {number}", beginning(line[0]), shown(line[0])
    answers = [part for part in sections[QUESTIONS] if isinstance(part, nodes.admonition)]
    for number, answer in enumerate(answers, 1):
        place = sections[QUESTIONS].index(answer)
        question, choices = sections[QUESTIONS][place - 2 : place]
        yield f"question {number}", shown(question) + shown(choices), "<br>".join(map(shown, answer[1:]))


def write_decks(app: Sphinx) -> None:
    """Write the deck of each part."""
    folder = Path(app.outdir) / "_static" / "cards"
    folder.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(PARTS):
        name = f"Calibration Lessons::{part.capitalize()}"
        deck = Deck((1 << 30) + crc32(part.encode()) % (1 << 30), name)
        for page in app.env.toctree_includes[app.config.root_doc]:
            if page.startswith(f"book/{part}/"):
                lesson = page.removeprefix("book/")
                title = escape(app.env.titles[page].astext(), quote=False)
                for place, *card in cards(app.env.get_doctree(page)):
                    fields = [f"{lesson}, {place}", title, *card]
                    deck.add_note(Note(CARD, fields, guid=guid_for(lesson, place), tags=[lesson]))
        moment = time.time() + 10 * number  # numbers its notes and cards, in no two decks the same
        Package(deck).write_to_file(folder / f"{part}.apkg", moment)


def add_links(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Lead to the decks: below a lesson's lines to that of its part, from the page for students to all."""
    if app.builder.name != "html":
        return
    up = "../" * page.count("/")
    for place in tree.findall(nodes.raw):
        if place.astext() == LIST:
            links = (LINK.format(up=up, part=part, text=part.capitalize()) for part in PARTS)
            place[0] = nodes.Text(f"<p>{', '.join(links)}</p>")
    for section in tree.findall(nodes.section):
        if LINES in section["ids"]:
            part = page.split("/")[1]
            link = LINK.format(up=up, part=part, text=f"the recall cards of {part.capitalize()}")
            section += nodes.raw("", ASIDE.format(link=link), format="html")
