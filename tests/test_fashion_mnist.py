"""What the training tool does to the images before a network sees them."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from tools.experiments import fashion_mnist

IMAGES = np.random.default_rng(0).random((50, 28, 28)).astype(np.float32)


def idx_file(array: np.ndarray) -> bytes:
    lengths = b"".join(length.to_bytes(4, "big") for length in array.shape)
    return bytes([0, 0, 8, array.ndim]) + lengths + array.tobytes()


def write_fashion_mnist(folder: Path) -> None:
    for name, n in (("train", 60_000), ("t10k", 7)):
        labels = np.arange(n) % 10
        images = np.repeat(np.arange(n) % 251, 4).reshape(n, 2, 2).astype(np.uint8)
        (folder / f"{name}-labels-idx1-ubyte").write_bytes(idx_file(labels.astype(np.uint8)))
        (folder / f"{name}-images-idx3-ubyte").write_bytes(idx_file(images))


def test_the_parts_share_no_image_lose_none_and_an_image_keeps_its_label(tmp_path):
    write_fashion_mnist(tmp_path)
    parts, again = (fashion_mnist.load_parts(tmp_path) for _ in range(2))
    possible = {(i % 251, i % 10) for i in range(2510)}
    for name, (images, labels) in parts.items():
        assert np.array_equal(images, again[name][0])
        values = np.rint(images[:, 0, 0] * 255).astype(int)
        assert set(zip(values, labels.astype(int), strict=True)) <= possible
    assert {name: len(labels) for name, (_, labels) in parts.items()} == {
        "train": 55_000, "calibration": 5_000, "test": 7,
    }  # fmt: skip
    together = np.concatenate([parts[name][1] for name in ("train", "calibration")])
    assert np.bincount(together).tolist() == [6000] * 10
    pixels = np.concatenate([parts[name][0][:, 0, 0] for name in ("train", "calibration")])
    expected = np.bincount(np.arange(60_000) % 251)
    assert np.array_equal(np.bincount(np.rint(pixels * 255).astype(int)), expected)


def test_a_packed_file_reads_like_the_plain_one(tmp_path):
    array = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    (tmp_path / "plain").write_bytes(idx_file(array))
    (tmp_path / "packed.gz").write_bytes(gzip.compress(idx_file(array)))
    for name in ("plain", "packed"):
        assert np.array_equal(fashion_mnist.read_idx(tmp_path, name), array)


def test_missing_images_say_how_to_get_them(tmp_path):
    with pytest.raises(SystemExit, match="apt-get install dataset-fashion-mnist"):
        fashion_mnist.load_parts(tmp_path)


def test_a_quarter_turn_is_anticlockwise():
    turned = fashion_mnist.shifted(IMAGES, "rotation", 90)
    assert np.allclose(turned, np.rot90(IMAGES, axes=(1, 2)), atol=1e-5)


def test_noise_has_the_stated_spread_and_the_same_seed():
    grey = np.full((50, 28, 28), 0.5, dtype=np.float32)
    noisy = fashion_mnist.shifted(grey, "noise", 0.1)
    assert (noisy - grey).std() == pytest.approx(0.1, rel=0.02)
    assert (noisy - grey).mean() == pytest.approx(0, abs=0.002)
    assert np.array_equal(noisy, fashion_mnist.shifted(grey, "noise", 0.1))


def test_blur_spreads_a_point_as_a_gaussian_does():
    point = np.zeros((1, 29, 29), dtype=np.float32)
    point[0, 14, 14] = 1
    blurred = fashion_mnist.shifted(point, "blur", 2)[0]
    assert blurred.sum() == pytest.approx(1, abs=1e-4)
    assert blurred.sum(axis=0) @ (np.arange(29) - 14.0) ** 2 == pytest.approx(4, rel=0.02)


@pytest.mark.parametrize("kind", fashion_mnist.SEVERITIES)
def test_changed_images_stay_images_and_leave_the_originals_alone(kind):
    before = IMAGES.copy()
    for severity in fashion_mnist.SEVERITIES[kind]:
        changed = fashion_mnist.shifted(IMAGES, kind, severity)
        assert changed.shape == IMAGES.shape and changed.dtype == np.float32
        assert changed.min() >= 0 and changed.max() <= 1
        assert not np.array_equal(changed, IMAGES)
    assert np.array_equal(IMAGES, before)
