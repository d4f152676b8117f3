"""A Sphinx extension: built pages that open at once.

The theme sends each page some four megabytes: every rule of its style sheets, every icon there is, and
scripts that most readers never need. When all is written, this keeps what they use: one style sheet, fonts
cut to the characters drawn, figures as WebP with their size; scripts wait for the first move (`late.js`).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import tinycss2
from fontTools.subset import Options, Subsetter, load_font, save_font
from lxml import html
from lxml.html import Element, HtmlElement
from PIL import Image
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from tinycss2.ast import AtRule, Node, QualifiedRule

SHEET = "styles/site.css"
MATHS = "fonts/maths.woff2"
ICONS = "vendor/fontawesome/webfonts/fa-solid-900.woff2"
# What the theme loads and nothing here needs: icons drawn by a script, tabs.
NEVER = re.compile(r"fontawesome\.js|design-tabs\.js|togglebutton\.js")
SEARCH = re.compile(r"searchtools\.js|language_data\.js|searchindex\.js")
# Our own, needed as soon as the page is read.
AT_ONCE = re.compile(r"_static/(late|start|slides|explorers|run_here)[\w.]*\.(js|css)")
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
OWN_SCRIPTS = ["copybutton.js", "late.js"]
# Classes and tags that the theme's scripts give to what they make or move.
MADE_BY_SCRIPTS = set(
    """active fade show hide hiding showing collapsing hover focus disabled visible scrolled dark light
    tooltip tooltip-inner tooltip-arrow bs-tooltip-auto bs-tooltip-top bs-tooltip-bottom bs-tooltip-start
    bs-tooltip-end search search-results search-summary context highlighted kind-title kind-text kind-object
    kind-index list-group-item list-group-item-action bd-header-version-warning sidebar-message
    pst-button-link-to-stable-version""".split()
)
WORD = re.compile(r"[A-Za-z_][\w-]*")
NAME = re.compile(r"[.#]?-?[A-Za-z_][\w-]*")
STATES = re.compile(r"::?[\w-]+(\([^()]*(\([^()]*\))?[^()]*\))?|\[[^\]]*\]")
VERBATIM = ("pre", "script", "style", "textarea")
BREAK = re.compile(r"[ \t]*\n\s*")
GROUPS = {"media", "supports", "layer"}


def slim(app: Sphinx, error: Exception | None) -> None:
    """Rewrite every page of the finished build, and the files that the pages share."""
    if error or app.builder.name != "html":
        return
    site = Path(app.outdir)
    static = site / "_static"
    options = (static / OPTIONS).read_text("utf-8")
    pages = {path: html.parse(path) for path in sorted(site.rglob("*.html")) if static not in path.parents}
    sheets: dict[str, None] = {}
    for path, page in pages.items():
        sheets |= dict.fromkeys(linked_sheets(page.getroot(), static))
        for edit in (fetch_font_early, fold, trim, wait_for_the_reader, size_images):
            edit(page.getroot(), path)
        for script in page.xpath(f"//script[contains(@src, '{OPTIONS}')]"):  # inline scripts speak of it
            script.text = options
            del script.attrib["src"], script.attrib["type"]
    used = words(page.getroot() for page in pages.values()) | MADE_BY_SCRIPTS
    used |= set(WORD.findall(" ".join((static / script).read_text("utf-8") for script in OWN_SCRIPTS)))
    css = "\n".join((static / sheet).read_text("utf-8") for sheet in sheets if (static / sheet).exists())
    (static / SHEET).write_text(kept(css, used), "utf-8")
    cut_fonts(static, [page.getroot() for page in pages.values()])
    for path, page in pages.items():
        path.write_bytes(html.tostring(page, encoding="utf-8", doctype="<!DOCTYPE html>"))


def linked_sheets(page: HtmlElement, static: Path) -> Iterator[str]:
    """Take the links to style sheets out of a page, and leave one; what few pages need stands in them."""
    first = None
    for link in page.xpath("//link[@rel='stylesheet']"):
        root, _, sheet = link.get("href").partition("?")[0].partition("_static/")
        if AT_ONCE.search(link.get("href")):
            style = Element("style")
            style.text = (static / sheet).read_text("utf-8")
            link.addprevious(style)
        else:
            yield sheet
        if first is None:
            first = link
            link.set("href", f"{root}_static/{SHEET}")
        else:
            link.drop_tree()


def fetch_font_early(page: HtmlElement, path: Path) -> None:
    """Have the font of formulas there when the first is drawn, so that nothing jumps."""
    if next(page.iter("math"), None) is not None:
        sheet = page.xpath(f"//link[contains(@href, '{SHEET}')]")[0]
        font = sheet.get("href").replace(SHEET, MATHS)
        sheet.addprevious(
            Element("link", rel="preload", href=font, type="font/woff2", crossorigin="", **{"as": "font"})
        )


def fold(page: HtmlElement, path: Path) -> None:
    """Make what a reader unfolds a `details`, which browsers know without a script."""
    for box in page.find_class("dropdown"):
        titles = box.xpath("./p[contains(@class, 'admonition-title')]")
        if "admonition" in box.classes and titles:
            box.tag, titles[0].tag = "details", "summary"
            for link in titles[0].iter("a"):  # a control within a control cannot be reached by the keyboard
                link.tag, _ = "span", link.attrib.pop("href", None)
    for box in page.xpath("//pre | //div[contains(@class, 'text_html') or starts-with(@class, 'math')]"):
        wide = max(map(len, box.text_content().splitlines() or [""])) > 40
        if wide or "text_html" in box.classes:  # what may scroll can be reached by the keyboard
            box.set("tabindex", "0")
    for summary in page.xpath("//summary[span[contains(@class, 'toctree-toggle')]]"):
        summary.set("aria-label", "The pages below")


def trim(page: HtmlElement, path: Path) -> None:
    """Drop comments, the space that indents tags, and the marks of code that need no colour."""
    for span in page.xpath("//pre//span | //code/span[@class='pre']"):
        if span.get("class") in {None, "n", "nn", "p", "w", "o", "pre"} and not span.get("id"):
            span.drop_tag()
    for comment in page.xpath("//comment()"):
        comment.drop_tree()
    for formula in page.iter("math"):  # in HTML its name says what it is
        formula.attrib.pop("xmlns", None)
    for element in page.iter("*"):
        if next(element.iterancestors(*VERBATIM), None) is None:
            if element.tag not in VERBATIM:
                element.text = BREAK.sub("\n", element.text or "")
            element.tail = BREAK.sub("\n", element.tail or "")


def wait_for_the_reader(page: HtmlElement, path: Path) -> None:
    """Leave a page the scripts that it needs, and have the theme's wait."""
    for unread in page.xpath(f"//link[@rel='preload'][@as='script'] | //script[{TOGGLE}]"):
        unread.drop_tree()
    for script in page.xpath("//script[contains(., 'dataset.theme')]"):
        script.text += MODE
    for script in page.xpath("//script[@src]"):
        source = script.get("src")
        if NEVER.search(source) or (SEARCH.search(source) and path.name != "search.html"):
            script.drop_tree()
        elif AT_ONCE.search(source):
            script.set("defer", "")
        else:
            script.set("type", "text/late")
            script.attrib.pop("defer", None)


