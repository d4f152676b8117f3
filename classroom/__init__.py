"""What teachers run: release, collect, grade, feedback, export. `python -m classroom --help` lists it."""
