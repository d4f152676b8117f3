"""A Sphinx extension: slides of each lesson, cut from its page, in a file beside it.

    book/measures/ece.html        the lesson
    book/measures/ece.slides.html its slides

What lies open goes on slides, in its order: formulas, tables, figures as they are, and of the text the
sentences that `slide_text` chooses. A paragraph that is cut stands whole in the slide's notes, which the key
N shows. Left out are code, asides, what is folded, and the sections of `LEFT_OUT`. A quick question stands
twice, without and with its answer, and behind an exercise comes its solution. How much a slide holds is
counted in words, and `slides.js` shrinks text a little where that was too much.

What a cell's metadata say as `{"slideshow": {"slide_type": …}}`, which JupyterLab edits, comes first:
`subslide` begins a slide with this cell, `slide` too, and `fragment` shows it where it stands, both with code
that is not folded; `notes` puts it into the notes, `skip` leaves it out. A Markdown file says so by
`<!-- slide: skip -->`.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from lxml import etree, html
from lxml.html import HtmlElement, builder
from PIL import Image
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [] if str(ROOT) in sys.path else [str(ROOT)]

from tools.lengths import PARTS  # noqa: E402
from tools.slide_text import close, leads_on, least, shorten  # noqa: E402

ENDING = ".slides.html"
LIST = "lesson-slides"
BEGINS, SHOWN = {"slide", "subslide"}, {"slide", "fragment"}
SKIPPED, NOTED = HIDDEN = ("skip", "notes")
MARK = re.compile(r"^\s*slide:\s*(\w*)\s*$")
LEFT_OUT = {"You need", "Next", "References"}
QUESTIONS = "Quick questions"
# How much a slide holds, in words: text alone, beside a figure or table, around a wide figure.
ALONE, BESIDE, AROUND = 120, 90, 45
FEW = 30  # are not left alone
# How many of them are read; the notes hold the rest.
READ, READ_BESIDE, READ_AROUND, LISTED, READ_ANSWER, CAPTION = 60, 45, 30, 80, 35, 20
FORMULA, ROW, ITEM = 20, 8, 4  # take the room of so many words
LINE = 110  # characters of a table that has the whole width
TEXT = (
    "descendant-or-self::p[not(contains(@class, 'admonition-title') or ancestor::table or ancestor::figure"
    " or ancestor::*[contains(@class, 'cell_output')])]"
)
WIDE, WIDE_ROW = 1.9, 50  # a picture's width by its height, a row's characters: nothing has room beside it
NOT_ON_SLIDES = (
    ".//*[contains(@class, 'headerlink') or contains(@class, 'run-here')]|.//script|.//button|.//summary"
)


@dataclass
class Block:
    """A part of a page that is not cut: a paragraph, a list, a formula, what a cell shows."""

    element: HtmlElement
    begins: bool = False  # a slide
    is_noted: bool = False  # is not seen, but said

    @property
    def shows(self) -> bool:
        """Whether it is a picture, a live figure or a table: one for a slide."""
        return not self.is_noted and (
            self.element.find(".//img") is not None or self.element.find(".//tr") is not None
        )

    @property
    def is_drawn(self) -> bool:
        """Whether it is a picture or a live figure."""
        return self.shows and self.element.find(".//img") is not None

    @property
    def is_wide(self) -> bool:
        """Whether it leaves no room beside it."""
        rows = [sum(len(cell.text_content()) + 2 for cell in row) for row in self.element.iter("tr")]
        pictures = self.element.xpath(".//img[not(@class='explorer-still')]")
        shapes = [int(picture.get("width")) / int(picture.get("height")) for picture in pictures]
        return max(rows, default=0) > WIDE_ROW or max(shapes, default=0) > WIDE

    @property
    def is_formula(self) -> bool:
        """Whether it is a formula of its own lines."""
        return "math" in self.element.classes

    @property
    def is_answer(self) -> bool:
        """Whether it is what a quick question folds away."""
        return "slide-answer" in self.element.classes

    @property
    def words(self) -> int:
        """Words of text, and as many as take the room of the rest."""
        if self.is_noted:
            return 0
        if self.is_formula:
            return FORMULA * max(1, len(self.element.findall(".//{*}mtr")))
        if self.shows:
            cells = [[len(cell.text_content()) for cell in row] for row in self.element.iter("tr")]
            return ROW * sum(1 + max(row) * len(row) // LINE for row in cells)
        return len(self.element.text_content()) // 6 + ITEM * len(self.element.findall(".//li"))

    @property
    def leads_on(self) -> bool:
        """Whether what follows belongs to it."""
        return self.element.tag == "p" and not self.is_noted and leads_on(self.element.text_content())

    @property
    def goes_on(self) -> bool:
        """Whether it ends the sentence of a formula above."""
        text: str = self.element.text_content()
        return self.element.tag == "p" and text.lstrip()[:1].islower()


Atom = list[Block]


@dataclass
class Section:
    """A heading and what stands below it."""

    title: HtmlElement
    place: str
    blocks: list[Block] = field(default_factory=list)
    is_whole: bool = False  # must be read to the end
    is_hidden: bool = False

    @property
    def name(self) -> str:
        """The words of the heading."""
        return " ".join(self.title.text_content().rstrip("#").split())

    @property
    def is_shown(self) -> bool:
        """Whether it has a slide."""
        return not self.is_hidden and not all(block.is_noted for block in self.blocks)


def has_slides(page: str) -> bool:
    """Tell whether a page is a lesson, or what stands before the first."""
    return page.startswith(tuple(f"book/{part}/" for part in PARTS)) or page in {
        "book/promise",
        "book/quickstart",
    }


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


# From a page to slides.


def sections(page: HtmlElement) -> list[Section]:
    """Cut a page at its headings, exercises and solutions, and keep of it what goes on slides."""
    [article] = page.find_class("bd-article")
    found: list[Section] = []
    mark, begins = "", False
    for element in flow(article):
        if element.tag is etree.Comment:
            told = MARK.match(element.text)
            if told:
                mark, begins = told[1], told[1] in BEGINS
        elif element.tag in {"h1", "h2", "h3"}:
            found.append(Section(element, element.getparent().get("id", "")))
        elif is_exercise(element):
            found.append(Section(element[0], element.get("id", ""), is_hidden=mark in HIDDEN))
            found[-1].is_whole = "exercise" in element.classes
        elif found:
            if "cell" in element.classes:
                mark = next((name[10:] for name in element.classes if name.startswith("tag_slide-")), "")
                begins = begins or mark in BEGINS
            blocks, shown = found[-1].blocks, list(parts(element, found[-1], mark))
            if blocks and not shown and "cell" in element.classes:
                close(blocks[-1].element)
            for part in shown:
                blocks.append(Block(part, begins, mark == NOTED))
                begins = False
    return [section for section in found if section.is_shown]


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


def parts(element: HtmlElement, section: Section, mark: str) -> Iterator[HtmlElement]:
    """Give what a section shows of an element, or has in its notes."""
    if mark == SKIPPED or element.tag in {"script", "aside"}:
        return
    if "cell" in element.classes:
        open_ = [part for part in element if part.tag != "details"]
        folded = [part for fold in element.iter("details") for part in fold if part.tag != "summary"]
        shown = [part for part in open_ if "cell_output" in part.classes]
        if mark in SHOWN:
            shown = open_ or folded[-1:]
        yield from shown
    elif "dropdown" in element.classes and (mark in SHOWN or section.name == QUESTIONS):
        element.attrib["class"] = "slide-answer"
        yield element
    elif "dropdown" not in element.classes and (mark in SHOWN or section.name not in LEFT_OUT):
        yield from [element] if section.name == QUESTIONS or section.is_whole else lists(element)


def lists(element: HtmlElement) -> Iterator[HtmlElement]:
    """Cut a list that is too long for a slide into some of equal length."""
    items = element.findall("li") if element.tag in {"ul", "ol"} else []
    length = sum(least(paragraph) for paragraph in element.iter("p"))
    size = math.ceil(len(items) / math.ceil(length / LISTED)) if items and length else 0
    if size in {0, len(items)}:
        yield element
        return
    for start in range(0, len(items), size):
        part = copy.deepcopy(element)
        for item in part.findall("li")[:start] + part.findall("li")[start + size :]:
            part.remove(item)
        if element.tag == "ol":
            part.set("start", str(int(element.get("start", 1)) + start))
        yield part


def slides(section: Section) -> Iterator[list[Block]]:
    """Deal the blocks of a section out to slides: what belongs together stays, and a figure is alone."""
    if section.name == QUESTIONS:
        for question in questions(section.blocks):
            yield [block for block in question if not block.is_answer]
            yield question
        return
    dealt: list[list[Atom]] = [[]]
    found = atoms(section.blocks)
    for atom, following in zip(found, [*found[1:], []], strict=True):
        slide = joined(dealt[-1])
        reading = [] if shows(following) or any(block.begins for block in following) else following
        crowded = words(slide) > FEW and shows(atom) and not fits(slide + atom + reading)
        seen = not all(block.is_noted for block in slide)
        if seen and (atom[0].begins or crowded or not fits(slide + atom)):
            dealt.append([])
        dealt[-1].append(atom)
    for before, after in pairwise(dealt):  # a line or two are not left alone
        lonely = words(joined(after)) <= FEW and not shows(joined(after)) and not after[0][0].begins
        if lonely and len(before) > 1 and not shows(before[-1]):
            after.insert(0, before.pop())
    yield from map(joined, dealt)


def atoms(blocks: list[Block]) -> list[Atom]:
    """Gather what belongs together: a sentence and its formula, the words before a figure or table."""
    found: list[Atom] = []
    for block in blocks:
        if block.is_noted and found:
            found[-1].append(block)
            continue
        before = found[-1][-1] if found and not block.begins else None
        ends = before and before.is_formula and (block.goes_on or block.is_formula)
        # Of two texts between figures the second leads to the next.
        leads = block.shows and len(found) > 1 and len(found[-1]) == 1 and not shows(found[-1] + found[-2])
        if before and (before.leads_on or ends or (leads and 0 < before.words <= FEW)):
            found[-1].append(block)
        else:
            found.append([block])
    return found


def joined(slide: list[Atom]) -> list[Block]:
    """List the blocks of a slide."""
    return [block for atom in slide for block in atom]


def questions(blocks: list[Block]) -> list[list[Block]]:
    """Gather each quick question, which ends with its answer."""
    found: list[list[Block]] = [[]]
    for block in blocks:
        found[-1].append(block)
        if block.is_answer:
            found.append([])
    return [question for question in found if question]


def shows(slide: list[Block]) -> list[Block]:
    """Give the figures and tables of a slide."""
    return [block for block in slide if block.shows]


def words(slide: list[Block]) -> int:
    """Count the words around the figure or table of a slide."""
    return sum(block.words for block in slide if not block.shows)


def fits(slide: list[Block]) -> bool:
    """Tell whether a slide has room for these blocks."""
    room, read = rooms(slide)
    needed = sum(least(paragraph) for block in slide for paragraph in block.element.xpath(TEXT))
    drawn = any(block.is_drawn and not block.is_wide for block in slide)
    squeezed = drawn and any(block.is_formula for block in slide)
    return len(shows(slide)) < 2 and words(slide) <= room and needed <= read and not squeezed


def rooms(slide: list[Block]) -> tuple[int, int]:
    """Say how many words have room on a slide, and how many of them are read."""
    shown = shows(slide)
    if not shown:
        return ALONE, LISTED if any(block.element.tag in {"ul", "ol"} for block in slide) else READ
    if shown[0].element.find(".//figure[@class='explorer']") is not None:
        return BESIDE, READ_AROUND  # its controls stand beside it, too
    if not shown[0].is_wide:
        return BESIDE, READ_BESIDE
    if shown[0].words:
        return ALONE - shown[0].words, READ_BESIDE
    return AROUND, READ_AROUND


# From slides to a page.


def deck(page: HtmlElement, lesson: str, root: str, digest: str) -> HtmlElement:
    """Write the page of slides of a lesson's page."""
    dealt = [(section, slide) for section in sections(page) for slide in slides(section)]
    article = builder.ARTICLE(builder.CLASS("bd-article deck"))
    for number, (section, slide) in enumerate(dealt, 1):
        body, name = laid_out(slide)
        read = LISTED if number == 1 else rooms(slide)[1]
        notes = [] if section.is_whole else cut(body, section, read)
        notes += [copy.deepcopy(block.element) for block in slide if block.is_noted]
        title = copy.deepcopy(section.title)
        title.attrib.pop("class", None)
        title.tag = "h1" if number == 1 else "h2"
        footer = builder.FOOTER(
            builder.A(dealt[0][0].name, href=f"{lesson}#{section.place}"),
            builder.SPAN(f"{number} / {len(dealt)}"),
        )
        name += " slide-title" * (number == 1)
        aside = [builder.ASIDE(builder.CLASS("slide-notes"), *notes)] if notes else []
        article.append(
            builder.SECTION(builder.CLASS(name), title, body, *aside, footer, id=f"slide-{number}")
        )
    for element in article.xpath(NOT_ON_SLIDES):
        element.drop_tree()
    for title in article.xpath("./section/*[self::h1 or self::h2]"):
        etree.strip_tags(title, "a")
    for details in article.xpath(".//details"):
        details.tag = "div"
    for element in article.xpath(".//*[@id][not(self::section or contains(@class, 'explorer'))]"):
        del element.attrib["id"]
    for link in article.iter("a"):
        if (link.get("href") or "").startswith("#"):
            link.set("href", lesson + link.get("href"))
    return dressed(page, article, root, digest)