def size_images(page: HtmlElement, path: Path) -> None:
    """Say how large each picture is, load it when it comes near, and keep it as lossless WebP."""
    for image in page.xpath("//img[@src]"):
        file = (path.parent / image.get("src")).resolve()
        if file.suffix == ".png" and file.exists():
            width, height, smaller = as_webp(file)
            image.set("src", image.get("src").removesuffix(file.name) + smaller)
            image.set("width", str(width))
            image.set("height", str(height))
            image.set("loading", "lazy")


@cache
def as_webp(file: Path) -> tuple[int, int, str]:
    """Write a picture beside itself as WebP."""
    with Image.open(file) as picture:
        picture.save(file.with_suffix(".webp"), lossless=True, method=6, exact=True)
        return *picture.size, file.with_suffix(".webp").name


def words(pages: Iterable[HtmlElement]) -> set[str]:
    """Name every tag, class and identifier in use."""
    found: set[str] = set()
    for page in pages:
        for element in page.iter("*"):
            found.update((element.tag, *element.get("class", "").split(), element.get("id", "")))
    return found


def kept(css: str, used: set[str]) -> str:
    """Keep of style sheets the rules that can apply, and the properties and animations that a rule names."""
    css = "".join(serialized(rule, used, None) for rule in tinycss2.parse_stylesheet(css, True, True))
    while True:
        read = set(re.findall(r"var\(\s*(--[\w-]+)", css))
        read.update(*(value.split() for value in re.findall(r"animation[\w-]*:([^;}]*)", css)))
        fewer = "".join(serialized(rule, used, read) for rule in tinycss2.parse_stylesheet(css, True, True))
        if fewer == css:
            return css
        css = fewer


