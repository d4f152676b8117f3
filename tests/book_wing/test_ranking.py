"""The ranking of calibrators: it reads the published forms of outputs, and refuses what it cannot trust."""

import csv
import pickle
import subprocess
import sys

import numpy as np
import pytest

from calibration_lessons.book import datasets
from tools.experiments import ranking

LOGITS, LABELS = (array[:60] for array in datasets.network_logits(0, "test"))
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


@pytest.mark.parametrize(
    ("write", "parts"), [(npz, 1), (named_otherwise, 1), (npy, 1), (table, 1), (pickled, 2)]
)
def test_each_form_of_the_docstring_gives_the_same_rows(tmp_path, write, parts):
    (tmp_path / "inner").mkdir()
    write(tmp_path / "inner")
    found = list(ranking.downloaded(tmp_path))
    assert len(found) == parts
    for name, z, y in found:
        assert name.startswith("inner/")
        ours, theirs = (a - a.mean(axis=1, keepdims=True) for a in (LOGITS.astype(float), z))
        np.testing.assert_allclose(theirs, ours, atol=1e-2)  # rounded to single precision near 0 and 1
        np.testing.assert_array_equal(y, LABELS)


class Caller:
    """A pickle that would open a door."""

    def __reduce__(self):
        return print, ("opened",)


def malicious(folder):
    (folder / "a.p").write_bytes(pickle.dumps((Caller(), LABELS)))


def unnamed(folder):
    np.savez(folder / "a.npz", x=LOGITS)


def short(folder):
    np.savez(folder / "a.npz", logits=LOGITS, labels=LABELS[:-1])


def from_one(folder):
    np.savez(folder / "a.npz", logits=LOGITS, labels=LABELS + 1)


def without_labels(folder):
    np.save(folder / "val_logits.npy", LOGITS)


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (malicious, r"a\.p: .*builtins\.print.*np\.savez"),
        (unnamed, r"a\.npz: .*pair of a table and its labels"),
        (short, r"\(60, 10\), \(59,\)"),
        (from_one, "labels 0 to 9; found 1 to 10"),
        (without_labels, r"val_logits\.npy: .*val_labels\.npy"),
        (lambda folder: None, "no file of a known form"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_to_do(tmp_path, write, said, capsys):
    write(tmp_path)
    with pytest.raises(SystemExit, match=said):
        list(ranking.downloaded(tmp_path))
    assert "opened" not in capsys.readouterr().out


def test_the_parts_left_out_change_the_fit_and_only_what_they_name():
    z, y = datasets.network_logits(3, "test")
    z, y = z[:1000].astype(float), y[:1000]
    whole, best, free = (
        kind().fit(z, y) for kind in (ranking.cl.MatrixScaling, ranking.BestStrength, ranking.NoTemperature)
    )
    at_best = ranking.cl.MatrixScaling(strength=best.strength_).fit(z, y)
    np.testing.assert_array_equal(best.coef_, at_best.coef_)
    assert whole.path_.strength[whole.path_.loss.argmin()] == best.strength_
    assert free.temperature_ == 1 and free.path_.loss[0] > whole.path_.loss[0]
    held = ranking.NoTemperature(strength=1e9).fit(z, y).coef_  # so strong a pull leaves the logits as they are
    np.testing.assert_allclose(held, np.eye(10), atol=1e-4)


def test_the_command_writes_a_row_per_method_and_the_stored_rows_are_what_it_gives(tmp_path):
    npz(tmp_path)
    command = [sys.executable, "tools/experiments/ranking.py", tmp_path, "--halves", "2"]
    subprocess.run([*command, "--output", tmp_path / "out.csv"], check=True, cwd=ranking.ROOT)
    rows = list(csv.DictReader((tmp_path / "out.csv").open()))
    assert [row["method"] for row in rows if "probmetrics" not in row["method"]] == OURS
    assert {row["n"] for row in rows} == {"30"}
    matrix = next(row for row in rows if row["method"] == "matrix")
    assert float(matrix["nll_more"]) == 0 < float(matrix["nll"])
