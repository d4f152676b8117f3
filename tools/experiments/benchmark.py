"""Measure the companion beside the libraries people use, and write what `book/reference/benchmarks` shows.

    make benchmark                                          everything, in the environment .venv-benchmark
    .venv-benchmark/bin/python tools/experiments/benchmark.py WORD...   jobs with a word; writes nothing

One process, one thread, its processor time. Ours and the peer's runs take turns, so that a busy machine slows
both; a ratio is that of the medians. Each job's results are compared before they are timed. Extra memory is
what a process with this job alone grows by during a call, at its peak, over what it held before (Linux only).
"""

import ctypes
import gc
import json
import os
import statistics
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import calibration_lessons as cl
from tools.experiments.running import ROOT, processor, versions

RESULTS = ROOT / "book/reference/benchmarks.json"
LIBRARIES = (
    "numpy", "scipy", "scikit-learn", "dask", "torch", "torchmetrics", "relplot", "calzone-tool", "netcal",
    "pycalib", "betacal", "venn-abers", "statsmodels", "dcurves",
)  # fmt: skip
RUNS, SECONDS = 5, 1.0  # at least so many runs each, and more of the short ones
MIB = 2**20

Array = NDArray[Any]
Call = Callable[[], Any]


class Job(NamedTuple):
    """One job that both sides do, on n rows of k classes.

    `limit` is the largest ratio to the peer's time, `memory` the largest extra memory in bytes; `tolerance`
    is how far the two results may lie apart.
    """

    calls: Callable[[Array, Array], tuple[Call, Call]]
    name: str
    peer: str
    n: int
    k: int
    limit: float
    memory: float
    tolerance: float

    def sides(self) -> tuple[Call, Call]:
        """Make the input, of which only one at a time lies in memory; return our call and the peer's."""
        return self.calls(*(binary(self.n) if self.k == 1 else network(self.n, self.k)))


JOBS: list[Job] = []


def job(name: str, peer: str, n: int, k: int = 1, **limits: float) -> Callable[[Any], Any]:
    """List a job: of its input, a function makes our call and the peer's."""

    def listed(calls: Any) -> Any:
        JOBS.append(Job(calls, name.format(size(n, k)), peer, n, k, **limits))
        return calls

    return listed


def binary(n: int) -> tuple[Array, Array]:
    """Over-confident scores in (0, 1), and labels."""
    generator = np.random.default_rng(0)
    scores = generator.beta(0.7, 0.7, n).clip(1e-6, 1 - 1e-6)
    return scores, (generator.random(n) < 0.2 + 0.6 * scores).astype(np.int64)


def network(n: int, n_classes: int, seed: int = 0) -> tuple[Array, Array]:
    """Over-confident logits in single precision, as networks give them, and labels."""
    generator = np.random.default_rng(seed)
    logits = generator.standard_normal((n, n_classes), dtype=np.float32)
    labels = generator.integers(0, n_classes, n)
    logits *= 2
    logits[np.arange(n), labels] += 4 * generator.random(n, dtype=np.float32)
    return logits, labels


def size(n: int, n_classes: int) -> str:
    """Write the size of an input as a person would."""
    exponent = len(str(n)) - 1
    rows = f"{n // 10**exponent}e{exponent}"
    return rows if n_classes == 1 else f"{rows} x {n_classes}"


@job("ECE, {} confidences", "relplot", 10**6, limit=1.4, memory=2 * MIB, tolerance=1e-6)
def ece_of_confidences(scores: Array, labels: Array) -> tuple[Call, Call]:
    """Full statistics per bin on our side, the error alone on the peer's."""
    from relplot.metrics import binnedECE

    return (
        lambda: cl.expected_calibration_error(labels, scores),
        lambda: binnedECE(scores, labels, nbins=15),
    )


@job("ECE, {} confidences", "torchmetrics", 10**6, limit=0.3, memory=2 * MIB, tolerance=1e-6)
def ece_of_confidences_torch(scores: Array, labels: Array) -> tuple[Call, Call]:
    """Compare the same error of the same confidences."""
    import torch
    from torchmetrics.functional.classification import binary_calibration_error

    theirs = torch.from_numpy(scores), torch.from_numpy(labels)
    return (
        lambda: cl.expected_calibration_error(labels, scores),
        lambda: float(binary_calibration_error(*theirs, n_bins=15)),
    )