def serialized(rule: Node, used: set[str], read: set[str] | None) -> str:
    """Write a rule without the selectors that name what no page has."""
    if isinstance(rule, AtRule) and rule.lower_at_keyword in GROUPS and rule.content is not None:
        inner = "".join(serialized(r, used, read) for r in tinycss2.parse_rule_list(rule.content, True, True))
        return f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}" if inner else ""
    if isinstance(rule, QualifiedRule):
        selectors = [s for s in selectors_of(tinycss2.serialize(rule.prelude)) if applies(s, used)]
        lines = tinycss2.parse_blocks_contents(rule.content, True, True)
        inner = ";".join(
            line.serialize() for line in lines if read is None or line.name[:2] != "--" or line.name in read
        )
        return f"{','.join(selectors)}{{{inner}}}" if selectors and inner else ""
    if isinstance(rule, AtRule) and rule.lower_at_keyword in {"import", "charset"}:
        return ""
    if isinstance(rule, AtRule) and rule.lower_at_keyword == "keyframes" and read is not None:
        return str(rule.serialize()) if tinycss2.serialize(rule.prelude).strip() in read else ""
    return str(rule.serialize())


def selectors_of(prelude: str) -> Iterator[str]:
    """Split selectors at the commas between them, not at those inside brackets."""
    depth, start = 0, 0
    for place, character in enumerate(prelude):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            yield prelude[start:place].strip()
            start = place + 1
    yield prelude[start:].strip()


def applies(selector: str, used: set[str]) -> bool:
    """Tell whether all that a selector names is in use."""
    return all(name.lstrip(".#") in used for name in NAME.findall(STATES.sub("", selector)))


def cut_fonts(static: Path, pages: list[HtmlElement]) -> None:
    """Cut the fonts of formulas and of icons to the characters that pages draw."""
    formulas = {
        character for page in pages for math in page.iter("math") for character in math.text_content()
    }
    formulas.add("\N{SQUARE ROOT}")  # which browsers draw around `msqrt`; no text holds it
    with as_file(files("ziamath") / "fonts/STIXTwoMath-Regular.ttf") as font:
        subset(font, formulas, static / MATHS)
    sheet = (static / SHEET).read_text("utf-8")
    subset(static / ICONS, set(re.findall("[\ue000-\uf8ff]", sheet)), static / ICONS)


def subset(font: Path, characters: set[str], to: Path) -> None:
    """Write the part of a font that draws these characters."""
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    options = Options(flavor="woff2", layout_features=["*"], hinting=False)
    loaded = load_font(str(font), options)
    cutter = Subsetter(options)
    cutter.populate(text="".join(sorted(characters)))
    cutter.subset(loaded)
    to.parent.mkdir(exist_ok=True)
    save_font(loaded, str(to), options)


def every_page(app: Sphinx, env: BuildEnvironment) -> set[str]:
    """Have every page written anew: all show each title, and `slim` wants pages as they were written."""
    return set(env.all_docs)


def setup(app: Sphinx) -> dict[str, bool]:
    """Run when all is written."""
    app.connect("env-updated", every_page)
    app.connect("build-finished", slim, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
