"""What the training tool does to the images before a network sees them."""

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
        (folder / f"{name}-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx_file(images)))


def test_the_parts_share_no_image_and_lose_none(tmp_path):
    write_fashion_mnist(tmp_path)
    parts = fashion_mnist.load_parts(tmp_path)
    assert {name: len(labels) for name, (_, labels) in parts.items()} == {
        "train": 55_000, "calibration": 5_000, "test": 7,
    }  # fmt: skip
    together = np.concatenate([parts[name][1] for name in ("train", "calibration")])
    assert np.bincount(together).tolist() == [6000] * 10
    pixels = np.concatenate([parts[name][0][:, 0, 0] for name in ("train", "calibration")])
    numbers = np.arange(60_000)  # an image keeps its label
    pairs = zip(np.rint(pixels * 255).astype(int), together, strict=True)
    assert sorted(pairs) == sorted(zip(numbers % 251, numbers % 10, strict=True))
    assert np.array_equal(parts["train"][0], fashion_mnist.load_parts(tmp_path)["train"][0])


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
