"""How the formulas of the book are read: which symbol stands for which argument of the transcription."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace as Definitions

from .formulas import SPELLED, Values, reads

n, K, J = 5, 3, 4  # rows, classes, members or features: all different, so that no index fits another's list

ROWS_IN_BIN = {r"\sum_{i \in B_m}": r"\sum_{i=1}^{n_m}"}
EDGES = [0.0, 0.25, 0.5, 0.75, 1.0]


def shares(draw: Random, size: int = n) -> list[float]:
    """Draw numbers between 0 and 1."""
    return [draw.uniform(0.05, 0.95) for _ in range(size)]


def reals(draw: Random, size: int = n) -> list[float]:
    """Draw numbers of either sign."""
    return [draw.uniform(-2, 2) for _ in range(size)]


def outcomes(draw: Random, size: int = n) -> list[int]:
    """Draw zeros and ones, both among them."""
    return draw.sample([0, 1] + [draw.randrange(2) for _ in range(size - 2)], size)


def distribution(draw: Random, size: int = K) -> list[float]:
    """Draw the probabilities of a row."""
    parts = shares(draw, size)
    return [part / sum(parts) for part in parts]


def classes(draw: Random) -> list[int]:
    """Draw a class for each row."""
    return [draw.randrange(K) for _ in range(n)]


def is_class(labels: list[int]) -> list[list[int]]:
    """Say for each row and class whether it is the row's."""
    return [[int(label == k) for k in range(K)] for label in labels]


def forecasts(draw: Random) -> list[list[float]]:
    """Draw the probabilities of each row."""
    return [distribution(draw) for _ in range(n)]


# uncertainty


@reads("eq-coin-likelihood")
def _(d: Definitions, draw: Random) -> Values:
    h, s, tosses = draw.random(), 3, 7
    return {"L": lambda h: d.coin_likelihood(h, s, tosses), "h": h, "s": s, "N": tosses}


@reads("eq-entropy", {"H(p)": "H", r"\sum_{k}": r"\sum_{k=1}^{K}"})
def _(d: Definitions, draw: Random) -> Values:
    p = distribution(draw)
    return {"H": d.entropy(p), "p_k": p, "K": K}


@reads(
    "eq-plausibility-split",
    {r"\text{epistemic}": "E", r"\text{aleatoric}": "A", r"\pi(1)": "a", r"\pi(0)": "b"},
)
def _(d: Definitions, draw: Random) -> Values:
    a, b = shares(draw, 2)
    aleatoric, epistemic = d.plausibility_split(a, b)
    return {"E": epistemic, "A": aleatoric, "a": a, "b": b}


@reads("eq-coin-expected", {r"\mathbb{E}_p[u]": "E"})
def _(d: Definitions, draw: Random) -> Values:
    def u(heads: float, tosses: float) -> float:
        return (heads + 1) ** 2 / tosses

    p = draw.random()
    return {"E": d.coin_expected(p, 6, u), "u": u, "p": p, "N": 6}


@reads(
    "eq-kernel-confidence",
    {
        r"C(\hat y_0 = y_0 \mid x_0, \psi(x_0), X)": "C",
        r"[\, y_i = \psi(x_0)\, ]": "t_i",
        r"\kappa(x_0, x_i)": "k_i",
        r"\lVert x_0 - x_i \rVert": "D_i",
    },
    i=n,
)
def _(d: Definitions, draw: Random) -> Values:
    rows, labels, place, width = [reals(draw, J) for _ in range(n)], classes(draw), reals(draw, J), 1.3
    alone = [d.kernel_confidence([row], [0], place, 0, width, 0) for row in rows]  # (1 + k) / k
    return {
        "C": d.kernel_confidence(rows, labels, place, 1, width, K),
        "k_i": [1 / (share - 1) for share in alone],
        "D_i": [sum((a - b) ** 2 for a, b in zip(row, place, strict=True)) ** 0.5 for row in rows],
        "t_i": [int(label == 1) for label in labels],
        "ell": width,
        "K": K,
        "n": n,
    }


@reads(
    "eq-model-average",
    {
        "p(y \\mid x, D) = \\int p(y \\mid x, \\theta)\\, q(\\theta \\mid D)\\, d\\theta\n\\approx": "P_k =",
        r"p(y \mid x, \theta_j)": "p_{jk}",
        r", \qquad \theta_j \sim q(\theta \mid D)": "",
    },
    k=K,
)
def _(d: Definitions, draw: Random) -> Values:
    members = [distribution(draw) for _ in range(J)]
    return {"P_k": d.model_average(members), "p_{jk}": members, "J": J}


