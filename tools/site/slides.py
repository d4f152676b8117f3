"""Slides of each lesson, cut from its page, and of each session of the plans; shown by reveal.js.

    book/measures/ece.html                        the lesson
    book/measures/ece.slides.html                 its slides
    book/teaching/six-weeks-session-5.slides.html of the sections and exercises that a plan's rows name

A slide begins at each heading, exercise, solution and quick question, and where a slide is full. What lies
open goes on slides in its order: formulas, tables and figures whole, of a paragraph its first sentence; the
whole paragraph stands in the notes, which the speaker's view shows. A sentence that leans on what was cut, or
announces what is not on its slide, stands in the notes alone. Left out are code, what is folded, and the
text of the sections `LEFT_OUT`. An answer comes at a key.

What a cell's metadata say as `{"slideshow": {"slide_type": …}}`, which JupyterLab edits, comes first:
`subslide` begins a slide with this cell, `slide` too and shows its code; `fragment` shows it at a key, with
its code; `notes` puts it into the notes, `skip` leaves it out.
"""

import copy
import json
import math
import posixpath
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from lxml import etree, html
from lxml.html import HtmlElement, builder
from sphinx.application import Sphinx

from tools.binding.pages import PARTS
from tools.site.repairs import write_page

ENDING = ".slides.html"
TEACHING = "book/teaching"
PLANS = f"{TEACHING}/syllabus"
LIVE = "book/measures/ece_interval"  # a page whose head loads figures with controls
REVEAL = {
    "reveal.js": "dist/reveal.js",
    "reveal.css": "dist/reveal.css",
    "reveal_notes.js": "plugin/notes/notes.js",
}
SHOWN = {"slide", "fragment"}
MARK = re.compile(r"^\s*slide:\s*(\w*)\s*$")
LEFT_OUT = {"You need", "Next", "References"}
QUESTIONS = "Quick questions"
ROOM = 85  # words of a slide
QUOTED = re.compile("“([^”]+)”")
FIGURE, FORMULA, ROW = 50, 12, 6  # take the room of so many
JOINS = re.compile(r"\A(?:So|But|And),?\s(?!far)(\w)")  # a sentence to the one before, and what leans on that
LEANS = re.compile(r"(It|They|Th(is|at|ese|ose)|Both|Neither)\b|(No|Yes)[.,:;]|So far")
END = re.compile(r"(?:\w\w|[)%”])[.?!][)”\"]?(?=\s+[A-Z“(])")  # of a sentence
NOT_ON_SLIDES = (
    ".//*[contains(@class, 'headerlink') or contains(@class, 'run-here') or @class='lesson-head']"
    "|.//script|.//button|.//summary"
)


def has_slides(page: str) -> bool:
    """Tell whether a page is a lesson, or what stands before the first."""
    lessons = tuple(f"book/{part}/" for part in PARTS)
    return page.startswith(lessons) or page in {"book/promise", "book/quickstart"}


def mark_cells(app: Sphinx, page: str, source: list[str]) -> None:
    """Write into a lesson where its cells begin, and what they say of slides."""
    if not has_slides(page) or not app.env.doc2path(page).endswith(".ipynb"):
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        mark = cell["metadata"].get("slideshow", {}).get("slide_type", "").replace("-", "")
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and not text.startswith("# "):
            cell["source"] = f"<!-- slide: {mark} -->\n\n{text}"
        elif cell["cell_type"] == "code" and mark:
            cell["metadata"].setdefault("tags", []).append(f"slide-{mark}")
    source[0] = json.dumps(notebook)


