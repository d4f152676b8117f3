"""Train the course's networks again with what is said to prevent over-confidence, and keep every epoch.

Each recipe differs from that of `train_networks.py` in one thing: smoothed labels, or a decay of the
weights. Seeds, images, order of the batches and number of epochs are the same, so that row i of every part
is the same image for all of them. "plain" is the recipe itself, to the last choice; rounding differs between
processors, and training blows it up, so its networks are the course's only on the machine that made those.
A graphics processor is used where there is one: a minute or two in place of two hours.

    python -m venv _build/networks-venv
    _build/networks-venv/bin/pip install -r tools/experiments/train_networks.requirements.txt
    _build/networks-venv/bin/python tools/experiments/train_remedies.py

Writes one file of logits per run into `_build/remedies`, which `training_experiment.py` judges. A
stopped command continues with the runs that have no file yet.
"""

import os
from functools import partial

import torch
from fashion_mnist import DEBIAN_FOLDER
from running import ROOT, done, options
from train_networks import RECIPES, SEEDS, train

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it sums on CUDA differ from run to run
RUNS = [(recipe, seed) for seed in SEEDS for recipe in RECIPES if recipe != "decay 0.3" or seed == 0]


if __name__ == "__main__":
    asked = options(__doc__, ROOT / "_build/remedies", images=DEBIAN_FOLDER)
    asked.output.mkdir(parents=True, exist_ok=True)
    list(done(partial(train, images=asked.images, folder=asked.output, device=DEVICE), RUNS))
