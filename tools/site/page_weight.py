"""Built pages that open at once.

The theme sends each page some four megabytes: every rule of its style sheets, every icon there is, and
scripts that most readers never need. When all is written, this keeps what they use. A page carries the rules
that draw it; what a pointer or a script changes is in one sheet for all pages, which waits for the reader's
first move, as the scripts do (`late.js`). A page brings the letters of its formulas; figures are WebP with
their size, icons a font of the few in use.
"""

from __future__ import annotations

import logging
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from io import BytesIO
from itertools import groupby
from math import fsum  # the same on every Python
from pathlib import Path
from shutil import copy
from unicodedata import decomposition

import tinycss2
from fontTools.subset import Options, Subsetter, load_font, save_font
from lxml import html
from lxml.html import Element, HtmlElement
from PIL import Image
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.parallel import ParallelTasks, SerialTasks, make_chunks, parallel_available
from tinycss2.ast import AtRule, Node, QualifiedRule

from tools.site.narrow import stacked
from tools.site.repairs import tell, write_page

SHEET = "styles/site.css"
MATHS = "fonts/maths.woff2"
FACES = {
    "serif": "serif_pro/files/SourceSerifPro-Regular",
    "serif-italic": "serif_pro/files/SourceSerifPro-It",
    "serif-bold": "serif_pro/files/SourceSerifPro-Semibold",
    "sans": "sans_pro/files/SourceSansPro-Regular",
    "sans-bold": "sans_pro/files/SourceSansPro-Semibold",
}
FIRST = ("serif", "serif-bold", "sans", "sans-bold")
PRELOAD = {"rel": "preload", "as": "font", "type": "font/woff2", "crossorigin": ""}
ICONS = "vendor/fontawesome/webfonts/fa-solid-900.woff2"
# What the theme loads and nothing here needs: icons drawn by a script, tabs, Sphinx's own search.
NEVER = re.compile(r"(fontawesome|design-tabs|togglebutton|searchtools|language_data|searchindex)\.js")
# Our own, needed as soon as the page is read.
AT_ONCE = re.compile(r"_static/(late|start|quiz|slides|reveal|explorers|run_here)[\w.]*\.(js|css)")
OPTIONS = "documentation_options.js"
TOGGLE = "starts-with(., 'let toggle') or contains(., 'togglebuttonSelector')"
# Light or dark before anything is drawn, as the theme will have it.
MODE = """
    {
      const root = document.documentElement.dataset;
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      if (root.theme === "auto") root.theme = dark ? "dark" : "light";
    }
"""
LATE = "late.js"
OWN_SCRIPTS = ["copybutton.js", "search.js", "progress.js", "quiz.js", LATE]
# Classes and tags that the theme's scripts give to what they make or move.
MADE_BY_SCRIPTS = set(
    """active fade show hide hiding showing collapsing hover focus disabled visible scrolled dark light
    tooltip tooltip-inner tooltip-arrow bs-tooltip-auto bs-tooltip-top bs-tooltip-bottom bs-tooltip-start
    bs-tooltip-end mark""".split()
)
QUOTED = re.compile(r"\"[^\"\n]*\"|`[^`]*`")
WORD = re.compile(r"[A-Za-z_][\w-]*")
NAME = re.compile(r"[.#]?-?[A-Za-z_][\w-]*")
# Rules of the theme for what no page of ours has: menus in the head, files and dates to choose, and so on.
NEVER_DRAWN = re.compile(
    r"ul\.navbar-nav|navbar-nav [.]|bd-header button|output_scroll|::(file-|-webkit-(date|cal|inner|outer))"
    r"|nav\.contents|toctree-wrapper|linenos|admonition\.sidebar|aside\.sidebar\.|div\.(margin|figure)"
)
UNSAID = re.compile(r"^ +|^\s*(/\*.*?\*/|//[^\n]*)\n", re.M | re.S)  # of a script: its indents and remarks
FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}")
ADDRESS = re.compile(r"url\((['\"]?)\.\./")
KEYFRAMES = re.compile(r"@keyframes\s+([\w-]+)")
MOVED = re.compile(r":(hover|focus|active|disabled)")
NEGATED = re.compile(r":not\([^()]*(\([^()]*\)[^()]*)*\)")
STATES = re.compile(r"::?[\w-]+(\([^()]*(\([^()]*\))?[^()]*\))?|\[[^\]]*\]")
# Letters and their mathematical italic forms.
ITALIC = {
    chr(int(decomposition(letter).split()[1], 16)): letter
    for letter in map(chr, [*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C), 0x210E])
    if decomposition(letter)
}
ROOT = "\N{SQUARE ROOT}"  # which browsers draw around `msqrt`; no text holds it
PAGE_FONT = """
@font-face{{font-family:"Maths of this page";src:url(data:font/woff2;base64,{})}}
:root{{--maths:"Maths of this page"}}"""
READ_FONT = "document.fonts.load('1em \"Maths of this page\"')"  # before a formula asks: else its lines move
FEATURES = ["ccmp", "kern"]  # other forms of letters are half of the font, and most browsers draw none
LONG, LINE = 24, 30  # characters of a formula in a line, of code or a display, that fit on any phone
PHONE, UPRIGHT = ".phone.webp", "screen and (max-width: 767px) and (orientation: portrait)"
WIDE = 680  # pixels: a picture that has another form on a phone
REM = 16  # pixels
SHAPES = ((40, 350), (70, 690))  # of a column of text on a phone and on a wide page
OPEN = "[not(ancestor::details or ancestor::aside)]"
BLOCKS = """.//*[self::p[not(ancestor::table or parent::li or ancestor::dl[contains(@class, 'glossary')])]
    or self::li or self::dt or self::h2 or self::h3 or self::h4 or self::tr or self::details
    or self::div[starts-with(@class, 'math')]]"""
