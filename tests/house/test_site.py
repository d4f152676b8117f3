"""What the site's extensions make of formulas and style sheets."""

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from lxml import html as lxml_html
from PIL import Image, ImageDraw
from sphinx.addnodes import desc_signature

from calibration_lessons.plots.palette import BLACK, BLUE, DARK, GREEN, VERMILLION
from tests.book.copied import ROOT
from tests.colours import contrast
from tools.site.docstring_formulas import link_code
from tools.site.mathml import keep_stops, mathml
from tools.site.narrow import stacked
from tools.site.page_heads import name_paragraphs
from tools.site.page_weight import drawn as drawn_letters
from tools.site.page_weight import kept
from tools.site.repairs import set_type


def drawn(source: str) -> str:
    """Reduce MathML to what is drawn, element by element."""
    return re.sub(r"</?(math|mrow|mstyle)[^>]*>", "", mathml(source, False))


def test_a_name_of_a_function_is_parted_from_a_letter_and_not_from_a_bracket():
    assert '<mi>log</mi><mspace width="0.167em"/><mi>p</mi>' in drawn(r"\log p")
    assert "<mi>log</mi><mo>\N{FUNCTION APPLICATION}</mo><mo" in drawn(r"\log(p)")


@pytest.mark.parametrize(
    ("source", "letter"), [(r"\mathbb{R}", "ℝ"), (r"\mathbb{E}", "𝔼"), (r"\mathbf{1}", "𝟏")]
)
def test_a_style_of_letters_is_that_of_unicode(source: str, letter: str):
    assert letter in drawn(source) and "mathvariant" not in drawn(source)


def test_columns_keep_their_sides_and_nothing_is_left_that_only_mathjax_reads():
    table = mathml(r"\begin{aligned} a &= b \\ c &= d \end{aligned}", True)
    assert table.count('class="right"') == table.count('class="left"') == 2
    assert "columnalign" not in table and "data-" not in table


def test_tex_that_cannot_be_read_stops_the_build():
    with pytest.raises(Exception, match="Undefined control sequence"):
        mathml(r"\nosuchcommand", False)


@pytest.mark.kernel
def test_a_process_that_wrote_formulas_ends():
    code = "from tools.site.mathml import mathml; mathml('x', False)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=True)


def panels(*boxes: tuple[int, int, int, int]) -> Image.Image:
    """Draw black boxes, each given by its left, upper, right and lower end."""
    picture = Image.new("RGB", (1000, 400), "white")
    for box in boxes:
        ImageDraw.Draw(picture).rectangle(box, "black")
    return picture


def test_panels_side_by_side_stand_below_each_other_on_a_phone_under_their_legend_or_title():
    sides = (20, 60, 480, 390), (520, 60, 980, 390)
    legend = panels((380, 5, 510, 20), (530, 5, 620, 20), *sides)
    under, titled, bare = map(
        stacked, (legend, panels((200, 5, 300, 20), (700, 5, 800, 20), *sides), panels(*sides))
    )
    assert under.size == (520, 60 + 2 * 340 + 3 * 8) and titled.size == bare.size == (520, 2 * 400 + 2 * 8)
    assert under.crop((0, 0, 241, 60)).tobytes() == legend.crop((380, 0, 621, 60)).tobytes()
    assert stacked(panels((20, 60, 980, 390))) is None, "one panel"
    assert stacked(panels((20, 60, 700, 390), (740, 60, 980, 390))) is None, "uneven ones"


CSS = """
@import url(other.css);
:root { --read: 1px; --also: var(--read); --idle: 2px }
.used, .unused { margin: var(--also) }
.unused:is(.a, .b) > p, #unused p, [a='used,p'] .unused { color: red }
.used:not(.unused)::before { content: "x, y; }" }
@media print { .unused { color: red } .used { color: blue } }
@font-face { font-family: A; src: url("a;b.woff2") }
"""


def test_a_style_sheet_keeps_the_rules_that_can_apply_and_the_properties_that_are_read():
    left = kept(CSS, {"used", "p"})
    assert "--read" in left and "--also" in left and "--idle" not in left
    assert re.sub(r"\s", "", left).endswith(
        '.used{margin:var(--also)}.used:not(.unused)::before{content:"x,y;}"}'
        '@mediaprint{.used{color:blue}}@font-face{font-family:A;src:url("a;b.woff2")}'
    )


def test_before_the_first_move_rules_wait_that_are_about_the_pointer_or_the_keyboard():
    css = "a:hover, a.on { color: red } p:focus-visible { color: red } a:not(:hover) { color: blue }"
    css += "@media print { a:active { color: red } }"
    assert kept(css, {"a", "on", "p"}, moved=False) == "a.on{color: red}a:not(:hover){color: blue}"
    assert kept(css, {"a", "on", "p"}).count("{") == 5


def test_the_font_of_formulas_gets_the_letters_that_browsers_draw():
    math = lxml_html.fromstring(
        "<math><mi>h</mi><mi>θ</mi><mi>ϵ</mi><mi>log</mi><mi mathvariant='normal'>d</mi><mn>1</mn>"
        "<mtext>&nbsp;of&nbsp;</mtext></math>"
    )
    assert set(drawn_letters(math)) == set("ℎ𝜃𝜖logd1\N{NO-BREAK SPACE}f")