@job("ECE from probabilities, {}", "torchmetrics", 10**6, 10, limit=0.35, memory=12 * MIB, tolerance=1e-3)
def ece_of_probabilities(logits: Array, labels: Array) -> tuple[Call, Call]:
    """Top label, 15 bins."""
    return ece_beside_torchmetrics(cl.softmax(logits).astype(np.float32), labels, from_logits=False)


@job("ECE from logits, {}", "torchmetrics", 10**6, 10, limit=0.15, memory=12 * MIB, tolerance=1e-3)
def ece_beside_torchmetrics(values: Array, labels: Array, from_logits: bool = True) -> tuple[Call, Call]:
    """Top label, 15 bins; the peer takes both for what they are."""
    import torch
    from torchmetrics.functional.classification import multiclass_calibration_error

    theirs = torch.from_numpy(values), torch.from_numpy(labels)
    return (
        lambda: cl.expected_calibration_error(labels, values, from_logits=from_logits),
        lambda: float(multiclass_calibration_error(*theirs, num_classes=10, n_bins=15)),
    )


@job("ECE from logits, {}", "calzone + softmax", 50_000, 1000, limit=0.5, memory=4 * MIB, tolerance=1e-5)
def ece_beside_calzone(logits: Array, labels: Array) -> tuple[Call, Call]:
    """Top label, 15 bins; the peer starts from probabilities, so SciPy's softmax is part of its time."""
    from calzone.metrics import calculate_ece_mce
    from calzone.utils import reliability_diagram
    from scipy.special import softmax

    def theirs() -> float:
        accuracy, confidence, _, counts = reliability_diagram(labels, softmax(logits, axis=1), num_bins=15)
        return float(calculate_ece_mce(accuracy, confidence, counts)[0])

    return lambda: cl.expected_calibration_error(labels, logits, from_logits=True), theirs


def temperature(logits: Array, labels: Array) -> tuple[Call, Call]:
    """Fit the peer's own class, without the cross-fitting around it."""
    from sklearn.calibration import _TemperatureScaling

    return (
        lambda: cl.TemperatureScaling().fit(logits, labels).temperature_,
        lambda: 1 / float(_TemperatureScaling().fit(logits, labels).beta_),
    )


def consistency(logits: Array, labels: Array) -> tuple[Call, Call]:
    """No library has it: the peer is SciPy's root finder on the mean of the largest probability."""
    from scipy.optimize import brentq

    def theirs() -> float:
        gaps = logits - logits.max(axis=1, keepdims=True)
        accuracy = float((logits.argmax(axis=1) == labels).mean())

        def excess(t: float) -> float:
            return float((1 / np.exp(gaps / t).sum(axis=1)).mean(dtype=np.float64)) - accuracy

        return float(brentq(excess, 0.05, 20))

    return lambda: cl.ExpectationConsistency().fit(logits, labels).temperature_, theirs


for n, k in ((10**5, 10), (5 * 10**4, 100), (5 * 10**4, 1000)):
    memory = n * k / 4 + 16 * n + 2 * MIB  # a sixteenth of the logits, and two numbers a row
    job("T by NLL, {}", "scikit-learn", n, k, limit=0.15, memory=memory, tolerance=1e-3)(temperature)
    job("EC, {}", "SciPy brentq", n, k, limit=0.2, memory=memory, tolerance=1e-3)(consistency)


@job("Platt, {}", "scikit-learn", 10**6, limit=0.15, memory=8 * MIB, tolerance=1e-3)
def platt(scores: Array, labels: Array) -> tuple[Call, Call]:
    """Platt's targets on both sides."""
    from scipy.special import expit, logit
    from sklearn.calibration import _SigmoidCalibration

    log_odds, theirs = logit(scores), _SigmoidCalibration()
    return (
        lambda: cl.PlattScaling().fit(log_odds, labels).predict_proba([1.0])[0, 1],
        lambda: expit(-(theirs.fit(log_odds, labels).a_ + theirs.b_)),
    )


@job("beta, {}", "betacal", 10**6, limit=1.0, memory=64 * 10**6, tolerance=1e-3)
def beta(scores: Array, labels: Array) -> tuple[Call, Call]:
    """Fit, then predict one probability; the peer stops earlier: its fourth digit differs."""
    from betacal import BetaCalibration

    return (
        lambda: cl.BetaCalibration().fit(scores, labels).predict_proba([0.9])[0, 1],
        lambda: BetaCalibration().fit(scores, labels).predict([0.9])[0],
    )