VERBATIM = ("pre", "script", "style", "textarea")
CELLS = ("td", "th", "tr", "thead", "tbody")  # between which space is none
# What code shows without a colour of its own: names, operators, numbers, builtins, the braces of an f-string.
UNMARKED = {None, "xref std std-term", *"n nn nb nf p w o ow mi mf kc sa si pre".split()}
PARTS = re.compile(r"(?<=[(._/:,=])(?=\w)")  # of a name
BREAK = re.compile(r"[ \t]*\n\s*")
GROUPS = {"media", "supports", "layer"}


def slim(app: Sphinx) -> None:
    """Rewrite every page of the finished build, and the files that the pages share."""
    site = Path(app.outdir)
    static = site / "_static"
    tell("making the pages light")
    options = (static / OPTIONS).read_text("utf-8")
    with ThreadPoolExecutor() as threads:
        list(threads.map(as_webp, (site / "_images").glob("*.png")))
    pages = {path: html.parse(path) for path in sorted(site.rglob("*.html")) if static not in path.parents}
    roots = {path: page.getroot() for path, page in pages.items()}
    sheets: dict[str, None] = {}
    for path, page in roots.items():
        sheets |= dict.fromkeys(linked_sheets(page, static))
        for edit in (fold, trim, wait_for_the_reader, size_images, foresee):
            edit(page, path)
        for script in page.xpath(f"//script[contains(@src, '{OPTIONS}')]"):  # inline scripts speak of it
            script.text = options
            del script.attrib["src"], script.attrib["type"]
    used = words(roots.values()) | MADE_BY_SCRIPTS
    used |= set(WORD.findall(" ".join((static / script).read_text("utf-8") for script in OWN_SCRIPTS)))
    for script in (static / "explorers.js", static / LATE):
        script.write_text(UNSAID.sub("", script.read_text("utf-8")), "utf-8")
    whole = "\n".join((static / sheet).read_text("utf-8") for sheet in sheets if (static / sheet).exists())
    css = kept(whole, used)
    # A font that is declared again is drawn at the reader's first move, and the page jumps.
    (static / SHEET).write_text(FONT_FACE.sub("", css), "utf-8")
    maths = cut_fonts(static, list(roots.values()))

    def write(some: list[str]) -> None:
        for path in map(Path, some):
            for link in roots[path].xpath(f"//link[contains(@href, '{SHEET}')]"):
                dress(roots[path], link, css, static, maths)
            write_page(path, pages[path])

    tasks = ParallelTasks(app.parallel) if parallel_available else SerialTasks()
    for some in make_chunks([str(path) for path in pages], app.parallel):
        tasks.add_task(write, some)
    tasks.join()


