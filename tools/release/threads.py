"""One thread a process and one kernel of linear algebra, for the tests, their kernels, and `make notebooks`.

They run side by side, one process per core. More threads would wait for each other (a grid search over small
matrices took thirty times as long). OpenBLAS chooses its kernels by the processor, and sums differ in their
last digits: one is named where the processor can run it, unless the environment names another. No output
depends on it: `.ci/run` executes all notebooks under a second one.
"""

import os
from pathlib import Path

from classroom.submission import ONE_THREAD

CPU = Path("/proc/cpuinfo")
HAS_AVX2 = CPU.exists() and " avx2 " in CPU.read_text(encoding="utf-8", errors="replace")
KERNEL = {"OPENBLAS_CORETYPE": os.environ.get("OPENBLAS_CORETYPE", "Haswell")} if HAS_AVX2 else {}
ONE = ONE_THREAD | KERNEL
"""What all tests share."""