def test_a_group_of_one_letter_is_the_letter_and_an_operator_keeps_its_group():
    assert "mrow" not in mathml(r"\mathrm{ECE}", False) and "mstyle" not in mathml(r"a\,b", False)
    assert "<mrow><mo>/</mo></mrow>" in mathml("a/b", False)


@pytest.mark.parametrize(
    ("parts", "read"),
    [
        (["right in 95 % of rows"], "right in 95\u202f% of rows"),
        (["0.2 ", "<!-- given -->", "."], "0.2."),
        (["0.2 ", "<!-- given -->", " or less"], "0.2  or less"),
        (["12", "<!-- = share:.0f -->", " % of"], "12\u202f% of"),
    ],
)
def test_a_number_stays_with_its_sign_and_a_comment_leaves_no_space_before_a_stop(parts, read):
    tree = new_document("page")
    paragraph = nodes.paragraph()
    for part in parts:
        made = nodes.raw("", part, format="html") if part.startswith("<!--") else nodes.Text(part)
        paragraph += made
    tree += paragraph
    set_type(None, tree)
    assert "".join(node for node in tree.findall(nodes.Text) if not node.startswith("<!--")) == read


def test_once_the_repository_has_an_address_a_documented_name_leads_to_its_lines():
    tree = new_document("page")
    place = {"repository_url": "https://example.org/us", "repository_branch": "dev"}
    tree += [
        desc_signature("", "", module="calibration_lessons", fullname=name)
        for name in ("brier_score", "MatrixScaling.fit", "__version__")
    ]
    for options, count in ({"repository_url": ""}, 0), (place, 2):
        link_code(SimpleNamespace(config=SimpleNamespace(html_theme_options=options)), tree)
        links = [link["refuri"] for link in tree.findall(nodes.reference)]
        assert len(links) == count
    for link, line in zip(links, ("def brier_score(", "    def fit("), strict=True):
        file, first = re.fullmatch(r"https://example.org/us/blob/dev/(.+)#L(\d+)-L\d+", link).groups()
        lines = (ROOT / file).read_text("utf-8").splitlines()[int(first) - 1 :]
        assert next(code for code in lines if not code.lstrip().startswith("@")).startswith(line)


def test_a_paragraph_is_named_by_as_many_of_its_first_words_as_no_other_has():
    tree = new_document("page")
    tree += [nodes.paragraph("", text) for text in ("We now fit a line.", "We now fit a line again.", "No.")]
    name_paragraphs(None, tree)
    assert [part["ids"] for part in tree] == [["we-now-fit-line"], ["we-now-fit-line-again"], []]


def test_no_line_begins_with_the_stop_behind_a_formula():
    tree, comment = new_document("page"), nodes.raw("", "<!-- given: 2 -->", format="html")
    tree += nodes.paragraph("", "", nodes.math("", "T"), comment, nodes.Text(", and "), nodes.math("", "b"))
    keep_stops(None, tree)
    solid, text, _ = tree[0]
    assert solid["classes"] == ["solid"] and solid.astext().endswith(",") and text == " and "


def test_what_is_home_made_has_its_reason_and_about_its_length_in_the_table():
    part = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## What is home-made")[2]
    lengths = {
        name.removeprefix("tools/").removeprefix("book/assets/"): len(
            (ROOT / name).read_text("utf-8").splitlines()
        )
        for name in [
            *(path.relative_to(ROOT).as_posix() for path in (ROOT / "tools").rglob("*.py")),
            *(path.relative_to(ROOT).as_posix() for path in (ROOT / "book/assets").glob("*.[cj]s*")),
        ]
    }
    told = {}
    for names, stated in re.findall(r"^\| (`[^|]+`) \| (\d+) \|", part, re.M):
        pieces = re.findall(r"`([^`]+)`", names)
        told |= dict.fromkeys(pieces)
        assert abs(sum(lengths[piece] for piece in pieces) - int(stated)) <= 0.25 * int(stated), names
    assert {name for name, length in lengths.items() if length > 100} <= set(told)


def test_a_rule_names_the_colour_by_its_variable():
    for sheet in (ROOT / "book/assets").glob("*.css"):
        for line in sheet.read_text("utf-8").splitlines():
            own = re.findall(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl)a?\(", line, re.I)
            known = {"#000", "#fff", "#767676"}  # of a mask, of paper, and where the theme names no grey
            assert re.match(r"\s*--", line) or {*own} <= known, f"{sheet.name}: {line.strip()}"


def test_the_five_colours_of_the_site_are_those_of_figures_and_are_seen_on_both_grounds():
    blocks = re.findall(r"html[:\[].*?}", (ROOT / "book/assets/course.css").read_text("utf-8"), re.S)[:2]
    light, dark = (dict(re.findall(r"--(\w+): (#\w{6});", block)) for block in blocks)
    for name, color in {"blue": BLUE, "vermillion": VERMILLION, "green": GREEN}.items():
        assert (light[name], dark[name]) == (color.lower(), DARK[color].lower())
    assert dark["ink"] == DARK[BLACK].lower()
    for colors, other in ((light, 3), (dark, 4.5)):
        ground = colors.pop("paper")
        for name, color in colors.items():
            assert contrast(ground, color) >= (4.5 if name in {"ink", "blue"} else other), name