def linked_sheets(page: HtmlElement, static: Path) -> Iterator[str]:
    """Take the links to style sheets out of a page, and leave one; what few pages need stands in them."""
    first = None
    for link in page.xpath("//link[@rel='stylesheet']"):
        root, _, sheet = link.get("href").partition("?")[0].partition("_static/")
        if AT_ONCE.search(link.get("href")):
            style = Element("style")
            style.text = "".join(map(str, rules((static / sheet).read_text("utf-8"))))
            link.addprevious(style)
        else:
            yield sheet
        if first is None:
            first = link
            link.set("href", f"{root}_static/{SHEET}")
        else:
            link.drop_tree()


def dress(page: HtmlElement, link: HtmlElement, css: str, static: Path, maths: bytes) -> None:
    """Write into a page the rules and letters that draw it; the link to all rules waits for its script."""
    root = link.get("href").removesuffix(SHEET)
    scripts = [script.get("src").rpartition("_static/")[2] for script in page.xpath("//script[@src][@defer]")]
    used = words([page])
    for script in scripts:
        said = QUOTED.findall((static / script.partition("?")[0]).read_text("utf-8"))
        used |= set(WORD.findall(" ".join(said)))
    waits = any(LATE in script for script in scripts)
    style = Element("style")
    style.text = ADDRESS.sub(
        rf"url(\g<1>{root}", kept(css, used if waits else used | MADE_BY_SCRIPTS, not waits)
    )
    link.addprevious(style)
    for face in FIRST + ("serif-italic",) * bool(page.xpath("//article//em")):
        if waits or "sans" in face:  # before the text is drawn: else its lines move
            style.addprevious(Element("link", PRELOAD, href=f"{root}fonts/{face}.woff2"))
    letters = {character for math in page.iter("math") for character in drawn(math)}
    if letters:
        font = b64encode(subset(BytesIO(maths), letters | {ROOT})).decode()
        style.text += PAGE_FONT.format(font)
        script = Element("script")
        script.text = READ_FONT
        style.addnext(script)
    if waits:
        link.set("rel", "late")
    else:
        link.drop_tree()


def fold(page: HtmlElement, path: Path) -> None:
    """Make what a reader unfolds a `details`, which browsers know without a script."""
    for box in page.find_class("dropdown"):
        titles = box.xpath("./p[contains(@class, 'admonition-title')]")
        if "admonition" in box.classes and titles:
            box.tag, titles[0].tag = "details", "summary"
            for link in titles[0].iter("a"):  # a control within a control cannot be reached by the keyboard
                link.tag, _ = "span", link.attrib.pop("href", None)
    for title in page.xpath("//details[contains(@class, 'hide')]/summary"):  # open or not, it keeps its name
        title.attrib.pop("aria-label", None)
        for said in title.xpath("./p"):
            said.classes.discard("collapsed")
            if "expanded" in said.classes:
                said.drop_tree()
    for box in page.xpath("//pre | //div[contains(@class, 'text_html') or starts-with(@class, 'math')]"):
        wide = max(map(len, box.text_content().splitlines() or [""])) > LINE
        if wide or "text_html" in box.classes:  # what may scroll can be reached by the keyboard
            box.set("tabindex", "0")
    for box in page.find_class("pst-scrollable-table-container"):
        if next(box.iter("a"), None) is None:
            box.set("tabindex", "0")
    for formula in page.xpath("//span[starts-with(@class, 'math')]"):
        if len(formula.text_content()) > LONG:
            formula.classes.add("wide")
            formula.set("tabindex", "0")
    for summary in page.xpath("//summary[span[contains(@class, 'toctree-toggle')]]"):
        summary.set("aria-label", "The pages below")
    for link in page.xpath("//nav//a[@href='#'][contains(@class, 'current')]"):
        link.set("aria-current", "page")