@reads(
    "eq-ensemble-entropy",
    {
        r"H(\bar p)": "T",
        r"H(p_j)": "h_j",
        r"\bar p_k": "q_k",
        r"\sum_{k}": r"\sum_{k=1}^{K}",
        r"\underbrace{": "(",
        r"}_{\text{total}}": ")",
        r"}_{\text{aleatoric}}": ")",
        r"}_{\text{epistemic}}": ")",
    },
)
def _(d: Definitions, draw: Random) -> Values:
    members = [distribution(draw) for _ in range(J)]
    total, aleatoric, epistemic = d.ensemble_entropies(members)
    return {
        "T": total,
        "=": aleatoric + epistemic,
        "h_j": [d.ensemble_entropies([member])[1] for member in members],
        "p_{jk}": members,
        "q_k": d.model_average(members),
        "J": J,
        "K": K,
    }


# models


@reads(
    "eq-log-odds",
    {
        r"P(y = 1 \mid x)": "P",
        r"P(y = 0 \mid x)": "Q",
        r"\theta^\top x": "S",
        r"\sum_j": r"\sum_{j=1}^{J}",
    },
)
def _(d: Definitions, draw: Random) -> Values:
    theta, x = reals(draw, J), reals(draw, J)
    z = d.linear_log_odds(theta, x)
    return {"P": d.sigmoid(z), "Q": d.sigmoid(-z), "S": z, "theta_j": theta, "x_j": x, "J": J}


@reads("eq-sigmoid", {r"P(y = 1 \mid x)": "P", r"\sigma(z)": "S"})
def _(d: Definitions, draw: Random) -> Values:
    z = draw.uniform(-2, 2)
    return {"P": d.sigmoid(z), "S": d.sigmoid(z), "z": z}


def regression(d: Definitions, draw: Random) -> tuple[list[float], list[list[float]], list[int], Values]:
    """Draw parameters, rows and labels of a logistic regression, with the symbols that stand for them."""
    theta, rows, y = reals(draw, J), [reals(draw, J) for _ in range(n)], outcomes(draw)
    p = [d.sigmoid(d.linear_log_odds(theta, x)) for x in rows]
    return theta, rows, y, {"p_i": p, "y_i": y, "x_{ij}": rows, "n": n}


@reads("eq-logistic-loss", {r"L(\theta)": "L"})
def _(d: Definitions, draw: Random) -> Values:
    theta, rows, y, symbols = regression(d, draw)
    return symbols | {"L": d.logistic_loss(theta, rows, y)}


@reads("eq-logistic-gradient", {r"\frac{\partial L}{\partial \theta_j}": "G_j"}, j=J)
def _(d: Definitions, draw: Random) -> Values:
    theta, rows, y, symbols = regression(d, draw)
    return symbols | {"G_j": d.logistic_gradient(theta, rows, y)}


@reads(
    "eq-logistic-hessian",
    {r"\frac{\partial^2 L}{\partial \theta_j \, \partial \theta_k}": "H_{jk}"},
    j=J,
    k=J,
)
def _(d: Definitions, draw: Random) -> Values:
    theta, rows, _, symbols = regression(d, draw)
    return symbols | {"H_{jk}": d.logistic_hessian(theta, rows)}


@reads(
    "eq-softmax-regression",
    {
        r"P(y = k \mid x)": "P_k",
        r"P(y = K \mid x)": "Q",
        r"\theta_k^\top x": "u_k",
        r"\theta_l^\top x": "u_l",
    },
    k=K - 1,
)
def _(d: Definitions, draw: Random) -> Values:
    thetas, x = [reals(draw, J) for _ in range(K - 1)], reals(draw, J)
    *p, last = d.softmax_regression(thetas, x)
    return {"P_k": p, "Q": last, "u_k": [d.linear_log_odds(theta, x) for theta in thetas], "K": K}


@reads(
    "eq-softmax-symmetric",
    {
        r"P(y = k \mid x)": "P_k",
        r"\theta_k^\top x": "u_k",
        r"\theta_l^\top x": "u_l",
        r", \qquad k = 1, \dots, K": "",
    },
    k=K,
)
def _(d: Definitions, draw: Random) -> Values:
    thetas, x = [reals(draw, J) for _ in range(K)], reals(draw, J)
    p = d.softmax_regression_symmetric(thetas, x)
    return {"P_k": p, "u_k": [d.linear_log_odds(theta, x) for theta in thetas], "K": K}


