"""The directive `quiz` asks the questions of a table, each with a confidence.

Without scripts they are a list with answers in folds; `book/assets/quiz.js` draws the reader's own diagram.
"""

import csv

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from tools.site.repairs import filled


class Quiz(SphinxDirective):
    """The questions of the file that the argument names, beside the page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the questions as they are asked."""
        name, path = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(name)
        with open(path, encoding="utf-8", newline="") as file:
            text = filled("quiz.html", self.env, rows=list(csv.DictReader(file)))
        return [nodes.raw("", text, format="html")]
