#!/usr/bin/env python3
"""Write `network_images.npz`: the pictures behind some test rows of `datasets.network_logits`.

    tools/experiments/network_images.py [FOLDER_OF_FASHION_MNIST]

The first 300 rows, which nobody chose, and the 60 that network 0 got wrong with the highest confidence.
"""

import sys
from pathlib import Path

import numpy as np

from calibration_lessons import softmax
from calibration_lessons.book import datasets
from tools.experiments.fashion_mnist import DEBIAN_FOLDER, read_idx
from tools.experiments.running import DATA

TARGET = DATA / "network_images.npz"


def chosen() -> np.ndarray:
    """Return the rows of the test part whose pictures are stored, in ascending order."""
    logits, labels = datasets.network_logits(0, "test")
    confidence = np.where(logits.argmax(axis=1) == labels, 0.0, softmax(logits).max(axis=1))
    return np.union1d(np.arange(300), np.argsort(-confidence, kind="stable")[:60])


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEBIAN_FOLDER
    rows = chosen()
    np.savez_compressed(TARGET, rows=rows, images=read_idx(folder, "t10k-images-idx3-ubyte")[rows])
