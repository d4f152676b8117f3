"""Train the networks whose logits the course calibrates, and write their logits as package data.

Five small convolutional networks learn Fashion-MNIST from five seeds, the ordinary way: Adam, no weight
decay, no augmentation, no dropout, and as many epochs as make them over-confident. All five are kept, and no
training step sees the calibration part or the test part.

    python -m venv _build/networks-venv
    _build/networks-venv/bin/pip install -r tools/experiments/train_networks.requirements.txt
    _build/networks-venv/bin/python tools/experiments/train_networks.py

Two networks train at a time, each on one thread (faster on two cores than one network on two threads).
A stopped command continues with the networks that have no file yet. Same versions and machine: same bytes.
"""

import json
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from fashion_mnist import DEBIAN_FOLDER, SEVERITIES, SPLIT_SEED, Images, Labels, load_parts, shifted
from numpy.typing import NDArray
from running import PROCESSES, ROOT, done, options, processor, versions, write_table
from torch import nn

SEEDS = (0, 1, 2, 3, 4)
N_SHIFTED, N_LOGGED = 2_000, 10_000
BATCH, LEARNING_RATE, EPOCHS = 64, 1e-3, 16
PROMISED_ACCURACY, PROMISED_ECE = 0.90, 0.04
RECIPES = {  # share of the target that goes to all classes alike, and decay of the weights per unit of step
    "plain": (0.0, 0.0),
    "decay 0.1": (0.0, 0.1),
    "smoothing 0.1": (0.1, 0.0),
    "decay 0.3": (0.0, 0.3),
}


class SmallNetwork(nn.Sequential):
    """Two convolutions and two dense layers; images in [0, 1] go in, ten logits come out."""

    def __init__(self) -> None:
        super().__init__(
            nn.Conv2d(1, 16, 5), nn.MaxPool2d(2), nn.ReLU(),
            nn.Conv2d(16, 32, 3), nn.MaxPool2d(2), nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * 5 * 5, 512), nn.ReLU(),
            nn.Linear(512, 10),
        )  # fmt: skip
        self.to(memory_format=torch.channels_last)


def logits_of(network: nn.Module, images: Images) -> NDArray[np.float16]:
    """Return the logits in half precision, the precision in which they are kept."""
    network.eval()
    device = next(network.parameters()).device
    with torch.inference_mode():
        batches = [network(batch.to(device)) for batch in torch.from_numpy(images).unsqueeze(1).split(1000)]
    return torch.cat(batches).cpu().numpy().astype(np.float16)


def judge(logits: NDArray[np.float16], labels: Labels) -> dict[str, float]:
    """Return NLL (nats), accuracy and top-label ECE (15 right-closed bins of equal width)."""
    z = logits.astype(np.float64)
    log_p = z - z.max(axis=1, keepdims=True)
    log_p -= np.log(np.exp(log_p).sum(axis=1, keepdims=True))
    confidence = np.exp(log_p.max(axis=1))
    correct = z.argmax(axis=1) == labels
    bins = np.ceil(confidence * 15).astype(int) - 1
    gaps = np.bincount(bins, weights=correct - confidence, minlength=15)
    return {
        "nll": float(-log_p[np.arange(len(labels)), labels].mean()),
        "accuracy": float(correct.mean()),
        "ece": float(np.abs(gaps).sum() / len(labels)),
    }


def train_epoch(
    network: nn.Module, optimizer: torch.optim.Optimizer, x: Any, y: Any, seed: int, smoothing: float
) -> None:
    """Go once through the training part, in an order given by the seed."""
    network.train()
    order = torch.from_numpy(np.random.default_rng(seed).permutation(len(y))).to(y.device)
    for rows in order.split(BATCH):
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(x[rows]), y[rows], label_smoothing=smoothing).backward()
        optimizer.step()


def train(
    run: tuple[str, int], images: Path, folder: Path, epochs: int = EPOCHS, device: str = "cpu"
) -> Path:
    """Train one network by one recipe; return the file of its weights, and of its logits after each epoch.

    The logits are those of the first images of each part; the held-out parts have no more.
    """
    recipe, seed = run
    path = folder / f"{recipe} {seed}.npz"
    if path.exists() and len(np.load(path)["test"]) == epochs:
        return path
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(seed)
    smoothing, decay = RECIPES[recipe]
    parts = load_parts(images)
    network = SmallNetwork().to(device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE, weight_decay=decay)  # Adam without
    x = torch.from_numpy(parts["train"][0]).unsqueeze(1).to(device)
    y = torch.from_numpy(parts["train"][1]).long().to(device)
    kept: dict[str, list[NDArray[np.float16]]] = {"train": [], "calibration": [], "test": []}
    start = time.perf_counter()
    for epoch in range(1, epochs + 1):
        train_epoch(network, optimizer, x, y, 1000 * seed + epoch, smoothing)
        for part, logits in kept.items():
            logits.append(logits_of(network, parts[part][0][:N_LOGGED]))
        measures = judge(kept["calibration"][-1], parts["calibration"][1])
        told = ", ".join(f"{name} {value:.4f}" for name, value in measures.items())
        print(f"{recipe}, seed {seed}: epoch {epoch}/{epochs}; held out: {told}", flush=True)
    weights = {f"weights.{name}": array.cpu().numpy() for name, array in network.state_dict().items()}
    logits = {part: np.stack(each) for part, each in kept.items()}
    np.savez(path.with_suffix(".partial.npz"), seconds=time.perf_counter() - start, **logits, **weights)
    os.replace(path.with_suffix(".partial.npz"), path)
    return path


