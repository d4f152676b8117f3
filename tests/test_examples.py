"""The example that a reader can change gives what the lesson says of the same numbers."""

import ast
from collections.abc import Callable
from typing import Any

import pytest

from calibration_lessons.book.definitions import program
from tools.binding.equations import find_displays
from tools.binding.pages import ROOT, notebooks

PAGES = {page.file: page for page in notebooks(ROOT, "book")}
SHOWN = {display.label: display.page for display in find_displays(ROOT)}

# Where a lesson works out its example: its words, with the value of the transcription's example in them.
WORDS: dict[str, Callable[[Any], str]] = {
    "eq-coin-entropy": lambda parts: f'to {parts[2]:.3f}<!-- = parts.epistemic["5 of 10"]:.3f -->',
    "eq-entropy": lambda bits: f"its average is {bits:.3f}<!-- = known[1]:.3f -->",
    "eq-logistic-loss": lambda loss: f"{loss:.3f}<!-- = steeper[1]:.3f -->\nwith slope 1",
    "eq-accuracy": lambda shares: f"second        {max(abs(shares[0] - 0.4), abs(shares[1] - 0.5)):.2f}",
    "eq-confidence": lambda mean: f"({mean:.2f}<!-- = said:.2f -->, 0.2",
    "eq-ece": lambda error: f"the ECE of {error:.4f}<!-- = total:.4f -->",
    "eq-mce": lambda error: f"Here it is {error:.2f}<!-- = mce:.2f -->",
    "eq-brier-binary": lambda score: f"Squares: 0.01, 0.36, 0.64, in the mean {score:.3f}",
    "eq-nll": lambda score: f"Logs: 0.105, 0.916, 1.609, in the mean {score:.3f}",
    "eq-brier-decomposition": lambda parts: (
        f"[{parts[0] * 225:.0f} / 225, {parts[1] * 36:.0f} / 36, {parts[2] * 4:.0f} / 4]"
    ),
    "eq-isotonic": lambda means: (
        f"{means[0]:.0f}/1  {3 * means[1]:.0f}/3  {2 * means[4]:.0f}/2  {means[6]:.0f}/1  {means[7]:.0f}/1"
    ),
    "eq-temperature": lambda rows: f"t=0.5: Confidence {max(rows[1]):.2f}: divided by 0.5, the logits",
    "eq-temperature-nll": lambda losses: "\n".join(
        f"{T:.2f} {loss:.10f}" for T, loss in zip((1, 0.5, 0.1), losses, strict=True)
    ),
    "eq-expected-cost": lambda costs: f"0.85  {costs[0]:.2f}        {costs[1]:.2f}        keep",
    "eq-threshold": lambda t: f"the threshold {t:.1f}<!-- = cl.decisions.optimal_threshold(mail):.1f -->",
}


@pytest.mark.parametrize("label", WORDS)
def test_the_example_gives_what_the_lesson_says(label: str) -> None:
    names: dict[str, Any] = {}
    tree = ast.parse(program(label))
    tree.body[-1] = ast.Assign([ast.Name("value", ast.Store())], tree.body[-1].value)  # type: ignore[attr-defined]
    exec(compile(ast.fix_missing_locations(tree), "<program>", "exec"), names)
    cells = PAGES[SHOWN[label]].cells
    texts = [*(cell.source for cell in cells), *(text for cell in cells for text in cell.output_texts())]
    assert WORDS[label](names["value"]) in "\n".join(texts)
