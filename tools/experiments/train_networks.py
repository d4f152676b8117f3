"""Train the networks whose logits the course calibrates, and write their logits as package data.

Five small convolutional networks learn Fashion-MNIST from five seeds, the ordinary way: Adam, no weight
decay, no augmentation, no dropout, and as many epochs as make them over-confident. All five are kept, and no
training step sees the calibration part or the test part.

    python -m venv _build/networks-venv
    _build/networks-venv/bin/pip install -r tools/experiments/train_networks.requirements.txt
    _build/networks-venv/bin/python tools/experiments/train_networks.py

Two networks train at a time, each on one thread (faster on two cores than one network on two threads).
A stopped run continues after each network's last finished epoch. Same versions and machine: same bytes.
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
    network: nn.Module, optimizer: torch.optim.Optimizer, x: Any, y: Any, seed: int, smoothing: float = 0.0
) -> None:
    """Go once through the training part, in an order given by the seed."""
    network.train()
    order = torch.from_numpy(np.random.default_rng(seed).permutation(len(y))).to(y.device)
    for rows in order.split(BATCH):
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(x[rows]), y[rows], label_smoothing=smoothing).backward()
        optimizer.step()


def log_row(network: nn.Module, seed: int, epoch: int, parts: dict[str, Any]) -> dict[str, float]:
    """Return the log's row of a finished epoch: training images, and the calibration part as held out."""
    row: dict[str, float] = {"network": seed, "epoch": epoch}
    for name, part, n in (("train", "train", N_LOGGED), ("heldout", "calibration", None)):
        images, labels = (array[:n] for array in parts[part])
        row |= {f"{name}_{key}": value for key, value in judge(logits_of(network, images), labels).items()}
    return row


def train_network(seed: int, epochs: int, folder: Path, cache: Path) -> Path:
    """Train one network, on from its checkpoint if there is one, and return the checkpoint's path."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(seed)
    parts = load_parts(folder)
    network = SmallNetwork()
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    path = cache / f"network{seed}.pt"
    state: dict[str, Any] = {"log": [], "seconds": 0.0}
    if path.exists():
        state = torch.load(path)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
    x = torch.from_numpy(parts["train"][0]).unsqueeze(1)
    y = torch.from_numpy(parts["train"][1]).long()
    for epoch in range(len(state["log"]) + 1, epochs + 1):
        start = time.perf_counter()
        train_epoch(network, optimizer, x, y, seed=1000 * seed + epoch)
        row = log_row(network, seed, epoch, parts)
        state["log"].append(row)
        state["seconds"] += time.perf_counter() - start
        state |= {"network": network.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save(state, path.with_suffix(".partial"))
        os.replace(path.with_suffix(".partial"), path)
        print(
            f"network {seed}  epoch {epoch:2d}/{epochs}  {state['seconds']:5.0f} s"
            f"  train: NLL {row['train_nll']:.4f}  held out: NLL {row['heldout_nll']:.4f}"
            f"  accuracy {row['heldout_accuracy']:.4f}  ECE {row['heldout_ece']:.4f}",
            flush=True,
        )
    return path


def collect_logits(states: list[dict[str, Any]], parts: dict[str, Any]) -> dict[str, dict[str, NDArray[Any]]]:
    """Return the arrays of the two logit files: one for the plain images, one for the shifted ones."""
    networks = []
    for state in states:
        networks.append(SmallNetwork())
        networks[-1].load_state_dict(state["network"])
    plain: dict[str, NDArray[Any]] = {}
    for part in ("calibration", "test"):
        images, labels = parts[part]
        plain[f"{part}_logits"] = np.stack([logits_of(network, images) for network in networks])
        plain[f"{part}_labels"] = labels
    images, labels = (array[:N_SHIFTED] for array in parts["test"])
    moved: dict[str, NDArray[Any]] = {"labels": labels}
    for kind, severities in SEVERITIES.items():
        versions = [shifted(images, kind, severity) for severity in severities]
        moved[kind] = np.stack(
            [[logits_of(network, version) for version in versions] for network in networks]
        )
        print(f"logits under {kind} done", flush=True)
    return {"networks": plain, "networks_shifted": moved}


def describe(arrays: dict[str, Any], states: list[dict[str, Any]], epochs: int) -> dict[str, Any]:
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
            "seconds": [round(state["seconds"]) for state in states],
        },
        "networks": [
            {part: judge(plain[f"{part}_logits"][i], plain[f"{part}_labels"]) for part in parts}
            for i in range(len(states))
        ],
        "shifts": {
            kind: [
                {"severity": severity}
                | {"networks": [judge(moved[kind][i, level], moved["labels"]) for i in range(len(states))]}
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


def write(folder: Path, arrays: dict[str, Any], states: list[dict[str, Any]], record: dict[str, Any]) -> None:
    """Write the logits, the training log and the record as package resources."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in arrays.items():
        np.savez(folder / f"{name}.npz", **content)  # its zip entries carry no time of day: same bytes again
    rows = [row for state in states for row in state["log"]]
    table = ([round(value, 6) for value in row.values()] for row in rows)
    write_table(folder / "networks_training.csv", rows[0], table)
    (folder / "networks.json").write_text(json.dumps(record, indent=1) + "\n")


def main() -> None:
    """Train what is not trained yet, then write logits, log and record."""
    asked = options(__doc__, images=DEBIAN_FOLDER, epochs=EPOCHS, cache=ROOT / "_build/networks")
    parts = load_parts(asked.images)
    asked.cache.mkdir(parents=True, exist_ok=True)
    train = partial(train_network, epochs=asked.epochs, folder=asked.images, cache=asked.cache)
    states = [torch.load(path) for path in done(train, SEEDS)]
    torch.set_num_threads(1)
    arrays = collect_logits(states, parts)
    record = describe(arrays, states, asked.epochs)
    check_promises(record)
    write(asked.output, arrays, states, record)


if __name__ == "__main__":
    main()
