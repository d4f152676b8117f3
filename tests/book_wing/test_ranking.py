"""The ranking of calibrators: it reads the published forms of outputs, and refuses what it cannot trust."""

import csv
import pickle

import numpy as np
import pytest

from calibration_lessons.book import datasets
from tools.experiments import ranking
from tools.experiments.running import ROOT

LOGITS, LABELS = (array[:60] for array in datasets.network_logits(0, "test"))
LOGITS = LOGITS.astype(float) / 4  # so that no probability is rounded to 0
PROBABILITIES = np.exp(LOGITS - LOGITS.max(axis=1, keepdims=True))
PROBABILITIES /= PROBABILITIES.sum(axis=1, keepdims=True)


def npz(folder):
    np.savez(folder / "a.npz", logits=LOGITS, labels=LABELS)


def named_otherwise(folder):
    np.savez(folder / "a.npz", predictions=PROBABILITIES, ground_truth=LABELS[:, None])


def npy(folder):
    np.save(folder / "val_logits.npy", LOGITS)
    np.save(folder / "val_labels.npy", LABELS)


def table(folder):
    names = [f"class {k}" for k in range(10)]
    rows = np.column_stack([LABELS, LOGITS])
    np.savetxt(folder / "a.csv", rows, delimiter=",", header=",".join(["label", *names]), comments="")


def pickled(folder):
    pair = LOGITS, LABELS[:, None]
    (folder / "a.p").write_bytes(pickle.dumps((pair, pair), protocol=3))


@pytest.mark.parametrize("write", [npz, named_otherwise, npy, table, pickled])
def test_each_form_of_the_docstring_gives_the_same_rows(tmp_path, write):
    (tmp_path / "inner").mkdir()
    write(tmp_path / "inner")
    found = list(ranking.downloaded(tmp_path))
    assert len(found) == 1 + (write is pickled)  # a pair of pairs
    for name, z, y in found:
        assert name.startswith("inner/")
        ours, theirs = (a - a.mean(axis=1, keepdims=True) for a in (LOGITS, z))
        np.testing.assert_allclose(theirs, ours, atol=1e-6)
        np.testing.assert_array_equal(y, LABELS)


class Caller:
    """A pickle that would open a door."""

    def __reduce__(self):
        return print, ("opened",)


def test_the_stored_rows_are_what_the_script_gives(monkeypatch):
    kept = {name: ranking.methods()[name] for name in ("temperature", "matrix", "matrix, one strength")}
    monkeypatch.setattr(ranking, "methods", lambda: kept)
    with (ROOT / "book/reference/ranking.csv").open(encoding="utf-8", newline="") as file:
        stored = {(row["source"], row["n"], row["method"]): row for row in csv.DictReader(file)}
    for values in ranking.table([next(ranking.here())], (100,), ranking.HALVES):
        row = dict(zip(ranking.COLUMNS, values, strict=True))
        found = stored[row["source"], str(row["n"]), row["method"]]
        for name in ("nll", "brier", "class_wise", "accuracy", "nll_more", "brier_more_sd"):
            assert float(found[name]) == pytest.approx(float(row[name]), rel=1e-3, abs=1e-3), name


def test_a_pickle_that_would_run_something_is_refused(tmp_path, capsys):
    (tmp_path / "a.p").write_bytes(pickle.dumps((Caller(), LABELS)))
    with pytest.raises(SystemExit, match=r"a\.p: .*builtins\.print.*np\.savez"):
        list(ranking.downloaded(tmp_path))
    assert "opened" not in capsys.readouterr().out
