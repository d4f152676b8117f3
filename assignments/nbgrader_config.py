"""Settings of the nbgrader course, for this folder, for a class's own folder, and for a server.

JupyterLab, started in the folder of a class, reads it for Formgrader. A server keeps a copy in
`/etc/jupyter`, so that students find the course and the exchange.
"""

import os

c = get_config()  # noqa: F821  (nbgrader defines it)

c.CourseDirectory.course_id = "calibration_lessons"
c.Exchange.root = os.environ.get("NBGRADER_EXCHANGE", "/srv/nbgrader/exchange")
c.Execute.timeout = 120  # seconds a cell; a loop without end costs its points, and the grading goes on
c.OverwriteCells.add_missing_cells = True  # a test that was deleted is put back, and fails
c.ClearOutput.remove_metadata_fields = {"collapsed", "scrolled", "digest"}  # a solution's tells of it
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "checks.py"]  # the hidden cases
