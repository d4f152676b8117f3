"""Print what Lighthouse says of built pages on a phone, served by a plain server that does not compress.

    make benchmark-site                                     a page of each kind
    python tools/lighthouse.py book/measures/ece.html ...   the pages named

Network and processor are Lighthouse's simulated slow ones, so that little depends on the machine; still, a
busy one adds blocking time. Lighthouse is npm's (`npm install --global lighthouse`), or what the environment
variable LIGHTHOUSE names; the browser is the one that CHROMIUM names.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SITE = Path(__file__).resolve().parents[1] / "_build/html"
KINDS = [
    *("index.html", "book/quickstart.html", "book/measures/ece.html", "book/calibrators/temperature.html"),
    *("book/practice/choosing.html", "book/use/classifiers.html", "book/reference/api/calibrators.html"),
    *("book/reference/equations.html", "book/teaching/exam.html", "search.html"),
]
FLAGS = "--headless=new --no-sandbox"
SCORES = ("performance", "accessibility", "best-practices", "seo")
METRICS = {
    "first paint": "first-contentful-paint",
    "largest": "largest-contentful-paint",
    "blocking": "total-blocking-time",
    "shift": "cumulative-layout-shift",
    "bytes": "total-byte-weight",
}


class Quiet(SimpleHTTPRequestHandler):
    """Serves files as they are, without a line for each."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def main(pages: list[str]) -> None:
    """Measure and print the pages one after the other."""
    lighthouse = shutil.which(os.environ.get("LIGHTHOUSE", "lighthouse"))
    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if not lighthouse or not chromium:
        sys.exit("benchmark-site: needs Chromium and Lighthouse (npm install --global lighthouse), "
                 "or their paths in CHROMIUM and LIGHTHOUSE")  # fmt: skip
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for page in pages or KINDS:
            report = measured(lighthouse, chromium, f"http://127.0.0.1:{server.server_port}/{page}")
            print(f"{page:40} {line(report)}", flush=True)


def measured(lighthouse: str, chromium: str, url: str) -> dict[str, Any]:
    """Run Lighthouse on a page."""
    command = [lighthouse, url, "--quiet", "--output=json", f"--chrome-flags={FLAGS}"]
    done = subprocess.run(
        command, env=os.environ | {"CHROME_PATH": chromium}, stdout=subprocess.PIPE, check=True
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def line(report: dict[str, Any]) -> str:
    """Write the scores and the metrics behind the first of them in one line.

    >>> audits = {key: {"displayValue": "1.5 s"} for key in METRICS.values()}
    >>> line({"categories": {score: {"score": 0.98} for score in SCORES}, "audits": audits})[:58]
    'speed 98, access 98, practice 98, search 98; first paint 1'
    """
    names = ("speed", "access", "practice", "search")
    scores = [
        f"{name} {100 * report['categories'][key]['score']:.0f}"
        for name, key in zip(names, SCORES, strict=True)
    ]
    metrics = [f"{name} {report['audits'][key]['displayValue']}" for name, key in METRICS.items()]
    return f"{', '.join(scores)}; {', '.join(metrics)}".replace("\N{NO-BREAK SPACE}", " ")


if __name__ == "__main__":
    main(sys.argv[1:])