def trim(page: HtmlElement, path: Path) -> None:
    """Drop comments, what stands twice, the space that indents tags, and marks of code without need."""
    for span in page.xpath("//pre//span | //code/span[@class='pre'] | //span[contains(@class, 'std-term')]"):
        if span.get("class") in UNMARKED and not span.get("id"):
            span.drop_tag()
    for link in page.find_class("internal"):
        link.classes.discard("internal")  # no rule asks for it
    for twice in page.xpath("//comment() | //head/meta[@name='viewport'][preceding::meta[@name='viewport']]"):
        twice.drop_tree()
    for box in page.xpath("//*[@id='exercise-content' or @id='solution-content']"):  # each has the same
        del box.attrib["id"]
    for code in page.xpath("//article//code[not(*)]"):  # a long name may break between its parts
        code.text, *rest = PARTS.split(code.text or "") if len(code.text or "") > LONG else [code.text]
        for part in rest:
            code.append(Element("wbr"))
            code[-1].tail = part
    for formula in page.iter("math"):  # in HTML its name says what it is
        formula.attrib.pop("xmlns", None)
    verbatim = {inner for element in page.iter(*VERBATIM) for inner in element.iterdescendants()}
    for element in page.iter("*"):
        if element not in verbatim:
            if element.tag not in VERBATIM:
                element.text = BREAK.sub("\n", element.text or "")
            element.tail = BREAK.sub("" if element.tag in CELLS else "\n", element.tail or "")


def wait_for_the_reader(page: HtmlElement, path: Path) -> None:
    """Leave a page the scripts that it needs, and have the theme's wait."""
    for unread in page.xpath(f"//link[@rel='preload'][@as='script'] | //script[{TOGGLE}]"):
        unread.drop_tree()
    for script in page.xpath("//script[contains(., 'dataset.theme')]"):
        script.text += MODE
    for script in page.xpath("//script[@src]"):
        source = script.get("src")
        if NEVER.search(source):
            script.drop_tree()
        elif AT_ONCE.search(source):
            script.set("defer", "")
        else:
            script.set("type", "text/late")
            script.attrib.pop("defer", None)


def size_images(page: HtmlElement, path: Path) -> None:
    """Say how large each picture is, load it when it comes near, and keep it as WebP."""
    for image in page.xpath("//img[@src]"):
        file = (path.parent / image.get("src")).resolve()
        if file.suffix == ".png" and file.exists():
            width, height, smaller = as_webp(file)
            image.set("src", image.get("src").removesuffix(file.name) + smaller)
            image.set("width", str(width))
            image.set("height", str(height))
            image.set("loading", "lazy")
            if (
                width > WIDE
                and (phone := file.with_suffix(PHONE)).exists()
                and image.xpath("ancestor::article")
            ):
                with Image.open(phone) as narrow:
                    size = dict(zip(("width", "height"), map(str, narrow.size), strict=True))
                box = Element("picture")
                address = image.get("src").removesuffix(smaller) + phone.name
                box.append(Element("source", {"media": UPRIGHT, "srcset": address} | size))
                image.addprevious(box)
                box.append(image)