@job("isotonic, {}", "scikit-learn", 10**6, limit=0.6, memory=64 * 10**6, tolerance=1e-6)
def isotonic(scores: Array, labels: Array) -> tuple[Call, Call]:
    """Fit, then predict the same million scores."""
    from sklearn.isotonic import IsotonicRegression

    theirs = IsotonicRegression(out_of_bounds="clip")
    return (
        lambda: cl.IsotonicCalibration().fit(scores, labels).predict_proba(scores)[:, 1],
        lambda: theirs.fit(scores, labels).predict(scores),
    )


@job("multi-class isotonic, {}", "scikit-learn", 10**5, 10, limit=0.9, memory=80 * 10**6, tolerance=1e-5)
def multi_class_isotonic(logits: Array, labels: Array) -> tuple[Call, Call]:
    """Fit on all rows and classes, then predict the same rows."""
    from sklearn.isotonic import IsotonicRegression

    p, theirs = cl.softmax(logits).astype(np.float64), IsotonicRegression(out_of_bounds="clip")
    hits = (labels[:, None] == np.arange(p.shape[1])).ravel()

    def peer() -> Any:
        risen = theirs.fit(p.ravel(), hits).predict(p.ravel()).reshape(p.shape)
        return risen / risen.sum(axis=1, keepdims=True)

    return lambda: cl.MultiClassIsotonic(0).fit(p, labels).predict_proba(p), peer


@job("Venn-Abers, {}", "venn-abers", 10**5, limit=0.1, memory=24 * 10**6, tolerance=1e-12)
def venn_abers(scores: Array, labels: Array) -> tuple[Call, Call]:
    """Fit, then predict as many scores; both give an interval on the way."""
    from venn_abers.venn_abers import calc_p0p1, calc_probs

    two = np.stack([1 - scores, scores], axis=1)
    return (
        lambda: cl.VennAbersCalibration().fit(scores, labels).predict_proba(scores)[:, 1],
        lambda: calc_probs(*calc_p0p1(two, labels), two)[0][:, 1],
    )


@job("histogram binning, {}", "netcal", 10**6, limit=0.25, memory=32 * 10**6, tolerance=1e-6)
def histogram_binning(scores: Array, labels: Array) -> tuple[Call, Call]:
    """Fit, then predict the same million scores; our output holds both classes."""
    from netcal.binning import HistogramBinning

    theirs = HistogramBinning(bins=15)
    return (
        lambda: cl.HistogramBinning().fit(scores, labels).predict_proba(scores)[:, 1],
        lambda: theirs.fit(scores, labels).transform(scores),
    )


@job("matrix scaling, {}", "scikit-learn", 5000, 10, limit=0.5, memory=8 * MIB, tolerance=1e-2)
def matrix_scaling(logits: Array, labels: Array) -> tuple[Call, Call]:
    """Choose the penalty of a full matrix by cross-validation, then predict; the peer pulls towards zero."""
    from sklearn.linear_model import LogisticRegressionCV

    rows = logits.astype(np.float64)
    theirs = LogisticRegressionCV(l1_ratios=(0,), scoring="neg_log_loss", use_legacy_attributes=False)
    return (
        lambda: cl.MatrixScaling("full").fit(rows, labels).predict_proba(rows).max(axis=1).mean(),
        lambda: theirs.fit(rows, labels).predict_proba(rows).max(axis=1).mean(),
    )


@job("Spiegelhalter's z, {}", "calzone", 10**6, limit=1.0, memory=80 * 10**6, tolerance=1e-6)
def spiegelhalter(scores: Array, labels: Array) -> tuple[Call, Call]:
    """Test whether a million forecasts are calibrated."""
    from calzone.metrics import spiegelhalter_z_test

    two = np.stack([1 - scores, scores], axis=1).astype(np.float64)
    return (
        lambda: cl.calibration_test(labels, two[:, 1], method="spiegelhalter").statistic,
        lambda: spiegelhalter_z_test(labels, two)[0],
    )


@job("Brier, {}", "pycalib", 50_000, 1000, limit=0.6, memory=16 * MIB, tolerance=5e-3)
@job("Brier, {}", "pycalib", 10**6, 10, limit=0.6, memory=16 * MIB, tolerance=5e-3)  # this one first
def brier(logits: Array, labels: Array) -> tuple[Call, Call]:
    """Score labels; the peer asks for them one-hot and takes the mean over the classes."""
    from pycalib.metrics import brier_score

    p, k = cl.softmax(logits).astype(np.float32), logits.shape[1]
    one_hot = np.eye(k, dtype=np.float32)
    return lambda: cl.brier_score(labels, p), lambda: k * brier_score(one_hot[labels], p)