def softmax_data(
    d: Definitions, draw: Random
) -> tuple[list[list[float]], list[list[float]], list[int], Values]:
    """Draw parameters, rows and labels of a softmax regression, with the symbols that stand for them."""
    thetas, rows = [reals(draw, J) for _ in range(K)], [reals(draw, J) for _ in range(n)]
    y = classes(draw)
    p = [d.softmax_regression_symmetric(thetas, x) for x in rows]
    return thetas, rows, y, {"p_{ik}": p, "t_{ik}": is_class(y), "x_{ij}": rows, "n": n, "K": K}


@reads(
    "eq-softmax-likelihood",
    {r"L(\theta)": "L", r"\mathbb 1[y_i = k]": "t_{ik}", r"P(y = k \mid x_i)": "p_{ik}"},
)
def _(d: Definitions, draw: Random) -> Values:
    thetas, rows, y, symbols = softmax_data(d, draw)
    return symbols | {"L": d.softmax_loss(thetas, rows, y)}


@reads(
    "eq-softmax-gradient",
    {r"\frac{\partial L}{\partial \theta_{kj}}": "G_{kj}", r"\mathbb 1[y_i = k]": "t_{ik}"},
    k=K,
    j=J,
)
def _(d: Definitions, draw: Random) -> Values:
    thetas, rows, y, symbols = softmax_data(d, draw)
    return symbols | {"G_{kj}": d.softmax_gradient(thetas, rows, y)}


# measures


def binned(d: Definitions, draw: Random) -> tuple[list[float], list[int], list[list[int]]]:
    """Draw confidences in every bin but one, outcomes, and the rows of each bin that holds any."""
    p, y = [draw.uniform(0, 0.74) for _ in range(9)], outcomes(draw, 9)
    bins = [[i for i in range(9) if d.bin_number(p[i], EDGES) == m] for m in range(1, len(EDGES))]
    return p, y, [rows for rows in bins if rows]


def mean(values: list[float], rows: list[int]) -> float:
    """Mean over some of the rows."""
    return sum(values[i] for i in rows) / len(rows)


@reads(
    "eq-bin",
    {
        r"B_m = \left\{ i :": "",
        r"\right\}, \qquad \hat p_i = 0 \text{ joins } B_1 .": "",
        r"\hat p_i": "p",
        r"\tfrac mM": r"\frac{m}{M}",
    },
    m=4,
)
def _(d: Definitions, draw: Random) -> Values:
    p = draw.choice([0.25, 0.5, draw.random()])
    return {"=": [d.bin_number(p, EDGES) == m for m in range(1, 5)], "p": p, "M": 4}


@reads("eq-accuracy", {r"\mathrm{acc}(B_m)": "a_m", r"\mathbf 1(\hat y_i = y_i)": "c_i", **ROWS_IN_BIN}, m=1)
def _(d: Definitions, draw: Random) -> Values:
    p, c = shares(draw), outcomes(draw)
    rows = [i for i in range(n) if d.bin_number(p[i], EDGES) == d.bin_number(p[0], EDGES)]
    accuracy = d.bin_accuracy(p, c, EDGES, d.bin_number(p[0], EDGES))
    return {"a_m": [accuracy], "n_m": [len(rows)], "c_i": [c[i] for i in rows]}


@reads("eq-confidence", {r"\mathrm{conf}(B_m)": "b_m", r"\hat p_i": "p_i", **ROWS_IN_BIN}, m=1)
def _(d: Definitions, draw: Random) -> Values:
    p = shares(draw)
    rows = [i for i in range(n) if d.bin_number(p[i], EDGES) == d.bin_number(p[0], EDGES)]
    confidence = d.bin_confidence(p, EDGES, d.bin_number(p[0], EDGES))
    return {"b_m": [confidence], "n_m": [len(rows)], "p_i": [p[i] for i in rows]}


@reads("eq-ece", {r"\mathrm{acc}(B_m)": "a_m", r"\mathrm{conf}(B_m)": "b_m"})
def _(d: Definitions, draw: Random) -> Values:
    p, c, bins = binned(d, draw)
    return {
        "ECE": d.expected_calibration_error(p, c, EDGES),
        "n": len(p),
        "M": len(bins),
        "n_m": [len(rows) for rows in bins],
        "a_m": [mean(c, rows) for rows in bins],
        "b_m": [mean(p, rows) for rows in bins],
    }