def foresee(page: HtmlElement, path: Path) -> None:
    """Say of what is laid out only when it comes near how tall it will be, on a phone and on a wide page.

    The estimate, in rem, is of what lies open: lines of text and code, the room around blocks, and pictures.
    """
    for section in page.xpath("//article/section/section | //article/section/dl[starts-with(@class, 'py')]"):
        letters = sum(map(len, section.xpath(f".//text()[not(ancestor::pre or ancestor::script)]{OPEN}")))
        code = sum(text.count("\n") for text in section.xpath(f".//pre{OPEN}//text()"))
        around, images = 2.5 * len(section.xpath(BLOCKS + OPEN)), section.xpath(f".//img{OPEN}")
        phone, wide = (
            1.8 * letters / line + 1.3 * code + around + fsum(height(image, room) for image in images)
            for line, room in SHAPES
        )
        section.set("style", f"--phone:{phone:.0f}rem;--wide:{wide:.0f}rem")


def height(image: HtmlElement, room: int) -> float:
    """Say how tall a picture stands in this room in pixels: rem."""
    if room < WIDE and image.getparent().tag == "picture":
        image = image.getparent()[0]
    across = int(image.get("width", room))
    return int(image.get("height", 0)) * min(1, room / across) / REM


@cache
def as_webp(file: Path) -> tuple[int, int, str]:
    """Write a picture beside itself as WebP, and for phones a wide one with its panels below each other."""
    with Image.open(file) as drawn:
        # in steps that no eye sees, which leave two thirds of the bytes
        picture = drawn.convert("RGB").point(lambda level: min(8 * round(level / 8), 255))
        picture.save(file.with_suffix(".webp"), lossless=True, method=2)
        if picture.width > WIDE and (narrow := stacked(picture)):
            narrow.save(file.with_suffix(PHONE), lossless=True, method=2)
        return *picture.size, file.with_suffix(".webp").name


def words(pages: Iterable[HtmlElement]) -> set[str]:
    """Name every tag, class and identifier in use."""
    found: set[str] = set()
    for page in pages:
        for element in page.iter("*"):
            found.update((element.tag, *element.get("class", "").split(), element.get("id", "")))
    return found