@job("calibration slope, {}", "statsmodels", 10**5, limit=0.5, memory=8 * MIB, tolerance=1e-6)
def slope(scores: Array, labels: Array) -> tuple[Call, Call]:
    """Slope and intercept of a logistic regression on the log-odds."""
    from scipy.special import logit
    from statsmodels.api import Logit, add_constant

    def ours() -> list[float]:
        line = cl.calibration_slope_intercept(labels, scores)
        return [line.intercept, line.slope]

    return ours, lambda: Logit(labels, add_constant(logit(scores))).fit(disp=0).params


@job("net benefit, {}", "dcurves", 10**5, limit=0.3, memory=8 * MIB, tolerance=1e-9)
def net_benefit(scores: Array, labels: Array) -> tuple[Call, Call]:
    """Net benefit at 99 thresholds."""
    import pandas as pd
    from dcurves import dca

    thresholds = np.arange(1, 100) / 100
    data = pd.DataFrame({"came": labels, "model": scores})

    def theirs() -> Any:
        found = dca(data, "came", ["model"], thresholds=thresholds)
        return found.loc[found.model == "model", "net_benefit"]

    return lambda: cl.net_benefit(labels, scores, thresholds), theirs


def memory_field(name: str) -> int:
    """Bytes that Linux states of this process under a name: VmRSS, or VmHWM, the peak."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith(name + ":"))


def extra_memory(call: Call) -> float:
    """Bytes by which the process grows during a call, at its peak; the result counts."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # else memory that is free, but not given back, would hide what is used
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts anew
    before = memory_field("VmRSS")
    call()
    return memory_field("VmHWM") - before