@reads("eq-brier-binary")
def _(d: Definitions, draw: Random) -> Values:
    y, p = outcomes(draw), shares(draw)
    return {"BS": d.brier_binary(y, p), "y_i": y, "p_i": p, "n": n}


@reads(
    "eq-brier",
    {" ,\n": "", r"\qquad y_{ik} = 1 \text{ if row } i \text{ is of class } k \text{, else } 0": ""},
)
def _(d: Definitions, draw: Random) -> Values:
    y, p = classes(draw), forecasts(draw)
    return {"BS": d.brier(y, p), "y_{ik}": is_class(y), "p_{ik}": p, "n": n, "K": K}


@reads("eq-nll", {"p_{i y_i}": "p_i"})
def _(d: Definitions, draw: Random) -> Values:
    y, p = classes(draw), forecasts(draw)
    own = [row[label] for row, label in zip(p, y, strict=True)]
    return {"NLL": d.negative_log_likelihood(y, p), "p_i": own, "n": n}


def grouped(draw: Random) -> tuple[list[int], list[float], list[float], Values]:
    """Draw outcomes and forecasts of few values, the values, and the symbols that stand for their groups."""
    y, p = outcomes(draw, 9), [0.1, 0.1, 0.1, 0.4, 0.4, 0.8, 0.8, 0.8, 0.8]
    values = [0.1, 0.4, 0.8]
    groups = [[i for i in range(9) if p[i] == f] for f in values]
    symbols = {
        "n": 9,
        "F": len(values),
        "n_f": [len(rows) for rows in groups],
        "v_f": values,
        "r_f": [mean(y, rows) for rows in groups],
        "r": mean(y, range(9)),
    }
    return y, p, values, symbols


@reads(
    "eq-brier-decomposition",
    {
        r"\bar o_f": "r_f",
        r"\bar o": "r",
        r"\sum_f": r"\sum_{f=1}^{F}",
        "(f ": "(v_f ",
        r"\underbrace{": "(",
        r"}_{\text{reliability}}": ")",
        r"}_{\text{resolution}}": ")",
        r"}_{\text{uncertainty}}": ")",
    },
)
def _(d: Definitions, draw: Random) -> Values:
    y, p, _, symbols = grouped(draw)
    reliability, resolution, uncertainty = d.brier_decomposition(y, p)
    return symbols | {"BS": reliability - resolution + uncertainty}


@reads(
    "eq-brier-corrected",
    {
        r"\mathrm{REL}'": "R",
        r"\sum_{f \,:\, n_f > 1}": r"\sum_{f=1}^{F}",
        r"\bar o_f": "r_f",
    },
)
def _(d: Definitions, draw: Random) -> Values:
    y, p, _, symbols = grouped(draw)
    return symbols | {"R": d.brier_reliability_corrected(y, p), "REL": d.brier_decomposition(y, p)[0]}


@reads(
    "eq-brier-within-bin",
    {
        r"\sum_b \sum_{i \in b}": r"\sum_{b=1}^{B} \sum_{i=1}^{n_b}",
        r"\bar f_b": "g_b",
        r"\bar o_b": "r_b",
        "f_i": "f_{bi}",
        "y_i": "y_{bi}",
    },
)
def _(d: Definitions, draw: Random) -> Values:
    p, y, bins = binned(d, draw)
    return {
        "WBT": d.brier_within_bin(y, p, EDGES),
        "n": len(p),
        "B": len(bins),
        "n_b": [len(rows) for rows in bins],
        "g_b": [mean(p, rows) for rows in bins],
        "r_b": [mean(y, rows) for rows in bins],
        "f_{bi}": [[p[i] for i in rows] for rows in bins],
        "y_{bi}": [[y[i] for i in rows] for rows in bins],
    }


