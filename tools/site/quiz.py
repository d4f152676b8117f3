"""The directive `quiz` asks the questions of a table, each with a confidence.

Without scripts they are a list with answers in folds; `book/assets/quiz.js` draws the reader's own diagram.
"""

from __future__ import annotations

import csv
from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ITEM = """\
<fieldset data-right="{right}"><legend>{number}. {question}</legend>
<label><input type="radio" name="quiz-{number}" value="A"> A. {A}</label>
<label><input type="radio" name="quiz-{number}" value="B"> B. {B}</label>
<label class="pst-js-only">How sure are you? <input type="range" min="50" max="100" step="5" value="50">
<output></output></label>
<details><summary>Answer</summary><p><strong>{right}.</strong> {because} Look it up: {source}.</p></details>
</fieldset>"""
QUIZ = """\
<form class="quiz">
{items}
<p class="pst-js-only"><button type="button" class="again">Show my diagram</button>
<button type="reset" class="again">Answer again</button></p>
<p class="quiz-says" role="status"></p>
<figure class="quiz-result" hidden>{empty}</figure>
</form>"""
EMPTY = """\
<svg viewBox="-11 -9 116 126" role="img" aria-label="Your reliability diagram, as in the table"></svg>
<figcaption>Points: your answers, grouped by how sure you were. Bars: where each point of a calibrated reader
lies in at least 95 of 100 rounds. Dashed: right as often as said.</figcaption>
<table class="table">
<thead><tr><th>You said</th><th>You were right</th><th>A calibrated reader</th></tr></thead>
<tbody></tbody></table>"""


class Quiz(SphinxDirective):
    """The questions of the file that the argument names, beside the page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the questions as they are asked."""
        name, path = self.env.relfn2path(self.arguments[0])
        for source in (name, __file__):
            self.env.note_dependency(source)
        with open(path, encoding="utf-8", newline="") as file:
            rows = [{key: escape(text) for key, text in row.items()} for row in csv.DictReader(file)]
        items = "\n".join(ITEM.format(number=number, **row) for number, row in enumerate(rows, 1))
        return [nodes.raw("", QUIZ.format(items=items, empty=EMPTY), format="html")]
