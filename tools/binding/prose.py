"""Numbers in prose, read as a person reads them: decimals, thousands, percentages, powers of ten, LaTeX."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import cache

COMMENT = re.compile(r"<!--.*?-->", re.S)
GROUP = "[,\u0020\u00a0\u2009\u202f]"  # what may stand between thousands
NUMBER = re.compile(
    rf"(?<![\w.])(?P<sign>(?<![)\]}}])[-+])?"
    rf"(?P<digits>\d{{1,3}}(?:{GROUP}\d{{3}})+(?:\.\d+)?|\d+\.\d+|\.\d+|\d+)(?!\d|\.\d)"
    r"(?:e(?P<e>[-+]?\d+)|\s?[x×·]\s?10\^\{?(?P<power>-?\d+)\}?)?"
    r"(?P<percent>\s?%|\sper\s?cent\b|\spercentage\spoints?\b)?"
)
NUMBERED_THINGS = (
    r"Python|NumPy|SciPy|scikit-learn|[Mm]atplotlib|pandas|Dask|PyTorch|Jupyter Book|CC BY(?:-SA)?"
    r"|[Vv]ersions?|[Rr]eleases?|[Ss]ect(?:ions?|s?\.)|§|[Tt]ables?|[Ff]ig(?:ures?|s?\.)|[Cc]h(?:apters?|\.)"
    r"|[Ee]q(?:uations?|s?\.)|[Aa]ppendix|[Tt]heorems?|[Ll]emmas?|[Pp]ropositions?|[Cc]orollary|[Dd]efinitions?"
    r"|[Ee]xamples?|[Ee]xercises?|[Ll]istings?|[Aa]lgorithms?|[Pp]arts?|[Pp]ages?|pp?\.|[Nn]o\.|v"
)
IGNORED = re.compile(
    r"\{(?!math\})[\w:-]+\}`[^`]*`"  # roles such as {cite}
    r"|(?<![`}])(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`)"  # code
    r"|https?://\S+|(?<=\])\([^)]*\)|doi:\S+|arXiv:\S+|\b10\.\d{4,}/\S+"  # addresses
    r"|<[a-zA-Z/][^>]*>"  # HTML tags
    r"|\d+(?:\.\d+){2,}"  # 0.1.0
    r"|\\[dt]?frac\s?\d\d|(?<![\d./])\d/\d(?![\d./])|\b[A-Z]\w*-\d+\b"  # \frac12, 1/2, CIFAR-100
    rf"|(?<!\w)(?:{NUMBERED_THINGS})[\s~]?\(?\d[\d.]*(?:(?:,|\sand|\sto|[-–])\s?\d[\d.]*)*"
    r"|#\d+|\b\d{4}-\d{2}-\d{2}\b",  # issues, dates
    re.S,
)
LATEX = {"\u2212": "-", r"\,": "\u2009", "{,}": ",", r"\%": "%", r"\times": "×", r"\cdot": "·", "$": " "}
COUNTED = re.compile(r"\s+(?:(?!the |of |a )[\w-]+\s+)?(?:rows|images|samples|forecasts|labels|networks)\b")
YEAR = re.compile(r"\b(?:in|since|until|by) (?:19|20)\d\d$", re.I)
LEVEL = re.compile(r"[\s-](?:\w+\s)?(?:intervals?|bands?|lines?|levels?|confidence)\b")


@dataclass(frozen=True)
class Number:
    """A number as written: its value, its decimals, whether it is a percentage, a count or a level."""

    text: str
    value: Decimal
    decimals: int
    percent: bool
    line: int = field(default=0, compare=False)
    is_count: bool = field(default=False, compare=False)
    is_level: bool = field(default=False, compare=False)

    @property
    def is_claim(self) -> bool:
        """Tell whether the number is a decimal or a percentage, and not the level of an interval."""
        return bool(self.decimals or self.percent or "." in self.text) and not self.is_level

    def as_share(self) -> Number:
        """Write a percentage as a share of one; leave any other number."""
        if not self.percent:
            return self
        return replace(self, value=self.value / 100, decimals=self.decimals + 2, percent=False)

    def equals(self, other: Number) -> bool:
        """Tell whether two numbers are the same; a mark may leave the percent sign out."""
        return self.value == other.value or self.as_share().value == other.as_share().value

    def backs(self, claim: Number) -> bool:
        """Tell whether rounding this number to the claim's digits gives the claim."""
        own, other = self.as_share(), claim.as_share()
        if own.value == other.value or own.decimals <= other.decimals:
            return own.value == other.value
        step = Decimal(1).scaleb(-other.decimals)
        return any(own.value.quantize(step, way) == other.value for way in (ROUND_HALF_EVEN, ROUND_HALF_UP))


@cache
def plain(text: str) -> str:
    """Prose as it reads: no comments, code, links and numbered things, LaTeX's spaces and signs resolved."""
    for pattern in (COMMENT, IGNORED):
        text = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for latex, sign in LATEX.items():
        text = text.replace(latex, sign)
    return re.sub(r"\\[a-zA-Z]+|\\.", " ", text)


@cache
def read_numbers(text: str) -> list[Number]:
    """Every number in a text, in order."""
    numbers = []
    for match in NUMBER.finditer(text):
        digits = re.sub(GROUP, "", match["digits"])
        power = int(match["e"] or match["power"] or 0)
        value = Decimal((match["sign"] or "") + digits).scaleb(power)
        decimals = max(len(digits.partition(".")[2]) - power, 0)
        line, percent, end = text.count("\n", 0, match.start()), bool(match["percent"]), match.end()
        is_count = bool(COUNTED.match(text, end)) and not YEAR.search(text, 0, end)
        is_level = percent and bool(LEVEL.match(text, end))
        numbers.append(Number(match[0].strip(), value, decimals, percent, line, is_count, is_level))
    return numbers