@dataclass(frozen=True)
class Rule:
    """A rule of a style sheet: what it selects and says; or a head and the rules below; or a head alone."""

    selectors: tuple[str, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()  # a property's name, and the line
    head: str = ""
    below: tuple[Rule, ...] = ()

    def __str__(self) -> str:
        """Write it as a style sheet has it."""
        inner = "".join(map(str, self.below)) or ";".join(line for _, line in self.lines)
        return f"{self.head}{','.join(self.selectors)}{{{inner}}}" if inner else self.head


@cache
def rules(css: str) -> tuple[Rule, ...]:
    """Read a style sheet."""
    return tuple(map(rule, tinycss2.parse_stylesheet(css, True, True)))


def rule(node: Node) -> Rule:
    """Read a rule."""
    if isinstance(node, QualifiedRule):
        lines = tinycss2.parse_blocks_contents(node.content, True, True)
        return Rule(
            tuple(
                BREAK.sub(" ", tinycss2.serialize(tokens)).strip()
                for is_comma, tokens in groupby(node.prelude, lambda token: token == ",")
                if not is_comma
            ),
            tuple((line.name, BREAK.sub(" ", line.serialize()).strip()) for line in lines),
        )
    if isinstance(node, AtRule) and node.lower_at_keyword in GROUPS and node.content is not None:
        below = tinycss2.parse_rule_list(node.content, True, True)
        return Rule(
            head=f"@{node.at_keyword}{tinycss2.serialize(node.prelude)}", below=tuple(map(rule, below))
        )
    if isinstance(node, AtRule) and node.lower_at_keyword in {"import", "charset"}:
        return Rule()
    return Rule(head=BREAK.sub(" ", node.serialize()))


def kept(css: str, used: set[str], moved: bool = True) -> str:
    """Keep of a style sheet the rules that can apply, and the properties and animations that a rule names.

    What waits for the pointer or the keyboard is left out where nobody has `moved`.
    """
    left = tuple(fitting(rules(css), used, moved, None))
    while True:
        text = "".join(map(str, left))
        read = set(re.findall(r"var\(\s*(--[\w-]+)", text))
        read.update(*(value.split() for value in re.findall(r"animation[\w-]*:([^;}]*)", text)))
        fewer = tuple(fitting(left, used, moved, read))
        if fewer == left:
            return text
        left = fewer


def fitting(rules: Iterable[Rule], used: set[str], moved: bool, read: set[str] | None) -> Iterator[Rule]:
    """Give rules without the selectors that name what no page has, and without what nothing reads."""
    for rule in rules:
        if rule.below:
            below = tuple(fitting(rule.below, used, moved, read))
            if below:
                yield replace(rule, below=below)
        elif rule.selectors:
            known = (s for s in rule.selectors if names(s) <= used and not NEVER_DRAWN.search(s))
            selectors = tuple(s for s in known if moved or not waits(s))
            lines = tuple(
                (name, line) for name, line in rule.lines if read is None or name[:2] != "--" or name in read
            )
            if selectors and lines:
                yield Rule(selectors, lines)
        elif read is None or not (moves := KEYFRAMES.match(rule.head)) or moves[1] in read:
            yield rule


@cache
def names(selector: str) -> frozenset[str]:
    """List what a selector needs: tags, classes, identifiers."""
    return frozenset(name.lstrip(".#") for name in NAME.findall(STATES.sub("", selector)))


@cache
def waits(selector: str) -> bool:
    """Tell whether a selector is about where the pointer or the keyboard is."""
    return bool(MOVED.search(NEGATED.sub("", selector)))


def cut_fonts(static: Path, pages: list[HtmlElement]) -> bytes:
    """Cut the fonts of text, formulas and icons to the characters that pages draw; give that of formulas."""
    written = set(map(chr, range(32, 127))).union(*(page.text_content() for page in pages))
    formulas = {character for page in pages for math in page.iter("math") for character in drawn(math)}
    (static / MATHS).parent.mkdir(exist_ok=True)
    with as_file(files("ziamath") / "fonts/STIXTwoMath-Regular.ttf") as font:
        maths = subset(font, formulas | {ROOT}, flavor=None)  # which is read much faster, page by page
    (static / MATHS).write_bytes(subset(BytesIO(maths), formulas | {ROOT}))
    for face, source in FACES.items():
        package, _, file = f"font_source_{source}.ttf".partition("/")
        with as_file(files(package) / file) as font:
            (static / f"fonts/{face}.woff2").write_bytes(subset(font, written))
    with as_file(files("font_source_serif_pro") / "files/LICENSE.txt") as licence:
        copy(licence, static / "fonts/LICENSE.txt")
    icons = set(re.findall("[\ue000-\uf8ff]", (static / SHEET).read_text("utf-8")))
    (static / ICONS).write_bytes(subset(static / ICONS, icons))
    return maths


def drawn(math: HtmlElement) -> Iterator[str]:
    """Give the characters that browsers draw for a formula: a letter that is a name alone is drawn italic."""
    for element in math.iter():
        text = (element.text or "").strip(" \n")  # and no other spaces, which have a glyph
        yield from ITALIC.get(text, text) if element.tag == "mi" and not element.get("mathvariant") else text


def subset(font: Path | BytesIO, characters: set[str], flavor: str | None = "woff2") -> bytes:
    """Give the part of a font that draws these characters."""
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    # A changed font may not bear the name that its licence reserves.
    options = Options(flavor=flavor, layout_features=FEATURES, hinting=False, obfuscate_names=True)
    loaded = load_font(font, options)
    cutter = Subsetter(options)
    cutter.populate(text="".join(sorted(characters)))
    cutter.subset(loaded)
    part = BytesIO()
    save_font(loaded, part, options)
    return part.getvalue()


def every_page(app: Sphinx, env: BuildEnvironment) -> set[str]:
    """Have every page written anew: all show each title, and `slim` wants pages as they were written."""
    return set(env.all_docs)
