"""Settings of the nbgrader course, for this folder, for a class's own folder, and for a server.

JupyterLab, started in the folder of a class, reads it for Formgrader. A server keeps a copy in
`/etc/jupyter`, so that students find the course and the exchange.
"""

import os

from nbconvert.exporters import NotebookExporter


class Refused(NotebookExporter):
    """Refuses nbgrader's own autograder: it has no sandbox, and takes the visible checks for the grade."""

    def __init__(self, **_):
        raise RuntimeError("grade with `python -m classroom grade`, in the folder of the course")


c = get_config()  # noqa: F821  (nbgrader defines it)

c.CourseDirectory.course_id = "calibration_lessons"
c.Exchange.root = os.environ.get("NBGRADER_EXCHANGE", "/srv/nbgrader/exchange")
c.Autograde.exporter_class = Refused  # Formgrader has a button for it
c.OverwriteCells.add_missing_cells = True  # a test that was deleted is put back, and fails
c.ClearOutput.remove_metadata_fields = {"collapsed", "scrolled", "digest"}  # a solution's tells of it
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "checks.py"]  # the hidden cases
c.HTMLExporter.mathjax_url = "data:,"  # Formgrader loads nothing from another host; formulas stay TeX