def slides(page: HtmlElement, lesson: str) -> list[HtmlElement]:
    """Cut the page of a lesson."""
    [article] = page.find_class("bd-article")
    made: list[HtmlElement] = []
    title, under, mark, place, begins, full, cut = HtmlElement(), "", "", "", True, 0.0, False
    for element in flow(article):
        if element.tag is etree.Comment:
            if told := MARK.match(element.text):
                mark = told[1]
                begins = begins or mark in {"slide", "subslide"}
            continue
        if element.tag in {"h1", "h2", "h3"} or is_exercise(element):
            title, begins, cut = element[0] if is_exercise(element) else element, True, False
            place = element.get("id") or element.getparent().get("id", "")
            under = under if element.tag == "h3" else words(title)
            continue
        if "cell" in element.classes:
            mark = next((name[10:] for name in element.classes if name.startswith("tag_slide-")), "")
            begins = begins or mark in {"slide", "subslide"}
        name = words(title)
        if mark == "skip" or (name in LEFT_OUT and not mark and "cell" not in element.classes):
            continue
        whole = name == QUESTIONS or element.getparent().get("id") in {"exercise-content", "solution-content"}
        for part in parts(element, mark, name == QUESTIONS):
            if mark == "notes" and made:
                made[-1][-1].append(copy.deepcopy(part))
                continue
            short = copy.deepcopy(part) if whole or part.tag != "p" else first_sentence(part)
            behind, cut = cut and not whole, short.text_content() != part.text_content()
            if behind and mark not in SHOWN and part.tag == "p":
                short.text = JOINS.sub(lambda word: word[1].upper(), short.text or "")
                if LEANS.match(words(short)):
                    made[-1][-1].append(copy.deepcopy(part))
                    cut = True
                    continue
            begins = begins or (name == QUESTIONS and part.tag == "p")
            if begins or full + weight(short) > ROOM:
                made.append(blank(title, f"{lesson}#{place}", under))
                begins, full = False, 0.0
            full += weight(short)
            if mark == "fragment" or (name == QUESTIONS and "dropdown" in part.classes):
                short.attrib["class"] = "fragment"
            made[-1][1].append(short)
            if cut:
                made[-1][-1].append(copy.deepcopy(part))
    for slide in made:
        last = slide[1][-1]
        if len(slide[1]) > 1 and last.tag == "p" and re.fullmatch(r"[^.?!]*:", words(last)):
            slide[-1].append(last)
    return made


def flow(elements: Iterable[HtmlElement]) -> Iterator[HtmlElement]:
    """Go through what stands in a section and in those below it, in order."""
    for element in elements:
        if element.tag == "section":
            yield from flow(element)
        else:
            yield element
            if is_exercise(element):
                yield from flow(element[1:])


def is_exercise(element: HtmlElement) -> bool:
    """Whether an element is an exercise or a solution; its title comes first."""
    return isinstance(element.tag, str) and bool({"exercise", "solution"} & set(element.classes))


def parts(element: HtmlElement, mark: str, asks: bool) -> Iterator[HtmlElement]:
    """Give what slides show of an element: of a cell what it put out, of a long list some items at a time."""
    items = element.findall("li") if element.tag in {"ul", "ol"} else []
    size = math.ceil(len(items) / math.ceil(weight(element) / ROOM))
    if "cell" in element.classes:
        opened = [part for part in element if part.tag != "details"]
        folded = [part for fold in element.iter("details") for part in fold if part.tag != "summary"]
        yield from (
            (opened or folded[-1:])
            if mark in SHOWN
            else (part for part in opened if "cell_output" in part.classes)
        )
    elif items and not asks and size < len(items):
        for start in range(0, len(items), size):
            some = copy.deepcopy(element)
            some[:] = copy.deepcopy(items[start : start + size])
            if element.tag == "ol":
                some.set("start", str(int(element.get("start", 1)) + start))
            yield some
    elif (
        element.tag not in {"script", "aside"}
        and "run-here" not in element.classes
        and (asks or mark in SHOWN or "dropdown" not in element.classes)
    ):
        yield element


def weight(part: HtmlElement) -> float:
    """Say the room of how many words a part of a page takes."""
    if part.find(".//img") is not None:
        return FIGURE
    rows = len(part.findall(".//tr"))
    formulas = "math" in part.classes and max(1, len(part.findall(".//{*}mtr")))
    return FORMULA * formulas or ROW * rows or 1 + len(part.text_content()) / 6


