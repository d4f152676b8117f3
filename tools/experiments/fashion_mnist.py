"""Fashion-MNIST as the course uses it: read from Debian's package, split once and for all, and shifted."""

import gzip
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

DEBIAN_FOLDER = Path("/usr/share/datasets/fashion-mnist")
SPLIT_SEED = 2017
N_TRAIN = 55_000
SEVERITIES = {  # of what is done to the test images
    "rotation": (5.0, 10.0, 20.0, 30.0, 45.0),  # degrees, anticlockwise
    "noise": (0.05, 0.1, 0.2, 0.3, 0.5),  # standard deviation, where white is 1
    "blur": (0.5, 1.0, 1.5, 2.0, 3.0),  # standard deviation of the Gaussian, in pixels
}

Images = NDArray[np.float32]
Labels = NDArray[np.uint8]


def read_idx(folder: Path, name: str) -> NDArray[np.uint8]:
    """Return the array of an idx file, gzipped or not: a magic number, the lengths, then bytes."""
    for path, opener in ((folder / name, open), (folder / f"{name}.gz", gzip.open)):
        if path.exists():
            with opener(path, "rb") as file:
                raw = file.read()
            dimensions = raw[3]
            shape = np.frombuffer(raw, dtype=">u4", count=dimensions, offset=4)
            return np.frombuffer(raw, dtype=np.uint8, offset=4 + 4 * dimensions).reshape(tuple(shape))
    raise SystemExit(
        f"{folder} holds no {name}[.gz]. Install Debian's package:\n"
        "    apt-get install dataset-fashion-mnist\n"
        "or unpack it without root and name the folder:\n"
        "    apt-get download dataset-fashion-mnist && dpkg -x dataset-fashion-mnist_*.deb unpacked\n"
        "    python tools/experiments/train_networks.py --images unpacked/usr/share/datasets/fashion-mnist"
    )


def load_parts(folder: Path) -> dict[str, tuple[Images, Labels]]:
    """Return images in [0, 1] and labels of the training, the calibration and the test part."""
    (images, labels), test = (
        (
            read_idx(folder, f"{name}-images-idx3-ubyte").astype(np.float32) / 255,
            read_idx(folder, f"{name}-labels-idx1-ubyte"),
        )
        for name in ("train", "t10k")
    )
    order = np.random.default_rng(SPLIT_SEED).permutation(len(labels))
    train, calibration = ((images[rows], labels[rows]) for rows in np.split(order, [N_TRAIN]))
    return {"train": train, "calibration": calibration, "test": test}


def shifted(images: Images, kind: str, severity: float) -> Images:
    """Return the images rotated, with added noise, or blurred; values stay in [0, 1]."""
    if kind == "rotation":
        changed = ndimage.rotate(images, severity, axes=(1, 2), reshape=False, order=1)
    elif kind == "noise":
        noise = np.random.default_rng(SPLIT_SEED).standard_normal(images.shape, dtype=np.float32)
        changed = images + np.float32(severity) * noise
    else:
        changed = ndimage.gaussian_filter(images, severity, axes=(1, 2))
    return np.clip(changed, 0, 1, dtype=np.float32)
