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
from pathlib import Path

import numpy as np
import torch
from fashion_mnist import DEBIAN_FOLDER, load_parts
from running import ROOT, done, options
from train_networks import EPOCHS, LEARNING_RATE, SEEDS, SmallNetwork, logits_of, train_epoch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it sums on CUDA differ from run to run
RECIPES = {  # share of the target that goes to all classes alike, and decay of the weights per unit of step
    "plain": (0.0, 0.0),
    "decay 0.1": (0.0, 0.1),
    "smoothing 0.1": (0.1, 0.0),
    "decay 0.3": (0.0, 0.3),
}
RUNS = [(recipe, seed) for seed in SEEDS for recipe in RECIPES if recipe != "decay 0.3" or seed == 0]


def train(run: tuple[str, int], images: Path, folder: Path) -> None:
    """Train one network by one recipe, and write its logits on the held-out parts after each epoch."""
    recipe, seed = run
    path = folder / f"{recipe} {seed}.npz"
    if path.exists():
        return
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(seed)
    smoothing, decay = RECIPES[recipe]
    parts = load_parts(images)
    network = SmallNetwork().to(DEVICE)
    optimizer = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE, weight_decay=decay)
    x = torch.from_numpy(parts["train"][0]).unsqueeze(1).to(DEVICE)
    y = torch.from_numpy(parts["train"][1]).long().to(DEVICE)
    kept: dict[str, list[np.ndarray]] = {"calibration": [], "test": []}
    for epoch in range(1, EPOCHS + 1):
        train_epoch(network, optimizer, x, y, seed=1000 * seed + epoch, smoothing=smoothing)
        for part, logits in kept.items():
            logits.append(logits_of(network, parts[part][0]))
        print(f"{recipe}, seed {seed}: epoch {epoch}/{EPOCHS}", flush=True)
    np.savez(path.with_suffix(".partial.npz"), **{part: np.stack(each) for part, each in kept.items()})
    os.replace(path.with_suffix(".partial.npz"), path)


def main() -> None:
    """Train what has no file yet, two runs at a time."""
    asked = options(__doc__, ROOT / "_build/remedies", images=DEBIAN_FOLDER)
    asked.output.mkdir(parents=True, exist_ok=True)
    list(done(partial(train, images=asked.images, folder=asked.output), RUNS))


if __name__ == "__main__":
    main()
