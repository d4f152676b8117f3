"""A Sphinx extension: notebooks run elsewhere, on Binder, on Colab or alone on the reader's machine.

A notebook that is downloaded from the site begins with a cell that says what to install. Where
`[tool.release]` in `pyproject.toml` names a repository on GitHub, pages of notebooks have buttons for Binder,
which finds its set-up in `.binder/`, and for Colab, which opens the notebooks of the published site, on the
branch `gh-pages`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [] if str(ROOT) in sys.path else [str(ROOT)]

from tools.release import addresses  # noqa: E402

GITHUB = "https://github.com/"
MADE = """\
This notebook is a page of *{project}*, version {version}{where}. It needs Python 3.11 or newer, and what the
next cell installs."""
UNPUBLISHED = """\
# The companion of this course, which `make release` in its folder builds:
# %pip install "calibration-lessons[course] @ file:///FOLDER/dist/calibration_lessons-{version}-py3-none-any.whl\""""
PUBLISHED = '%pip install --quiet "calibration-lessons[course] @ git+{repository}@v{version}"'


def add_buttons(app: Sphinx, config: Config) -> None:
    """Give the theme the addresses of Binder and Colab, where there is something for them to open."""
    repository, _ = addresses(ROOT)
    if repository.startswith(GITHUB):
        config.html_theme_options = config.html_theme_options | {
            "repository_url": repository,
            "repository_branch": f"v{config.release}",
            "launch_buttons": {
                "binderhub_url": "https://mybinder.org",
                "colab_url": "https://colab.research.google.com",
                "notebook_interface": "jupyterlab",
            },
        }


def lead_to_the_site(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Let Colab open the notebook of the published site, which says what to install."""
    for group in context.get("header_buttons", []):
        for button in group.get("buttons", []) if group.get("label") == "launch-buttons" else []:
            if button["text"] == "Colab":
                branch, _, file = button["url"].partition("/blob/")
                button["url"] = f"{branch}/blob/gh-pages/_sources/{file.partition('/')[2]}"


def first_cells(version: str, project: str) -> list[dict[str, Any]]:
    """Make the cells that say where a notebook is from and what it needs."""
    repository, site = addresses(ROOT)
    where = f", [read it there]({site})" if site else ""
    command = (PUBLISHED if repository else UNPUBLISHED).format(repository=repository, version=version)
    told = MADE.format(project=project, version=version, where=where)
    code: dict[str, Any] = {"outputs": [], "execution_count": None}
    return [
        {"cell_type": "markdown", "id": "made-for", "metadata": {}, "source": told},
        {"cell_type": "code", "id": "install", "metadata": {}, "source": command, **code},
    ]


def write_first_cells(app: Sphinx, error: Exception | None) -> None:
    """Put these cells before those of each notebook that can be downloaded."""
    for path in Path(app.outdir, "_sources").rglob("*.ipynb") if not error else ():
        notebook = json.loads(path.read_text("utf-8"))
        if notebook["cells"][0].get("id") != "made-for":
            notebook["cells"][:0] = first_cells(app.config.release, app.config.project)
            path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the above; the theme makes its buttons at 501."""
    app.connect("config-inited", add_buttons)
    app.connect("html-page-context", lead_to_the_site, priority=502)
    app.connect("build-finished", write_first_cells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
