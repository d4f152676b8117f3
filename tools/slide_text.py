"""What a class reads of a paragraph, and what its teacher says: slides hold sentences, not running text."""

from __future__ import annotations

import copy
import re
from itertools import pairwise
from typing import TypeAlias

from lxml.html import HtmlElement

LEFT_OUT = "\N{HORIZONTAL ELLIPSIS} "
END = re.compile(
    r"""(?:(?<=[.?!])|(?<=[.?!][)"”]))(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.)(?<!al\.)\s+(?=[A-Z0-9("“]|$)"""
)
LEANS = re.compile(r"(It|Its|This|That|These|Those|They|Their|So|Then|But|Both|Neither)\b")
A_NUMBER = 2  # words or fewer, as in "A." and "1.", are no sentence of their own

Piece: TypeAlias = str | HtmlElement
Sentence: TypeAlias = list[Piece]


def sentences(paragraph: HtmlElement) -> list[Sentence]:
    """Cut a paragraph behind its sentences, but not within a formula, a link, brackets or a quotation."""
    found: list[Sentence] = [[]]
    for piece in pieces(paragraph):
        if not isinstance(piece, str):
            found[-1].append(piece)
            continue
        start = 0
        for end in (match.end() for match in END.finditer(piece)):
            found[-1].append(piece[start:end])
            start = end
            if is_whole(found[-1]):
                found.append([])
        found[-1].append(piece[start:])
        if start == 0 and piece[:1].isspace() and closes(found[-1]):  # the sentence before is in an element
            found[-1].pop()
            found.append([piece])
    return [sentence for sentence in found if told(sentence)]


def pieces(paragraph: HtmlElement) -> list[Piece]:
    """List the texts and the elements of a paragraph."""
    listed: list[Piece] = [paragraph.text or ""]
    for child in paragraph:
        if isinstance(child.tag, str):
            element = copy.deepcopy(child)
            element.tail = None
            listed.append(element)
        listed.append(child.tail or "")
    return listed


def closes(sentence: Sentence) -> bool:
    """Tell whether the last element, in front of the last text, ends a sentence."""
    before = sentence[:-1]
    if not before or isinstance(before[-1], str) or not re.match(r"""\s+[A-Z("“]""", str(sentence[-1])):
        return False
    return before[-1].text_content().rstrip().endswith((".", "?", "!", ".”")) and is_whole(before)


def is_whole(sentence: Sentence) -> bool:
    """Tell whether brackets and quotation marks are closed, and there is more than a number."""
    text = told(sentence)
    pairs = all(text.count(left) == text.count(right) for left, right in ("()", "“”"))
    return pairs and text.count('"') % 2 == 0 and len(text.split()) > A_NUMBER


def told(sentence: Sentence) -> str:
    """Give the words of a sentence."""
    return "".join(piece if isinstance(piece, str) else piece.text_content() for piece in sentence).strip()


def length(sentence: Sentence) -> int:
    """Count the words of a sentence."""
    return len(told(sentence).split())


def close(paragraph: HtmlElement) -> None:
    """End a paragraph that leads to what is not on the slide."""
    last = paragraph[-1] if len(paragraph) else None
    text = (paragraph.text if last is None else last.tail) or ""
    if text.rstrip().endswith(":"):
        text = f"{text.rstrip()[:-1]}."
        if last is None:
            paragraph.text = text
        else:
            last.tail = text


def leads_on(text: str) -> bool:
    """Tell whether a formula, a figure or a list ends the last sentence of a text."""
    return not text.rstrip().endswith((".", "?", "!", ")", '"', "”", "…"))


def needed(paragraph: HtmlElement) -> set[int]:
    """Say which sentences of a paragraph stand: the first, those with bold words, one that leads on."""
    found = sentences(paragraph)
    bold = {
        place
        for place, sentence in enumerate(found)
        if any(not isinstance(piece, str) and piece.tag == "strong" for piece in sentence)
    }
    last = {len(found) - 1} if leads_on(paragraph.text_content()) else set()
    return {0} | bold | last if found else set()


def least(paragraph: HtmlElement) -> int:
    """Count the words that a slide shows of a paragraph at least."""
    found = sentences(paragraph)
    return sum(length(found[place]) for place in needed(paragraph))


def shorten(paragraphs: list[HtmlElement], room: int) -> list[HtmlElement]:
    """Leave about so many words of paragraphs, in place; give whole copies of those that are cut.

    Where there is room for more than what is needed, the sentences that follow on it stand, too, first those
    of a paragraph that the next leans on: "It" means something there.
    """
    texts = [sentences(paragraph) for paragraph in paragraphs]
    kept = [needed(paragraph) for paragraph in paragraphs]
    room -= sum(length(text[place]) for text, stays in zip(texts, kept, strict=True) for place in stays)
    leant_on = [bool(after) and LEANS.match(told(after[0])) is not None for after in [*texts[1:], []]]
    following = [(place, i) for i, text in enumerate(texts) for place in range(1, len(text))]
    for place, i in sorted(following, key=lambda at: (not leant_on[at[1]], *at)):  # each paragraph in turn
        fits = place - 1 in kept[i] and length(texts[i][place]) <= room
        if place not in kept[i] and fits:
            kept[i].add(place)
            room -= length(texts[i][place])
    noted = []
    for paragraph, text, stays in zip(paragraphs, texts, kept, strict=True):
        if len(stays) < len(text):
            noted.append(copy.deepcopy(paragraph))
            noted[-1].tail = None
            rewrite(paragraph, text, sorted(stays))
    return noted


def rewrite(paragraph: HtmlElement, text: list[Sentence], stays: list[int]) -> None:
    """Write of a paragraph the sentences that stay, with a mark where one is left out between them."""
    tail = paragraph.tail
    attributes = dict(paragraph.attrib)
    paragraph.clear()
    paragraph.attrib.update(attributes)
    paragraph.tail = tail
    for before, place in pairwise([stays[0] - 1, *stays]):
        for piece in [*([LEFT_OUT] if place > before + 1 else []), *text[place]]:
            if not isinstance(piece, str):
                paragraph.append(piece)
            elif len(paragraph):
                paragraph[-1].tail = (paragraph[-1].tail or "") + piece
            else:
                paragraph.text = (paragraph.text or "") + piece
