"""Collect the notebooks: nbval compares each output, and the same run evaluates each bound number anew."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nbval.plugin import IPyNbFile

from tools.binding import kernels
from tools.binding import marks as binding
from tools.release import threads

os.environ |= threads.ONE
kernels.use_forks()
collect_ignore_glob = ["book/use/programs/*.py"]  # make check-integrations runs them


def pytest_configure(config: pytest.Config) -> None:
    """Set nbval's options here: the sdist's tests run where there is no nbval, hence no such option."""
    config.option.nbval_current_env, config.option.nbval_cell_timeout = True, 300


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Notebook | None:
    """Take the place of nbval's own collection (the option --nbval), which leaves text cells out."""
    return Notebook.from_parent(parent, path=file_path) if file_path.suffix == ".ipynb" else None


class Notebook(IPyNbFile):
    """A notebook, executed once: its code cells, and between them its text cells that hold marks."""

    def setup(self) -> None:
        """Start a kernel; another one where a process took a port that was chosen for the first."""
        try:
            super().setup()
        except RuntimeError:
            super().setup()

    def collect(self) -> Iterator[pytest.Item]:
        """Put the items in the order of the cells."""
        code = iter(list(super().collect()))
        for number, cell in enumerate(self.nb.cells, start=1):
            if cell.cell_type == "code":
                yield next(code)
            elif binding.MARK.search(cell.source):
                name = f"Text of cell {number}"
                yield BoundText.from_parent(self, name=name, number=number, source=cell.source)


class BoundText(pytest.Item):
    """A text cell whose numbers and claims the running kernel gives."""

    def __init__(self, *, number: int, source: str, **options: Any) -> None:
        super().__init__(**options)
        self.place, self.source = f"{self.path.relative_to(self.config.rootpath)}: cell {number}", source

    def runtest(self) -> None:
        """Ask the kernel, and compare."""
        marks = binding.find(self.source, self.place)
        texts, problems = binding.settle(marks, self.ask(binding.questions(marks)), self.place)
        problems += [
            str(mark.fail(self.place, f"gives {text}, the text says {mark.text}", "run make notebooks"))
            for mark, text in zip(marks, texts, strict=True)
            if text != mark.text
        ]
        if problems:
            raise binding.BindingError("\n".join(problems))

    def ask(self, questions: dict[str, str]) -> dict[str, Any]:
        """Evaluate expressions without a trace: no count, no output."""
        client = self.parent.kernel.kc
        message = client.execute("", silent=True, user_expressions=questions)
        while True:
            reply = client.get_shell_msg(timeout=self.config.option.nbval_cell_timeout)
            if reply["parent_header"].get("msg_id") == message:
                return dict(reply["content"]["user_expressions"])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:
        """Show the message of a mark alone."""
        if isinstance(excinfo.value, binding.BindingError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name the notebook and the cell."""
        return self.path, None, self.name
