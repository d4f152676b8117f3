"""The folder of a class, in nbgrader's arrangement, and the record of what became of each submission."""

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from classroom.submission import ROOT

ASSIGNMENTS = ROOT / "assignments"
os.environ["PATH"] += f"{os.pathsep}{Path(sys.executable).parent}"  # nbgrader calls `alembic` from there


@dataclass(frozen=True)
class Course:
    """The folder that holds a class, in nbgrader's arrangement, and the sources of the problem sets."""

    folder: Path
    sources: Path = ASSIGNMENTS / "source"

    def checks(self, name: str) -> Path:
        """Where the questions of a set stand, with their hidden cases."""
        return self.sources / name / "checks.py"

    @property
    def word(self) -> str:
        """The class's word, which changes its numbers and hidden inputs; empty where it has none."""
        path = self.folder / "word"
        return path.read_text("utf-8").strip() if path.exists() else ""

    @property
    def sign(self) -> str:
        """What the sheets hold of the word: numbers follow from it, the word does not."""
        return hashlib.sha256(f"sheet {self.word}".encode()).hexdigest()[:8] if self.word else ""

    def place(self, step: str, student: str, name: str, kind: str = "ipynb") -> Path:
        """Where a student's notebook or page lies after one of nbgrader's steps."""
        return self.folder / step / student / name / f"{name}.{kind}"

    def record(self, student: str, name: str) -> Path:
        """Where it says what became of a submission."""
        return self.folder / "records" / name / f"{student}.json"

    @property
    def database(self) -> str:
        """The address of the gradebook."""
        return f"sqlite:///{self.folder.resolve() / 'gradebook.db'}"

    @contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        """Open the gradebook; nbgrader makes it where there is none."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with Gradebook(self.database, "calibration_lessons") as book:
            yield book

    @property
    def config(self) -> Config:
        """Nbgrader's settings for this folder."""
        config = PyFileConfigLoader("nbgrader_config.py", path=str(ASSIGNMENTS)).load_config()
        config.CourseDirectory.root = str(self.folder.resolve())
        return config


@dataclass
class Record:
    """What became of a submission."""

    student: str
    digest: str  # of the submission and the set; empty where it has to be graded again
    points: float | None = None  # none where the submission has none
    possible: float = 0.0
    remarks: list[str] = field(default_factory=list)
    seconds: float = 0.0
    signed: str | None = None  # the student number whose numbers the notebook worked with
    verdicts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """What each question earned, case by case."""
    letters: dict[str, str] = field(default_factory=dict)
    """The text that answers each question which a person reads, when it was last graded."""

    @property
    def result(self) -> str:
        """What became of it in a word or two."""
        return "not graded" if not self.digest else "refused" if self.points is None else "graded"

    def __str__(self) -> str:
        said = self.result + ("" if self.points is None else f" {self.points:g}/{self.possible:g}")
        return said + "".join(f"; {remark}" for remark in self.remarks)


def read_record(course: Course, student: str, name: str) -> Record | None:
    """Read what became of a submission; None where nothing did."""
    with suppress(OSError, ValueError, TypeError):
        return Record(**json.loads(course.record(student, name).read_text("utf-8")))
    return None


def write_record(course: Course, record: Record, name: str) -> None:
    """Write what became of a submission in one step: an interruption leaves the old record or the new."""
    path = course.record(record.student, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".half")
    half.write_text(json.dumps(asdict(record)), encoding="utf-8")
    half.replace(path)
