"""Tests with libraries that the lock does not hold; `make check-integrations` has them, and says so."""

import os

collect_ignore_glob = [] if "INTEGRATIONS" in os.environ else ["*.py"]
