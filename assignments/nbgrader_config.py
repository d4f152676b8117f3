"""Settings of the nbgrader course, for this folder, for a class's own folder, and for a server.

JupyterLab, started in the folder of a class, reads it for Formgrader. A server keeps a copy in
`/etc/jupyter`, so that students find the course and the exchange.
"""

import os

from nbconvert.exporters import NotebookExporter
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor


class Refused(NotebookExporter):
    """Refuses nbgrader's own autograder: it has no sandbox, and takes the visible checks for the grade."""

    def __init__(self, **_):
        raise RuntimeError("grade with `python -m classroom grade`, in the folder of the course")


class Alone(CSSHTMLHeaderPreprocessor):
    """Lets a submission's page in Formgrader load nothing from another host; its formulas stay TeX.

    nbgrader's template names MathJax's host and has no setting for it, but it writes the styles before.
    """

    def preprocess(self, nb, resources):
        """Add to the styles what ends them: a rule for the browser, and something for the page's script."""
        super().preprocess(nb, resources)
        own = "default-src 'self' 'unsafe-inline' data:"
        rule = f'<meta http-equiv="Content-Security-Policy" content="{own}">'
        absent = "<script>MathJax = {Hub: {Startup: {signal: {Interest: f => f('End')}}}}</script>"
        resources["inlining"]["css"].append(f"</style>{rule}{absent}<style>")
        return nb, resources


c = get_config()  # noqa: F821  (nbgrader defines it)

c.CourseDirectory.course_id = "calibration_lessons"
c.Exchange.root = os.environ.get("NBGRADER_EXCHANGE", "/srv/nbgrader/exchange")
c.Autograde.exporter_class = Refused  # Formgrader has a button for it
c.OverwriteCells.add_missing_cells = True  # a test that was deleted is put back, and fails
c.ClearOutput.remove_metadata_fields = {"collapsed", "scrolled", "digest"}  # a solution's tells of it
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "checks.py"]  # the hidden cases
c.HTMLExporter.preprocessors = [Alone]
c.CSSHTMLHeaderPreprocessor.enabled = False  # Alone does its work