@reads(
    "eq-corp",
    {
        r"\mathrm{BS}(f) =": "S =",
        r"\mathrm{BS}(f)": "F",
        r"\mathrm{BS}(c)": "C",
        r"\mathrm{BS}(\bar o)": "U",
        r"\underbrace{": "(",
        r"}_{\text{miscalibration}}": ")",
        r"}_{\text{discrimination}}": ")",
        r"}_{\text{uncertainty}}": ")",
    },
)
def _(d: Definitions, draw: Random) -> Values:
    y, f, c = outcomes(draw), shares(draw), shares(draw)
    miscalibration, discrimination, uncertainty = d.corp_decomposition(y, f, c)
    return {
        "S": miscalibration - discrimination + uncertainty,
        "F": d.brier_binary(y, f),
        "C": d.brier_binary(y, c),
        "U": d.brier_binary(y, [mean(y, range(n))] * n),
    }


# calibrators


@reads("eq-histogram-binning", ROWS_IN_BIN, m=1)
def _(d: Definitions, draw: Random) -> Values:
    s, y = shares(draw), outcomes(draw)
    rows = [i for i in range(n) if d.bin_number(s[i], EDGES) == d.bin_number(s[0], EDGES)]
    theta = d.bin_value(y, s, EDGES, d.bin_number(s[0], EDGES))
    return {"theta_m": [theta], "n_m": [len(rows)], "y_i": [y[i] for i in rows]}


@reads("eq-one-vs-rest", {r", \qquad q_k = \frac{1}{K} \text{ where all } r_j = 0": ""}, k=K)
def _(d: Definitions, draw: Random) -> Values:
    r = shares(draw, K)
    return {"q_k": d.one_vs_rest(r), "r_k": r, "K": K}


@reads("eq-platt", {r"P(y = 1 \mid z)": "P", r"\sigma(a z + b)": "S"})
def _(d: Definitions, draw: Random) -> Values:
    z, a, b = reals(draw, 3)
    return {"P": d.platt_probability(z, a, b), "S": d.sigmoid(a * z + b), "z": z, "a": a, "b": b}


@reads("eq-platt-targets", {"t_+": "t", "t_-": "u", "N_+": "N", "N_-": "M"})
def _(d: Definitions, draw: Random) -> Values:
    y = outcomes(draw, 9)
    low, high = d.platt_targets(y)
    return {"t": high, "u": low, "N": sum(y), "M": 9 - sum(y)}


@reads("eq-softmax", {r"\mathrm{softmax}(z)_k": "q_k"}, k=K)
def _(d: Definitions, draw: Random) -> Values:
    z = reals(draw, K)
    return {"q_k": d.softmax(z), "z_k": z, "K": K}


@reads(
    "eq-temperature",
    {"q_k(T)": "q_k", r"\mathrm{softmax}\left(": r"\mathrm{softmax}(k, ", r"\right)_k": ")"},
    k=K,
)
def _(d: Definitions, draw: Random) -> Values:
    z, temperature = reals(draw, K), draw.uniform(0.5, 2)
    return {
        "q_k": d.tempered_softmax(z, temperature),
        "softmax": lambda k, times: d.softmax([times * logit for logit in z])[int(k) - 1],
        "z": 1,
        "T": temperature,
    }


@reads(
    "eq-temperature-nll",
    {
        r"\mathrm{NLL}(T)": "L",
        r"\mathrm{softmax}\left(": r"\left(\mathrm{softmax}(i, ",
        r"\right)_{y_i}": r")\right)",
    },
)
def _(d: Definitions, draw: Random) -> Values:
    y, z, temperature = classes(draw), [reals(draw, K) for _ in range(n)], draw.uniform(0.5, 2)
    return {
        "L": d.temperature_nll(y, z, temperature),
        "softmax": lambda i, times: d.softmax([times * logit for logit in z[int(i) - 1]])[y[int(i) - 1]],
        "z_i": [1] * n,
        "T": temperature,
        "n": n,
    }


@reads("eq-temperature-stationary", {r"\mathbb{E}_{q}[z_i]": "w_i", r"z_{i y_i}": "z_i", " = ": " - D = "})
def _(d: Definitions, draw: Random) -> Values:
    y, z, temperature = classes(draw), [reals(draw, K) for _ in range(n)], draw.uniform(0.5, 2)
    expected, observed = d.logit_balance(y, z, temperature)
    return {
        "D": expected - observed,
        "w_i": [
            sum(p * a for p, a in zip(d.tempered_softmax(row, temperature), row, strict=True)) for row in z
        ],
        "z_i": [row[label] for row, label in zip(z, y, strict=True)],
        "n": n,
    }