def seconds(call: Call) -> float:
    """Time one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def measure(place: int, job: Job) -> dict[str, Any]:
    """Compare, then time both sides in turn; their memory is measured in a process that did no job before.

    Times are in seconds, memory in bytes beyond what the process held.
    """
    our_call, their_call = job.sides()
    apart = float(np.abs(np.asarray(our_call()) - np.asarray(their_call())).max())
    if not apart <= job.tolerance:
        raise SystemExit(f"{job.name}: {apart:.3g} apart from {job.peer}, more than {job.tolerance:g}")
    ours, theirs = [], []
    while len(ours) < RUNS or sum(ours) + sum(theirs) < SECONDS:
        ours.append(seconds(our_call))
        theirs.append(seconds(their_call))
    alone = [sys.executable, __file__, MEMORY, str(place)]
    memory, peer_memory = json.loads(subprocess.run(alone, capture_output=True, text=True, check=True).stdout)
    return {
        "name": job.name, "peer": job.peer, "limit": job.limit, "memory_limit": job.memory,
        "seconds": statistics.median(ours), "peer_seconds": statistics.median(theirs),
        "memory": memory, "peer_memory": peer_memory, "runs": len(ours),
    }  # fmt: skip


def growth() -> Iterator[dict[str, float]]:
    """Our time for more rows and for more classes, beside one read of the input and one exp a logit."""
    rows = [(n, 10) for n in (10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6)]
    columns = [(20_000, k) for k in (2, 5, 10, 30, 100, 300, 1000)]
    for n, k in dict.fromkeys(rows + columns):
        yield {"n": n, "k": k, **costs(*network(n, k))}


def costs(logits: Array, labels: Array) -> dict[str, float]:
    """Median seconds of two of our functions and of the two limits; the exp stays in the cache."""
    block = logits.ravel()[: 2**15].copy()
    calls: dict[str, Call] = {
        "ece": lambda: cl.expected_calibration_error(labels, logits, from_logits=True),
        "temperature": lambda: cl.TemperatureScaling().fit(logits, labels),
        "read": logits.max,
    }
    taken = {name: statistics.median(seconds(call) for _ in range(7)) for name, call in calls.items()}
    blocks = logits.size / block.size
    return taken | {"exp": blocks * statistics.median(seconds(lambda: np.exp(block)) for _ in range(200))}


OVER_DASK, MEMORY = "--over-dask", "--memory"
BLOCK_ROWS = 500_000


def over_dask() -> dict[str, dict[str, float]]:
    """Seconds and peak bytes of all processes together, for data that never lie in memory together."""
    import dask.array as da
    from dask import delayed
    from dask.distributed import Client, LocalCluster

    from calibration_lessons.deployment import scale

    def lazily(n: int) -> tuple[Any, Any]:
        made = [delayed(network, nout=2)(BLOCK_ROWS, 10, seed) for seed in range(n // BLOCK_ROWS)]
        logits = [da.from_delayed(one, (BLOCK_ROWS, 10), dtype=np.float32) for one, _ in made]
        labels = [da.from_delayed(one, (BLOCK_ROWS,), dtype=np.int64) for _, one in made]
        return da.concatenate(labels), da.concatenate(logits)

    def ece() -> None:
        scale.expected_calibration_error(*lazily(10**8), from_logits=True)

    def temperature() -> None:
        labels, logits = lazily(2 * 10**7)
        scale.fit(cl.TemperatureScaling(), logits, labels)

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster):
        return {
            f"ECE from logits, {size(10**8, 10)}": watched(ece),
            f"T by NLL, {size(2 * 10**7, 10)}": watched(temperature),
        }


def watched(call: Call) -> dict[str, float]:
    """Seconds of a call, and the most memory that this process and its children held together."""
    me, peak, done = psutil.Process(), 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.05):
            peak = max(peak, sum(one.memory_info().rss for one in [me, *me.children(recursive=True)]))

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    call()
    taken = time.perf_counter() - start
    done.set()
    watcher.join()
    return {"seconds": taken, "memory": peak}


IMPORT = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"


def import_seconds(*modules: str, runs: int = 11) -> list[float]:
    """Median seconds that fresh processes take to import each of some modules, in turn."""
    taken: dict[str, list[float]] = {module: [] for module in modules}
    for _ in range(runs):
        for module in modules:
            fresh = [sys.executable, "-c", IMPORT.format(module)]
            taken[module].append(float(subprocess.check_output(fresh)))
    return [statistics.median(times) for times in taken.values()]


def report(of: dict[str, Any]) -> str:
    """Write one line of progress."""
    ratio = of["seconds"] / of["peer_seconds"]
    met = ratio <= of["limit"] and of["memory"] <= of["memory_limit"]
    return (
        f"{of['name']:33}{1e3 * of['seconds']:8.1f} ms, {of['peer']:18}{1e3 * of['peer_seconds']:9.1f} ms: "
        f"{ratio:6.3f} of {of['limit']:<5g}{of['memory'] / MIB:7.1f} of {of['memory_limit'] / MIB:5.1f} MiB"
        f"{'' if met else '  MISSED'}"
    )


def memory_of(job: Job) -> list[float]:
    """Extra memory of both sides, once both have loaded what they need.

    The median of three calls: now and then the allocator takes a page or two of its own.
    """
    sides = job.sides()
    for call in sides:
        call()
    return [statistics.median(extra_memory(call) for _ in range(3)) for call in sides]


def main(words: list[str]) -> None:
    """Run the jobs, with a line each; without words also the rest, and write the results."""
    warnings.filterwarnings("ignore")
    import torch

    torch.set_num_threads(1)
    with threadpool_limits(1):
        if words[:1] == [MEMORY]:
            print(json.dumps(memory_of(JOBS[int(words[1])])))
            return
        results = []
        for place, job in enumerate(JOBS):
            if not words or any(word.lower() in job.name.lower() for word in words):
                results.append(measure(place, job))
                print(report(results[-1]), flush=True)
        if words:
            return
        print("how the time grows ...", flush=True)
        points = list(growth())
    print("the import ...", flush=True)
    ours, theirs = import_seconds("calibration_lessons", "sklearn")
    print("over Dask ...", flush=True)
    lazy = subprocess.run([sys.executable, __file__, OVER_DASK], capture_output=True, text=True, check=True)
    written = {
        "command": "make benchmark",
        "machine": {"cpu": processor(), "cores": str(os.cpu_count()), **versions(*LIBRARIES)},
        "jobs": results,
        "growth": points,
        "import": {"calibration_lessons": ours, "scikit-learn": theirs},
        "dask": json.loads(lazy.stdout),
    }
    RESULTS.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if OVER_DASK in sys.argv:
        print(json.dumps(over_dask()))
    else:
        main(sys.argv[1:])
