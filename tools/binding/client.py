"""The kernel's side of `notebooks.py`: run the code cells, and bind each text cell at its place."""

from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbclient.util import ensure_async
from nbformat import NotebookNode

from tools.binding import marks as binding


class Client(NotebookClient):
    """Execute a notebook; write the numbers of its text on the way, and collect what cannot be bound."""

    def __init__(self, notebook: NotebookNode, path: Path, timeout: int) -> None:
        super().__init__(
            notebook,
            timeout=timeout,
            kernel_name="python3",
            record_timing=False,
            store_widget_state=False,
            shutdown_kernel="immediate",
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": str(path.parent)}},
        )
        self.problems: list[str] = []
        self.running: tuple[int, NotebookNode] | None = None  # the cell that was started last

    async def async_execute_cell(
        self, cell: NotebookNode, cell_index: int, *arguments: Any, **options: Any
    ) -> NotebookNode:
        """Run a code cell, or bind a text cell to what stands above it."""
        if cell.cell_type == "code":
            self.running = cell_index + 1, cell
        cell = await super().async_execute_cell(cell, cell_index, *arguments, **options)
        if cell.cell_type == "markdown":
            await self.bind(cell, f"cell {cell_index + 1}")
        return cell

    async def bind(self, cell: NotebookNode, place: str) -> None:
        """Write the numbers of a text cell. A silent request leaves no trace: no count, no output."""
        try:
            marks = binding.find(cell.source, place)
        except binding.BindingError as problem:
            self.problems.append(str(problem))
            return
        if marks:
            asked = binding.questions(marks)
            message = await ensure_async(self.kc.execute("", silent=True, user_expressions=asked))
            reply = await self.async_wait_for_reply(message)
            texts, problems = binding.settle(marks, reply["content"]["user_expressions"], place)
            values = binding.values(marks, reply["content"]["user_expressions"])
            cell.source = binding.write(cell.source, marks, texts)
            cell.metadata["values"] = binding.settled(values, cell.metadata.get("values", {}))
            self.problems += problems