@reads(
    "eq-expectation-consistency",
    {
        r"\max_{k} \, \mathrm{softmax}\left(\frac{z_i}{T}\right)_k": "p_i",
        r"\mathbf{1}(\hat y_i = y_i)": "c_i",
        "\n=": "- D =",
    },
)
def _(d: Definitions, draw: Random) -> Values:
    y, z, temperature = classes(draw), [reals(draw, K) for _ in range(n)], draw.uniform(0.5, 2)
    confidence, accuracy = d.confidence_and_accuracy(y, z, temperature)
    return {
        "D": confidence - accuracy,
        "p_i": [max(d.tempered_softmax(row, temperature)) for row in z],
        "c_i": [int(row.index(max(row)) == label) for row, label in zip(z, y, strict=True)],
        "n": n,
    }


# practice


@reads("eq-expected-cost", {r"\bar C_d(p)": "c_d", r"\sum_{k}": r"\sum_{k=1}^{K}"}, d=J)
def _(d: Definitions, draw: Random) -> Values:
    p, costs = distribution(draw), [reals(draw, J) for _ in range(K)]
    return {"c_d": [d.expected_cost(p, costs, j) for j in range(J)], "p_k": p, "C_{kd}": costs, "K": K}


@reads("eq-threshold")
def _(d: Definitions, draw: Random) -> Values:
    alarm, miss = shares(draw, 2)
    return {"t": d.optimal_threshold(alarm, miss), "c_{FP}": alarm, "c_{FN}": miss}


@reads("eq-mean-cost", {"C_{y_i d_i}": "C_i"})
def _(d: Definitions, draw: Random) -> Values:
    y, decisions = classes(draw), [draw.randrange(J) for _ in range(n)]
    costs = [reals(draw, J) for _ in range(K)]
    own = [costs[label][decision] for label, decision in zip(y, decisions, strict=True)]
    return {"=": d.mean_cost(y, decisions, costs), "C_i": own, "n": n}


@reads("eq-abstain", {r"\min_{d} \bar C_d(p)": "c"})
def _(d: Definitions, draw: Random) -> Values:
    p, costs = distribution(draw), [shares(draw, J) for _ in range(K)]
    cheapest = min(d.expected_cost(p, costs, j) for j in range(J))
    a = cheapest + draw.choice([-0.1, 0.1])
    return {"=": d.abstains(p, costs, a), "c": cheapest, "a": a}


@reads("eq-prior-correction", {"p'_k": "q_k", r"\pi'_": r"\rho_"}, k=K)
def _(d: Definitions, draw: Random) -> Values:
    p, old, new = (distribution(draw) for _ in range(3))
    return {"q_k": d.adjust_to_priors(p, old, new), "p_k": p, "pi_k": old, "rho_k": new, "K": K}


@reads(
    "eq-saerens-em",
    {r"\pi^{(t+1)}_k": "q_k", r"\pi^{(t)}_": r"\rho_", r"\sum_{l}": r"\sum_{l=1}^{K}"},
    k=K,
)
def _(d: Definitions, draw: Random) -> Values:
    p, old, guess = forecasts(draw), distribution(draw), distribution(draw)
    return {
        "q_k": d.next_priors(p, old, guess),
        "p_{ik}": p,
        "pi_k": old,
        "rho_k": guess,
        "n": n,
        "K": K,
    }


# Suprema over sets, minimisers and expectations: the parser has no words for them.
SPELLED |= {
    "eq-coin-entropy": (
        r"\begin{aligned} \text{total} &= H\big(\mathbb{E}[h]\big) \\ "
        r"\text{aleatoric} &= \mathbb{E}\big[H(h)\big] = "
        r"\frac{\int_0^1 H(h)\, L(h)\, dh}{\int_0^1 L(h)\, dh} \\ "
        r"\text{epistemic} &= \text{total} - \text{aleatoric} \end{aligned}"
    ),
    "eq-plausibility": (
        r"\pi(1) = \sup_{0 \le h \le 1} \min\left( \frac{L(h)}{L_{\max}},\; \max(2h - 1,\, 0) \right)"
    ),
    "eq-mce": r"\mathrm{MCE} = \max_{m : n_m > 0} \bigl| \mathrm{acc}(B_m) - \mathrm{conf}(B_m) \bigr|",
    "eq-isotonic": r"\hat g(s) = \max_{a \le s} \; \min_{b \ge s} \; \bar y(a, b) ,",
    "eq-optimal-decision": r"d^*(p) = \mathrm{arg\,min}_{d} \; \bar C_d(p)",
}
