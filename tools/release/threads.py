"""One thread a process, for the tests, their kernels, and the notebooks that `make notebooks` executes.

They run side by side, one process per core. More threads would wait for each other (a grid search over small
matrices took thirty times as long), and sums come out the same on every machine.
"""

ONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
