"""Settings of the nbgrader course. Run nbgrader in this folder: `nbgrader generate_assignment measures`."""

c = get_config()  # noqa: F821  (nbgrader defines it)

c.CourseDirectory.course_id = "calibration_lessons"
c.Execute.timeout = 120  # seconds a cell; a loop without end costs its points, and the grading goes on
c.OverwriteCells.add_missing_cells = True  # a test that was deleted is put back, and fails
c.ClearOutput.remove_metadata_fields = {"collapsed", "scrolled", "digest"}  # a solution's tells of it