def laid_out(slide: list[Block]) -> tuple[HtmlElement, str]:
    """Place the blocks of a slide, text beside a figure that is not wide; give the slide's classes, too."""
    body = builder.DIV(builder.CLASS("slide-body"), tabindex="0")  # on a phone it may scroll
    slide = [block for block in slide if not block.is_noted]
    shown = [block for block in shows(slide) if not block.is_wide]
    if not shown or (0 < shown[0].words <= ALONE - words(slide)):  # a table that has its place between texts
        body.extend(copy.deepcopy(block.element) for block in slide)
        return body, "slide"
    text = [copy.deepcopy(block.element) for block in slide if block is not shown[0]]
    body.extend((copy.deepcopy(shown[0].element), builder.DIV(*text)))
    return body, "slide slide-beside"


def cut(body: HtmlElement, section: Section, read: int) -> list[HtmlElement]:
    """Shorten the text of a slide, of a quick question its answer alone; give the paragraphs that are cut."""
    texts = [body]
    if section.name == QUESTIONS:
        texts, read = body.find_class("slide-answer"), READ_ANSWER
    said = shorten([paragraph for text in texts for paragraph in text.xpath(TEXT)], read)
    captions = shorten(body.xpath(".//figcaption//span[@class='caption-text']"), CAPTION)
    return said + [builder.P(caption) for caption in captions]