def log(runs: list[Any], parts: dict[str, Any]) -> list[dict[str, float]]:
    """Return a row for each epoch: training images, and the calibration part as held out."""
    rows = []
    for seed, run in zip(SEEDS, runs, strict=True):
        for epoch in range(len(run["train"])):
            row: dict[str, float] = {"network": seed, "epoch": epoch + 1}
            for name, part in (("train", "train"), ("heldout", "calibration")):
                measures = judge(run[part][epoch], parts[part][1][:N_LOGGED])
                row |= {f"{name}_{key}": round(value, 6) for key, value in measures.items()}
            rows.append(row)
    return rows


def collect_logits(runs: list[Any], parts: dict[str, Any]) -> dict[str, dict[str, NDArray[Any]]]:
    """Return the arrays of the two logit files: one for the plain images, one for the shifted ones."""
    networks = [SmallNetwork() for _ in runs]
    for network, run in zip(networks, runs, strict=True):
        network.load_state_dict(
            {name: torch.from_numpy(run[f"weights.{name}"]) for name in network.state_dict()}
        )
    plain: dict[str, NDArray[Any]] = {}
    for part in ("calibration", "test"):
        plain[f"{part}_logits"] = np.stack([run[part][-1] for run in runs])
        plain[f"{part}_labels"] = parts[part][1]
    images, labels = (array[:N_SHIFTED] for array in parts["test"])
    moved: dict[str, NDArray[Any]] = {"labels": labels}
    for kind, severities in SEVERITIES.items():
        versions = [shifted(images, kind, severity) for severity in severities]
        moved[kind] = np.stack(
            [[logits_of(network, version) for version in versions] for network in networks]
        )
        print(f"logits under {kind} done", flush=True)
    return {"networks": plain, "networks_shifted": moved}


def describe(arrays: dict[str, Any], seconds: list[float], epochs: int) -> dict[str, Any]:
    """Return the record kept beside the logits: how they were made, and what they are worth."""
    plain, moved = arrays["networks"], arrays["networks_shifted"]
    parts = ("calibration", "test")
    return {
        "command": f"python tools/experiments/train_networks.py --epochs {epochs}",
        "machine": {"cpu": processor(), "cores": os.cpu_count(), "networks_at_a_time": PROCESSES},
        "versions": versions("numpy", "scipy", "torch"),
        "training": {
            "architecture": str(SmallNetwork()).splitlines()[1:-1],
            "parameters": sum(p.numel() for p in SmallNetwork().parameters()),
            "optimizer": "Adam", "learning_rate": LEARNING_RATE, "batch": BATCH, "epochs": epochs,
            "seeds": SEEDS, "split_seed": SPLIT_SEED,
            "seconds": list(map(round, seconds)),
        },
        "networks": [
            {part: judge(plain[f"{part}_logits"][i], plain[f"{part}_labels"]) for part in parts}
            for i in range(len(seconds))
        ],
        "shifts": {
            kind: [
                {"severity": severity}
                | {"networks": [judge(moved[kind][i, level], moved["labels"]) for i in range(len(seconds))]}
                for level, severity in enumerate(severities)
            ]
            for kind, severities in SEVERITIES.items()
        },
    }  # fmt: skip


def check_promises(record: dict[str, Any]) -> None:
    """Stop, and write nothing, unless every network is accurate and over-confident enough for the course."""
    for seed, network in zip(SEEDS, record["networks"], strict=True):
        accuracy, ece = network["test"]["accuracy"], network["test"]["ece"]
        if accuracy < PROMISED_ACCURACY or ece < PROMISED_ECE:
            raise SystemExit(
                f"network {seed}: test accuracy {accuracy:.4f} and ECE {ece:.4f} are not as promised"
            )


def main() -> None:
    """Train what is not trained yet, then write logits, log and record."""
    asked = options(__doc__, images=DEBIAN_FOLDER, epochs=EPOCHS, cache=ROOT / "_build/networks")
    parts = load_parts(asked.images)
    for folder in (asked.cache, asked.output):
        folder.mkdir(parents=True, exist_ok=True)
    one = partial(train, images=asked.images, folder=asked.cache, epochs=asked.epochs)
    runs = [np.load(path) for path in done(one, [("plain", seed) for seed in SEEDS])]
    torch.set_num_threads(1)
    arrays, rows = collect_logits(runs, parts), log(runs, parts)
    record = describe(arrays, [float(run["seconds"]) for run in runs], asked.epochs)
    check_promises(record)
    for name, content in arrays.items():
        np.savez(asked.output / f"{name}.npz", **content)  # its zip entries carry no time of day: same bytes
    write_table(asked.output / "networks_training.csv", rows[0], (row.values() for row in rows))
    (asked.output / "networks.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
