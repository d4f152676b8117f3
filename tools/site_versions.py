"""A Sphinx extension: pages say for which version of the companion they were made, and lead to other ones.

The newest site stands at the address `site` in `[tool.release]` of `pyproject.toml`. The sites of older
versions that `versions` names there stay below it, each in a folder of its name. `versions.json` at that
address tells the pages of all of them, old ones, too, where a reader finds the same page in another version.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

ROOT = Path(__file__).resolve().parents[1]
FILE = "versions.json"
SAID = "<p>Made for version {version} of <code>calibration_lessons</code></p>"


def add_switcher(app: Sphinx, config: Config) -> None:
    """Have the theme write the version, and a list of versions where the site has an address."""
    options: dict[str, Any] = {"extra_footer": SAID.format(version=config.release)}
    if config.html_baseurl:
        options |= {
            "switcher": {"json_url": config.html_baseurl + FILE, "version_match": config.release},
            "check_switcher": False,  # it is published with this build
            "show_version_warning_banner": True,
            "primary_sidebar_end": ["version-switcher"],
        }
    config.html_theme_options = config.html_theme_options | options


def published(newest: str, older: list[str], site: str) -> list[dict[str, Any]]:
    """List the versions and where their sites are.

    >>> [version["url"] for version in published("0.2.0", ["0.1.0"], "https://example.org/")]
    ['https://example.org/', 'https://example.org/0.1.0/']
    """
    first = {"name": f"{newest} (newest)", "version": newest, "url": site, "preferred": True}
    return [first, *({"name": v, "version": v, "url": f"{site}{v}/"} for v in older)]


def write_versions(app: Sphinx, error: Exception | None) -> None:
    """Write the list at the root of the site."""
    site = app.config.html_baseurl
    if not error and app.builder.name == "html" and site:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
        listed = published(app.config.release, project["tool"]["release"]["versions"], site)
        (Path(app.outdir) / FILE).write_text(json.dumps(listed, indent=1) + "\n", "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the above, behind `site_found`, which sets the address."""
    app.connect("config-inited", add_switcher, priority=410)
    app.connect("build-finished", write_versions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