def first_sentence(paragraph: HtmlElement) -> HtmlElement:
    """Copy a paragraph to the end of its first sentence, which may hold links and formulas.

    >>> paragraph = html.fromstring("<p>It is <b>A. B.</b>, of 1. or 2. Then it goes <i>on</i>. And on.</p>")
    >>> html.tostring(first_sentence(paragraph))
    b'<p>It is <b>A. B.</b>, of 1. or 2. Then it goes <i>on</i>.</p>'
    """
    short = copy.deepcopy(paragraph)
    short.tail = None
    texts = [short.text or "", *(child.tail or "" for child in short)]
    for place, text in enumerate(texts):
        end = END.search(("xx" if place else "") + text)  # behind a link or a formula a stop ends a sentence
        if end:
            texts[place] = text[: end.end() - (2 if place else 0)]
            del short[place:]
            if place:
                short[-1].tail = texts[place]
            else:
                short.text = texts[place]
            break
    return short


def words(title: HtmlElement) -> str:
    """Read a heading."""
    return " ".join(title.text_content().rstrip("#").split())


def blank(title: HtmlElement, address: str, under: str) -> HtmlElement:
    """Make a slide with its title, which leads to the place in the lesson, and with room for notes."""
    link = copy.deepcopy(title)
    link.tag, link.tail = "a", None
    link.attrib.clear()
    link.set("href", address)
    return builder.SECTION(
        builder.H2(link),
        builder.DIV(builder.CLASS("slide-body")),
        builder.ASIDE(builder.CLASS("notes")),
        {"data-under": under},
    )


def clean(made: list[HtmlElement]) -> list[HtmlElement]:
    """Take from slides what only a page needs."""
    for slide in made:
        for element in slide.xpath(NOT_ON_SLIDES):
            element.drop_tree()
        etree.strip_tags(slide[0][0], "a")
        for details in slide.xpath(".//details"):
            details.tag = "div"
        for element in slide.xpath(".//*[@id][not(contains(@class, 'explorer'))]"):
            del element.attrib["id"]
        for link in slide.xpath(".//a[starts-with(@href, '#')]"):
            link.set("href", slide[0][0].get("href").partition("#")[0] + link.get("href"))
    return made


def deck(page: HtmlElement, made: list[HtmlElement], name: str) -> HtmlElement:
    """Write a page of slides, with what it needs of the head of a page of the course."""
    root = "../" * name.count("/")
    for number, slide in enumerate(made, 1):
        slide.set("id", f"slide-{number}")
    made[0][0].tag = "h1"
    head = copy.deepcopy(page.find("head"))
    for element in head.xpath("./script | ./link | ./meta[@property or @name='keywords']"):
        address = element.get("href") or element.get("src") or ""
        is_style = element.get("rel") in {"stylesheet", "icon"} and "run_here" not in address
        if not (is_style or "dataset.theme" in (element.text or "") or "explorers.js" in address):
            element.drop_tree()
    head.find("title").text = f"Slides: {words(made[0][0])}"
    head.append(builder.META(name="robots", content="noindex"))
    for sheet in ("reveal.css", "slides.css"):
        head.append(builder.LINK(rel="stylesheet", href=f"{root}_static/{sheet}"))
    for script in ("reveal.js", "reveal_notes.js", "slides.js"):
        head.append(builder.SCRIPT(src=f"{root}_static/{script}"))
    article = builder.ARTICLE(builder.CLASS("slides bd-article deck"), *made)
    whole = builder.HTML(head, builder.BODY(builder.MAIN(builder.CLASS("reveal"), article)))
    whole.attrib.update(page.attrib)
    return whole