TOOLS = """<nav class="slide-tools pst-js-only" aria-label="Slides">
<button data-do="back" title="Back (left arrow)"><i class="fas fa-angle-left"></i></button>
<button data-do="on" title="On (right arrow)"><i class="fas fa-angle-right"></i></button>
<button data-do="notes" title="Notes (N)"><i class="fas fa-comment"></i></button>
<button data-do="dark" title="Light or dark (D)"><i class="fas fa-circle-half-stroke"></i></button>
<button data-do="full" title="Full screen (F)"><i class="fas fa-expand"></i></button>
</nav>"""


def dressed(page: HtmlElement, article: HtmlElement, root: str, digest: str) -> HtmlElement:
    """Put slides into a page of their own, with the head of the lesson's."""
    whole = builder.HTML(copy.deepcopy(page.find("head")), builder.BODY(builder.CLASS("slides")))
    whole.attrib.update(page.attrib)
    head, body = whole
    for element in head.xpath("./script | ./link | ./meta[@property or @name='keywords']"):
        address = element.get("href") or element.get("src") or ""
        wanted = (
            element.get("rel") in {"stylesheet", "icon"}
            or "dataset.theme" in (element.text or "")
            or (article.find_class("explorer") and "explorers.js" in address)
        )
        if not wanted or "run_here" in address:
            element.drop_tree()
    head.find("title").text = f"Slides: {head.findtext('title')}"
    head.append(builder.META(name="robots", content="noindex"))
    head.append(builder.LINK(rel="stylesheet", href=f"{root}_static/slides.css"))
    head.append(builder.SCRIPT(src=f"{root}_static/slides.js?v={digest}"))
    body.extend((builder.MAIN(article), html.fromstring(TOOLS)))
    return whole