def sessions(syllabus: HtmlElement, cut: dict[str, list[HtmlElement]]) -> dict[str, list[HtmlElement]]:
    """Gather for each session of the plans the slides that its rows name: sections and exercises, or all."""
    made: dict[str, list[HtmlElement]] = {}
    for row in syllabus.iterfind(".//tbody/tr"):
        slot, minutes, show, task, left_out = row.iterfind("td")
        number, _, name = words(slot).rpartition(", ")
        [plan] = row.xpath("ancestor::section[1]")
        title = words(plan.find("h2")) + (f", session {number}" if number else "")
        told = f"{name[0].upper()}{name[1:]}, {words(minutes)} minutes"
        address = f"syllabus.html#{plan.get('id')}"
        session = made.setdefault(f"{TEACHING}/{title.lower().replace(',', '').replace(' ', '-')}", [])
        if not session:
            session.append(blank(builder.H2(title), address, ""))
            session[0][1].append(builder.UL())
        session[0][1][0].append(builder.LI(told))
        session.append(blank(builder.H2(told), address, ""))
        session[-1][1].extend(copy.deepcopy(show[:]))
        for said, cell in (("The students", task), ("Left out", left_out)):
            if words(cell):
                session[-1][-1].append(builder.P(f"{said}: {words(cell)}"))
        exercises = tuple(f"({name})" for name in QUOTED.findall(words(show) + words(task)))
        for link in show.iter("a"):
            lesson = posixpath.normpath(posixpath.join(TEACHING, link.get("href"))).removesuffix(".html")
            follow = [
                part for part in link.itersiblings("em") if part.xpath("preceding-sibling::a")[-1] is link
            ]
            named = set(map(words, follow))
            own = [
                slide
                for slide in cut[lesson]
                if {slide.get("data-under"), words(slide[0])} & named
                or slide.get("data-under").endswith(exercises)
            ]
            session.extend(moved(slide, lesson) for slide in own or cut[lesson])
    return made


def moved(slide: HtmlElement, lesson: str) -> HtmlElement:
    """Copy a slide of a lesson; its addresses lead from the folder of the teachers' pages."""
    slide = copy.deepcopy(slide)
    for name in ("href", "src", "data-frames", "data-bundle"):
        for element in slide.xpath(f".//*[@{name}][not(contains(@{name}, '://'))]"):
            address = posixpath.join(posixpath.dirname(lesson), element.get(name))
            element.set(name, posixpath.relpath(address, TEACHING))
    return slide


def write_slides(app: Sphinx) -> None:
    """Write the slides of each lesson and session, and list them where a page asks for that."""
    site = Path(app.outdir)
    for name, source in REVEAL.items():
        (site / "_static" / name).write_bytes(
            files("sphinx_revealjs").joinpath("_static/revealjs", source).read_bytes()
        )
    names = [name for name in app.env.toctree_includes[app.config.root_doc] if has_slides(name)]
    pages = {name: html.parse(site / f"{name}.html").getroot() for name in (*names, PLANS)}
    cut = {name: clean(slides(pages[name], f"{posixpath.basename(name)}.html")) for name in names}
    together = sessions(pages[PLANS], cut)
    path = site / f"{TEACHING}/slides.html"
    page = html.parse(path)
    for kind, decks in (("lesson", cut), ("session", together)):
        listed = builder.UL()
        for name, made in decks.items():
            write_page(site / f"{name}{ENDING}", deck(pages.get(name, pages[LIVE]), made, name))
            link = builder.A(made[0].findtext("./h1/a"), href=posixpath.relpath(f"{name}{ENDING}", TEACHING))
            link.tail = f", {len(made)} slides"
            listed.append(builder.LI(link))
        for place in page.getroot().find_class(f"{kind}-slides"):
            place[:] = [listed]
    write_page(path, page)


def add_button(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Lead from a lesson to its slides."""
    if has_slides(page) and "header_buttons" in context:
        context["header_buttons"].append(
            {
                "type": "link",
                "url": page.rpartition("/")[2] + ENDING,
                "icon": "fas fa-person-chalkboard",
                "tooltip": "Slides of this lesson",
                "label": "slides-button",
                "classes": "pst-navbar-icon",
            }
        )