def measure_pictures(page: HtmlElement, path: Path) -> None:
    """Write the size of each picture to it."""
    for image in page.xpath("//article//img[not(@width)]"):
        with Image.open(path.parent / image.get("src")) as picture:
            image.set("width", str(picture.width))
            image.set("height", str(picture.height))


# In the build.


def write_slides(app: Sphinx, error: Exception | None) -> None:
    """Write the slides of each lesson, and list them where a page asks for that."""
    if error or app.builder.name != "html":
        return
    site = Path(app.outdir)
    digest = hashlib.sha256((site / "_static/slides.js").read_bytes()).hexdigest()[:8]
    written: list[tuple[str, str, int]] = []
    for name in app.env.toctree_includes[app.config.root_doc]:
        if has_slides(name):
            path = site / f"{name}.html"
            page = html.parse(path).getroot()
            measure_pictures(page, path)
            made = deck(page, path.name, "../" * name.count("/"), digest)
            path.with_suffix("").with_suffix(ENDING).write_bytes(
                html.tostring(made, encoding="utf-8", doctype="<!DOCTYPE html>")
            )
            written.append((name, made.findtext(".//footer/a"), len(made.find_class("slide"))))
    for path in site.glob("book/teaching/*.html"):
        fill(path, site, written)


def fill(path: Path, site: Path, written: list[tuple[str, str, int]]) -> None:
    """List the slides on a page that has a place for that."""
    page = html.parse(path).getroot()
    for place in page.find_class(LIST):
        up = "../" * (len(path.relative_to(site).parts) - 1)
        items = []
        for name, title, number in written:
            link = builder.A(title, href=f"{up}{name}{ENDING}")
            link.tail = f", {number} slides"
            items.append(builder.LI(link))
        place.append(builder.UL(*items))
        path.write_bytes(html.tostring(page, encoding="utf-8", doctype="<!DOCTYPE html>"))


def drop_slides(app: Sphinx) -> None:
    """Take the last build's slides away: `site_slim` wants pages as they are written."""
    for path in Path(app.outdir).rglob(f"*{ENDING}"):
        path.unlink()


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


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the above, before `site_slim`, which makes pages light; the theme makes its buttons at 501."""
    app.connect("builder-inited", drop_slides)
    app.connect("source-read", mark_cells)
    app.connect("html-page-context", add_button, priority=502)
    app.connect("build-finished", write_slides, priority=890)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
