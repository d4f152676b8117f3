r"""What the symbols of the chapters stand for: random numbers of which every formula must be true.

A function here has the name of a chapter. A test evaluates the chapter's displays on what it returns; what
formulas compute comes from their transcriptions in `definitions.py`. A key is LaTeX: a symbol such as
`\hat p` or `\mathrm{ECE}`, or a phrase such as `P(y = 1 \mid x)`. One that ends in `_` takes indices, which
count from 1; `k \in` holds the values of the index k. A function takes the arguments in brackets, or else the
indices that its parameters name. Under an equation's label stands what differs there; under `=` the sides
of what states no equality.
"""

# Values stand side by side, as the symbols do in a formula.
# fmt: off

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from calibration_lessons.book import definitions as d
from calibration_lessons.measures.ece import expected_calibration_error

Values = dict[str, Any]
n, K, J = 5, 3, 4  # rows, classes, features or members: all different, so that no index fits another's list
ROWS: Values = {"n": n, r"i \in": range(1, n + 1)}
CLASSES: Values = {"K": K, r"k \in": range(1, K + 1), r"l \in": range(1, K + 1)}
MEMBERS: Values = {"J": J, r"j \in": range(1, J + 1)}
OUTCOMES, LABELS = [0, 1, 0, 1, 1], [0, 1, 2, 0, 1]  # of the rows, to be permuted
QUARTERS = [0.0, 0.25, 0.5, 0.75, 1.0]


def mean(values: Sequence[float], rows: Sequence[int]) -> float:
    """Mean over rows that are counted from 1; 0 where there is none."""
    return sum(values[i - 1] for i in rows) / len(rows) if rows else 0.0


def bins_of(p: Sequence[float], edges: Sequence[float]) -> list[tuple[int, ...]]:
    """Rows of each bin, counted from 1."""
    numbers = [d.bin_number(x, edges) for x in p]
    return [tuple(i for i, b in enumerate(numbers, 1) if b == m) for m in range(1, len(edges))]


def slope(function: Callable[[float], float], x: float, step: float = 1e-4) -> float:
    """Differentiate a function, by a central difference."""
    return (function(x + step) - function(x - step)) / (2 * step)


def coin(draw: Any) -> Values:
    """Draw a coin that was tossed often, so that approximations hold."""
    s, tosses, p = int(draw.integers(350, 450)), 700, draw.dirichlet([2] * K)
    total, aleatoric, epistemic = d.coin_entropies(s, tosses, 500)
    coins = [(i + 0.5) / 500 for i in range(500)]
    likelihood = [d.coin_likelihood(h, s, tosses) for h in coins]
    for_heads, for_tails = (d.plausibility_of_heads(heads, tosses, 200) for heads in (s, tosses - s))
    lacked, shared = d.plausibility_split(for_heads, for_tails)

    def u(heads: int, size: int) -> float:
        return (heads + 1) ** 2 / size

    return {
        "N": tosses, "s": s, "p": 0.3, "h": s / tosses + 0.01,
        "L": lambda h: d.coin_likelihood(h, s, tosses), r"L_{\max}": d.coin_likelihood(s / tosses, s, tosses),
        "H": d.binary_entropy, "u": u, r"\mathbb{E}_p[u]": d.coin_expected(0.3, tosses, u),
        r"\text{total}": total, r"\text{aleatoric}": aleatoric, r"\text{epistemic}": epistemic,
        r"\mathbb{E}": [(w / sum(likelihood), {"h": h}) for w, h in zip(likelihood, coins, strict=True)],
        r"\pi": lambda outcome: for_heads if outcome else for_tails, r"h \in": [i / 200 for i in range(201)],
        "eq-plausibility-split": {r"\text{aleatoric}": lacked, r"\text{epistemic}": shared},
        "eq-entropy": CLASSES | {"H": d.entropy, "p": p, "p_": p},
    }


def classifiers(draw: Any) -> Values:
    """Draw training rows and a row to predict."""
    rows, place, y, width = draw.normal(size=(n, J)), draw.normal(size=J), draw.permutation(LABELS), 1.3
    return ROWS | {
        "K": K, "x_0": place, "x_": rows, "y_": y, r"\ell": width, r"\psi": lambda row: 1,
        r"\mathrm{conf}(x_0)": d.kernel_confidence(rows, y, place, 1, width, K),
        r"\kappa": lambda a, b: 1 / (d.kernel_confidence([b], [0], a, 0, width, 0) - 1),  # (1 + k) / (0 + k)
    }


def ensembles(draw: Any) -> Values:
    """Draw members' probabilities; and a binary problem in which each member is calibrated by itself."""
    p, truth = draw.dirichlet([2] * K, J), draw.random(8)
    average, (total, aleatoric, epistemic) = d.model_average(p), d.ensemble_entropies(p)
    groups = [draw.permutation([0, 1] * 4) for _ in range(J)]  # a member knows the group of a row, no more
    known = np.array([[truth[own == group].mean() for group in own] for own in groups])
    worlds = [
        ((truth[i] if y else 1 - truth[i]) / 8, {"y": y, "p_": known[:, i], r"\bar p": known[:, i].mean()})
        for i in range(8) for y in (0, 1)
    ]
    return MEMBERS | CLASSES | {
        "p_": p, r"\bar p": average, r"\bar p_": average,
        "H": lambda q: d.ensemble_entropies([q])[0], r"\mathbb{E}": worlds,
        r"\text{total}": total, r"\text{aleatoric}": aleatoric, r"\text{epistemic}": epistemic,
        r"p(y \mid x, D)": lambda k: average[k - 1], r"p(y \mid x, \theta_j)": lambda j, k: p[j - 1, k - 1],
        r"\int p(y \mid x, \theta)\, q(\theta \mid D)\, d\theta": lambda k: average[k - 1],
        r"\theta_j \sim q(\theta \mid D)": True,
    }


exam = ensembles


def logistic_regression(draw: Any) -> Values:
    """Draw parameters, rows and labels; the first row is the one of the formulas for a single row."""
    (theta, v), rows, y = draw.normal(size=(2, J)), draw.normal(size=(n, J)), draw.permutation(OUTCOMES)
    z = [d.linear_log_odds(theta, x) for x in rows]
    gradient, hessian = d.logistic_gradient(theta, rows, y), d.logistic_hessian(theta, rows)
    density, prior = draw.random(2)
    return ROWS | MEMBERS | {
        "z": z[0], "p_": [d.sigmoid(log_odds) for log_odds in z], "y_": y, r"k \in": range(1, J + 1),
        "x": rows[0], "x_": rows, r"\theta": theta, "v": v,
        "A": np.array(hessian), "eq-log-odds": {"x_": rows[0]},
        r"P(1)": prior, "P(0)": 1 - prior, r"p(x \mid 0)": density,
        r"p(x \mid 1)": density * math.exp(z[0]) * (1 - prior) / prior,
        r"P(y = 1 \mid x)": d.sigmoid(z[0]), r"P(y = 0 \mid x)": d.sigmoid(-z[0]),
        r"\sigma": d.sigmoid, r"\sigma'": lambda at: slope(d.sigmoid, at),
        r"L(\theta)": d.logistic_loss(theta, rows, y),
        r"\frac{\partial L}{\partial \theta_j}": lambda j: gradient[j - 1],
        r"\frac{\partial^2 L}{\partial \theta_j \, \partial \theta_k}": lambda j, k: hessian[j - 1][k - 1],
    }


def softmax_regression(draw: Any) -> Values:
    """Draw parameters of K - 1 log-ratios, and of K scores, for the same rows."""
    ratios, thetas, rows = draw.normal(size=(K - 1, J)), draw.normal(size=(K, J)), draw.normal(size=(n, J))
    y, p = draw.permutation(LABELS), d.softmax_regression(ratios, rows[0])
    q = [d.softmax_regression_symmetric(thetas, x) for x in rows]
    gradient = d.softmax_gradient(thetas, rows, y)
    return ROWS | CLASSES | MEMBERS | {
        "x": rows[0], "x_": rows, r"\theta_": ratios, "y": 2, "y_": y + 1, "z_": rows @ thetas.T, "p_": q,
        r"k \in": range(1, K), r"k = 1, \dots, K-1": True, r"k = 1, \dots, K": True,
        r"P(y = k \mid x)": lambda k: p[k - 1], r"P(y = K \mid x)": p[-1],
        r"P(y = k \mid x_i)": lambda i, k: q[i - 1][k - 1], r"P(y \mid x_i)": lambda i: q[i - 1][1],
        r"L(\theta)": d.softmax_loss(thetas, rows, y),
        r"\frac{\partial L}{\partial \theta_{kj}}": lambda k, j: gradient[k - 1][j - 1],
        "eq-softmax-symmetric": {r"\theta_": thetas, r"P(y = k \mid x)": lambda k: q[0][k - 1]},
    }


def reliability(draw: Any) -> Values:
    """Draw confidences in every bin, one of them on an edge, and classes that are hit or not."""
    p, hits = [*(draw.random(4) + np.arange(4)) / 4, 0.5], draw.permutation(OUTCOMES)
    y, bins = draw.permutation(LABELS), bins_of(p, QUARTERS)
    return ROWS | {
        "M": 4, "n_": [len(rows) for rows in bins], "B_": bins, r"m \in": range(1, 5),
        r"\hat p_": p, "y_": y, r"\hat y_": y + 1 - hits,
        r"\mathrm{acc}": lambda rows: d.bin_accuracy(p, hits, QUARTERS, bins.index(rows) + 1),
        r"\mathrm{conf}": lambda rows: d.bin_confidence(p, QUARTERS, bins.index(rows) + 1),
        r"\hat p_i = 0 \text{ joins } B_1": d.bin_number(0.0, QUARTERS) == 1,
    }


def ece(draw: Any) -> Values:
    """Draw many confidences in every bin but the last, so that approximations hold, and outcomes."""
    p, hits = draw.uniform([0.1, 0.35, 0.6], [0.2, 0.45, 0.7], (150, 3)).ravel(), draw.integers(0, 2, 450)
    bins = bins_of(p, QUARTERS)
    conf = [mean(p, rows) for rows in bins]

    def mean_deviation(share: float) -> float:
        return d.coin_expected(share, 150, lambda hits, size: abs(hits / size - share))

    return {
        "n": len(p), "M": 4, r"m \in": (1, 2, 3), "n_": [len(rows) for rows in bins], "p_": conf, "B_": bins,
        r"\mathrm{acc}": lambda rows: mean(hits, rows), r"\mathrm{conf}": lambda rows: mean(p, rows),
        r"\mathrm{ECE}": d.expected_calibration_error(p, hits, QUARTERS),
        r"\mathrm{MCE}": d.maximum_calibration_error(p, hits, QUARTERS), "eq-mce": {r"m \in": range(1, 5)},
        r"\text{accuracy}": hits.mean(), r"\text{mean confidence}": p.mean(),
        r"\mathbb E\,[\mathrm{ECE}]": sum(map(mean_deviation, conf[:3])) / 3,
        "=": expected_calibration_error(hits, p, n_bins=4, norm="l2", debias=True) ** 2,
    }


ece_interval = ece


def interval_note(draw: Any) -> Values:
    """Draw forecasts in two bins with outcomes; a source's shares and errors in three bins."""
    p, o, shares = draw.uniform(0.1, 0.45, 2 * n), draw.integers(0, 2, 2 * n), draw.dirichlet([2] * K)
    bins, errors = bins_of(p, [0.0, 0.25, 0.5]), draw.uniform(-1, 1, K)
    pairs = sum((o[i - 1] - p[i - 1]) * (o[k - 1] - p[k - 1]) / (len(rows) - 1)
                for rows in bins for i in rows for k in rows if i != k)
    return {
        r"\theta": sum(shares * abs(errors)), r"\pi_": shares, r"\delta_": errors, "T": pairs / (2 * n),
        "n": 2 * n, "n_": [len(rows) for rows in bins], "B_": bins, "r_": o - p, "o_": o, r"\hat p_": p,
        r"m \in": (1, 2), r"i \in": range(1, 2 * n + 1), "M": K,
    }


def proper_scores(draw: Any) -> Values:
    """Draw labels with forecasts, and one forecast p beside a truth q."""
    y, rows = draw.permutation(LABELS), draw.dirichlet([2] * K, n)
    outcome, forecast = draw.permutation(OUTCOMES), draw.random(n)
    score, own = r"\mathrm{BS}", r"y_{ik} = 1 \text{ if row } i \text{ is of class } k \text{, else } 0"
    return ROWS | CLASSES | {
        r"j \in": range(1, K + 1), "p_": draw.dirichlet([2] * K), "q_": draw.dirichlet([2] * K),
        "eq-brier-binary": {score: d.brier_binary(outcome, forecast), "y_": outcome, "p_": forecast},
        "eq-brier": {score: d.brier(y, rows), "y_": np.eye(K)[y], "p_": rows, own: True},
        "eq-nll": {r"\mathrm{NLL}": d.negative_log_likelihood(y, rows), "y_": y + 1, "p_": rows},
    }


def brier_decomposition(draw: Any) -> Values:
    """Draw outcomes, with forecasts of few values, one of them given once."""
    y, f, edges = draw.permutation([0, 1] * 4 + [0]), [0.1] * 3 + [0.2, 0.4, 0.4] + [0.8] * 3, [0.0, 0.5, 1.0]
    c, base_rate, bins = draw.random(9), y.mean(), bins_of(f, edges)
    groups = {value: tuple(i for i in range(1, 10) if f[i - 1] == value) for value in set(f)}
    reliability, resolution, uncertainty = d.brier_decomposition(y, f)
    miscalibration, discrimination, _ = d.corp_decomposition(y, f, c)
    mixed = draw.permutation([0, 1, 1]), draw.permutation([0, 1]), draw.permutation([0, 1, 0, 1])
    low, middle, high = draw.random(3).tolist()
    outcomes, said = np.concatenate(mixed).tolist(), [low] * 3 + [middle] * 2 + [high] * 4
    divided, entropies = d.log_loss_split(outcomes, said)
    seen = {low: 2 / 3, middle: 0.5, high: 0.5}
    return {
        "n": 9, "n_": {value: len(rows) for value, rows in groups.items()}, "f_": f, "y_": y,
        r"f \in": list(groups), r"i \in": range(1, 10), r"b \in": bins, r"\bar o": base_rate,
        r"\bar f_": {rows: mean(f, rows) for rows in bins},
        r"\bar o_": {key: mean(y, rows) for key, rows in (*groups.items(), *zip(bins, bins, strict=True))},
        r"\mathrm{BS}": d.brier_binary(y, f), r"\mathrm{BS}(f)": d.brier_binary(y, f),
        r"\mathrm{BS}(c)": d.brier_binary(y, c), r"\mathrm{BS}(\bar o)": d.brier_binary(y, [base_rate] * 9),
        r"\text{reliability}": reliability, r"\text{resolution}": resolution,
        r"\text{uncertainty}": uncertainty,
        r"\text{miscalibration}": miscalibration, r"\text{discrimination}": discrimination,
        r"\mathrm{REL}": reliability, r"\mathrm{REL}'": d.brier_reliability_corrected(y, f),
        r"\mathrm{WBT}": d.brier_within_bin(y, f, edges),
        "eq-log-split": {
            r"f \in": list(seen), "n_": {low: 3, middle: 2, high: 4}, r"\bar o_": seen,
            "H": lambda o: d.entropy([o, 1 - o]),
            r"\mathrm{NLL}": d.negative_log_likelihood(outcomes, [[1 - p, p] for p in said]),
            r"\text{calibration}": divided, r"\text{refinement}": entropies,
        },
    }


def calibration_tests(draw: Any) -> Values:
    """Draw forecasts in every bin with labels; events that all happen, for an integral without a kink."""
    p = [*np.sort(draw.random(2) / 2), *np.sort(1 - draw.random(3) / 2)]
    y, edges, width = draw.permutation(OUTCOMES), [0.0, 0.5, 1.0], 0.2
    bins, classes, rows = bins_of(p, edges), draw.permutation(LABELS), draw.dirichlet([2] * K, n)
    error, variance = d.t_cal(y, p, edges)
    return ROWS | CLASSES | {
        "M": 2, "n_": [len(members) for members in bins], "B_": bins, "y_": y, "p_": p, r"t \in": p,
        r"\mathrm{acc}": lambda members: mean(y, members), r"\mathrm{conf}": lambda members: mean(p, members),
        "Z": d.spiegelhalter(y, p), r"\chi^2": d.hosmer_lemeshow(y, p, edges),
        "r_": y - p, "v_": [q * (1 - q) for q in p], "T_M": error, "s_M^2": variance,
        "D": d.cumulative_difference(y, p), r"\ell": width,
        "eq-smooth-ece": {
            "y_": [1] * n, r"\mathrm{smECE}(\ell)": d.smoothed_error([1] * n, p, width),
            r"\kappa": lambda t, q: d.reflected_kernel(t, q, width),
        },
        "eq-skce": {
            "y_": np.eye(K)[classes], "p_": rows, r"\mathrm{SKCE}": d.kernel_error(classes, rows, width),
        },
    }


def histogram_binning(draw: Any) -> Values:
    """Draw labels for scores in every bin."""
    s, edges, y = [0.2, 0.3, 0.5, 0.7, 0.9], [0.0, 0.5, 1.0], draw.permutation(OUTCOMES)
    bins = bins_of(s, edges)
    theta = [d.bin_value(y, s, edges, m) for m in (1, 2)]
    return {r"\theta_": theta, "n_": [len(rows) for rows in bins], "B_": bins, "y_": y, r"m \in": (1, 2)}


def isotonic(draw: Any) -> Values:
    """Draw scores with labels; and a block to pool: values that fall, beside values that rise."""
    s, y, rising = draw.random(n), draw.permutation(OUTCOMES), np.sort(draw.normal(size=n))
    falling = np.sort(draw.normal(size=n))[::-1]
    return ROWS | {
        r"s \in": s, r"a \in": s, r"b \in": s, r"\hat g": lambda score: d.isotonic_value(y, s, score),
        r"\bar y": lambda a, b: y[(a <= s) & (s <= b)].mean(),
        "r": n, "y_": falling, "h_": rising, r"\hat g_": draw.normal(size=n), "v": falling.mean(),
        "S_": np.cumsum(falling - falling.mean()),
    }


def venn_abers(draw: Any) -> Values:
    """Draw scores with labels, and the score of a new row."""
    scores, y, s = draw.random(n), draw.permutation(OUTCOMES), draw.random()
    (low, high), between = d.venn_abers_interval(y, scores, s), np.sort(draw.random(2))
    places = np.array([*scores, s])
    return ROWS | {
        "s": s, r"a \in": places, r"b \in": places, "p_0": low, "p_1": high,
        "eq-venn-abers": {
            "p_0": between[0], "p_1": between[1], "q": d.venn_abers_probability(*between.tolist()),
        },
        "k": lambda a, b: y[(a <= scores) & (scores <= b)].sum(),
        "m": lambda a, b: ((a <= scores) & (scores <= b)).sum(),
    }


def platt(draw: Any) -> Values:
    """Draw scores with labels, and a curve over the scores; and two normal classes."""
    (a, b, *z), y = draw.normal(size=n + 2), draw.permutation(OUTCOMES)
    rows, (low, high) = [[1.0, score] for score in z], d.platt_targets(y)
    for_b, for_a = d.logistic_gradient([b, a], rows, y)
    return ROWS | {
        "a": a, "b": b, "z": z[0], "z_": z, "t_": y, "p_": [d.platt_probability(x, a, b) for x in z],
        r"P(y = 1 \mid z)": d.platt_probability(z[0], a, b), r"\sigma": d.sigmoid,
        "L(a, b)": d.logistic_loss([b, a], rows, y), r"\frac{\partial L}{\partial a}": for_a,
        r"\frac{\partial L}{\partial b}": for_b, "t_+": high, "t_-": low, "N_+": sum(y), "N_-": n - sum(y),
        r"\mu_0": draw.random(), r"\mu_1": 1 + draw.random(), "s": 0.5 + draw.random(),
    }


def beta(draw: Any) -> Values:
    """Draw a probability, and three numbers that bend it; and two beta densities."""
    p, a, b = draw.uniform(0.1, 0.9), 2 * draw.random(), 2 * draw.random()
    c = draw.normal()
    return {"p": p, "a": a, "b": b, "c": c, "q": d.beta_probability(p, a, b, c)}


def temperature(draw: Any) -> Values:
    """Draw logits with labels, and a temperature T, which is 1 / beta."""
    y, z, T = draw.permutation(LABELS), draw.normal(size=(n, K)), draw.uniform(0.5, 2)
    q = np.array([d.tempered_softmax(row, T) for row in z])
    expected = (q * z).sum(axis=1)
    return ROWS | CLASSES | {
        "T": T, r"\beta": 1 / T, "z_": z, "y_": y + 1, r"\mathrm{softmax}": d.softmax,
        r"\mathrm{NLL}(T)": d.temperature_nll(y, z, T),
        r"\frac{d\,\mathrm{NLL}}{d\beta}": slope(lambda beta: d.temperature_nll(y, z, 1 / beta), 1 / T),
        r"\frac{d^2\,\mathrm{NLL}}{d\beta^2}": slope(lambda beta: d.logit_balance(y, z, 1 / beta)[0], 1 / T),
        r"\mathbb{E}_{q}[z_i]": lambda i: expected[i - 1],
        r"\mathrm{Var}_{q}(z_i)": lambda i: q[i - 1] @ (z[i - 1] - expected[i - 1]) ** 2,
        "eq-softmax": {"z": z[0], "z_": z[0]}, "eq-temperature": {"z": z[0], "q_k(T)": lambda k: q[0, k - 1]},
        "eq-temperature-stationary": {"=": d.logit_balance(y, z, T)},
    }


def expectation_consistency(draw: Any) -> Values:
    """Draw logits with labels, and a temperature; and a binary logit with its label."""
    y, z, T = draw.permutation(LABELS), draw.normal(size=(n, K)), draw.uniform(0.5, 2)
    one, label = draw.normal(), draw.integers(2)
    return ROWS | CLASSES | {
        "T": T, r"\beta": 1 / T, "z_": z, "y_": y, r"\hat y_": z.argmax(axis=1),
        r"\mathrm{softmax}": d.softmax, r"\sigma": d.sigmoid, "z": one, "y": label,
        r"\text{confidence}": d.sigmoid(abs(one) / T), r"\text{correct}": int((one > 0) == label),
        "eq-expectation-consistency": {"=": d.confidence_and_accuracy(y, z.tolist(), T)},
    }


def matrix_scaling(draw: Any) -> Values:
    """Draw logits with labels, a matrix and intercepts; and how far they lie from the temperature's."""
    y, z, b = draw.permutation(LABELS), draw.normal(size=(n, K)), draw.normal(size=K)
    W = draw.normal(size=(K, K))
    q, m = np.array([d.matrix_scaling(row, W, b) for row in z]), draw.normal(size=(K, K))
    a, strength, of_vector = draw.normal(), *draw.random(2)
    loss = d.penalised_loss(y, q.tolist(), a, b, m.tolist(), strength, of_vector)
    return ROWS | CLASSES | {
        "z_": z[0], "W_": W, "b_": b, "q_": q, "y_": y + 1, "J": loss, "a": a, r"\lambda": strength, 
        r"\mu": of_vector, "m_": m, r"j \in": range(1, K + 1), "eq-matrix-scaling": {"q_": q[0]},
    }


def one_vs_rest(draw: Any) -> Values:
    """Draw a probability for each class against the rest; and rows with labels, one of them to calibrate."""
    r, uniform = draw.random(K), r"q_k = \frac{1}{K} \text{ where all } r_j = 0"
    y, p, epsilon = draw.permutation(LABELS), draw.dirichlet([2] * K, n), draw.random()
    hits, pooled = np.eye(K)[y].ravel(), p.ravel()

    def curve(x: float) -> float:
        return d.isotonic_value(hits, pooled, x)

    return CLASSES | {
        "r_": r, "q_": d.one_vs_rest(r), uniform: d.one_vs_rest([0.0] * K) == [1 / K] * K,
        "eq-multi-class-isotonic": {
            "p": p[1, 0], "p_": p[0], r"\epsilon": epsilon, r"\hat g": curve,
            "g": lambda x: (1 - epsilon) * curve(x) + epsilon * x,
            "q_": d.multi_class_isotonic(y.tolist(), p.tolist(), p[0].tolist(), epsilon),
        },
    }


def training(draw: Any) -> Values:
    """Draw the probabilities of a row's label, and the share that is spread over all classes."""
    p, a, y = draw.dirichlet([2] * K), draw.random(), int(draw.integers(K))
    return CLASSES | {
        "p_": p, "a": a, "y": y + 1, "t_": d.smoothed_label(y, K, a), "q_": d.smoothed_truth(p.tolist(), a),
    }


def decisions(draw: Any) -> Values:
    """Draw costs of J decisions in K classes, forecasts, and decisions that were taken."""
    p, costs, (alarm, miss) = draw.dirichlet([2] * K), draw.random((K, J)), draw.random(2)
    y, taken, sure = draw.permutation(LABELS), draw.integers(0, J, n), np.sort(draw.random(n))[::-1]
    expected = [d.expected_cost(p, costs, j) for j in range(J)]
    abstaining = min(expected) + draw.choice([-0.1, 0.1])
    return ROWS | CLASSES | {
        "p_": p, "C_": costs, r"d \in": range(1, J + 1), r"\bar C_d(p)": lambda d: expected[d - 1],
        "d^*(p)": d.optimal_decision(p, costs) + 1, "y_": y + 1, "d_": taken + 1,
        "t": d.optimal_threshold(alarm, miss), "c_{FP}": alarm, "c_{FN}": miss,
        "eq-mean-cost": {"=": d.mean_cost(y, taken, costs)},
        "eq-aurc": {
            r"\mathrm{AURC}": d.area_under_risk_coverage(sure.tolist(), y < 2), "c_": y < 2,
            r"\hat p_1 \ge \hat p_2 \ge \dots \ge \hat p_n": True,
        },
        "eq-augrc": {
            r"\mathrm{AUGRC}": d.area_under_generalized_risk(sure.tolist(), y < 2), "c_": y < 2,
            r"\hat p_1 \ge \hat p_2 \ge \dots \ge \hat p_n": True,
        },
        "eq-abstain": {"a": abstaining, "=": bool(d.abstains(p, costs, abstaining))},
    }


def clinic(draw: Any) -> Values:
    """Draw who is ill, what was predicted, and a threshold of treatment."""
    y, p, t, error = draw.permutation(OUTCOMES), draw.random(n), draw.random(), draw.random()
    treated, odds = p >= t, np.log(p / (1 - p))
    return ROWS | {
        "t": t,
        r"\mathrm{TP}": (treated & (y == 1)).sum(), r"\mathrm{FP}": (treated & (y == 0)).sum(),
        r"\mathrm{NB}(t)": d.net_benefit(y.tolist(), p.tolist(), t),
        "p_": p, "x_": odds, r"\bar x": (p * (1 - p)) @ odds / (p @ (1 - p)), r"\mathrm{SE}": error,
        "N": d.validation_size(p.tolist(), error),
    }


def shift(draw: Any) -> Values:
    """Draw confidences of new rows, with a threshold from old ones."""
    sure = draw.random(n)
    return ROWS | {r"\hat a": d.share_above(sure, [0.2, 0.6, 0.4], 1), r"\hat p_": sure, "t": 0.4}


def label_shift(draw: Any) -> Values:
    """Draw class proportions before, guessed and after, and densities and mean forecasts of each class."""
    (old, guess, new), density = draw.dirichlet([2] * K, 3), draw.random((n, K))
    p, confusion = density * old / (density @ old)[:, None], draw.dirichlet([2] * K, K).T
    ratios, average = draw.random(K), p.mean(axis=0)
    return ROWS | CLASSES | {
        r"P(p \mid k)": lambda k: density[0, k - 1], "P(p)": density[0] @ old, "P'(p)": density[0] @ new,
        "p_": p[0], "p'_": d.adjust_to_priors(p[0], old, new), r"\pi_": old, r"\pi'": new,
        r"\pi^{(t)}": guess, r"\pi^{(t+1)}_": d.next_priors(p, old, guess),
        "p_{ik}": lambda i, k: p[i - 1, k - 1], "p_{il}": lambda i, l: p[i - 1, l - 1],  # noqa: E741
        "p^{(t)}_": [d.adjust_to_priors(row, old, guess) for row in p],
        "L": lambda priors: np.log(density @ priors / (density @ old)).sum(),
        "M_": confusion, r"\Delta": 0.1, "w": ratios, r"\bar p_": average, r"j \in": range(1, K + 1),
        "J": lambda w: d.penalized_mismatch(confusion, old, w, average, 0.1),
        "eq-confusion-shift": {"p_{ij}": lambda i, j: d.mixture_and_mean(confusion, new, p)[0][j - 1]},
    }


def covariate_shift(draw: Any) -> Values:
    """Draw the forecast that a row is new; weights of rows with their scores, and a new row's weight."""
    g, s, w = 0.1 + 0.8 * draw.random(), draw.random(n), 0.5 + draw.random(n)
    return ROWS | {
        "x": 0.5, "w_": w,
        "eq-density-ratio": {"w": lambda x: d.density_ratio(g, n, 7), "n'": 7, "g": lambda x: g},
        "eq-effective-rows": {r"n_\text{eff}": d.effective_rows(w.tolist())},
        "eq-weighted-conformal": {
            "s_": s, "w": lambda x: x, r"q \in": list(s), r"\alpha": 0.4,
            r"\hat q": lambda x: d.weighted_threshold(s.tolist(), w.tolist(), x, 0.4),
        },
    }


def imbalance(draw: Any) -> Values:
    """Draw a probability and the weights of both classes; and log-odds with labels, and an intercept."""
    (p, w_0, w_1, b), z, y = 0.1 + 0.8 * draw.random(4), draw.normal(size=n), draw.permutation(OUTCOMES)
    return ROWS | {
        "p": p, "w_0": w_0, "w_1": w_1, "p^{w}": d.weighted_probability(p, w_0, w_1),
        "b": b, "z_": z, "y_": y, r"\sigma": d.sigmoid,
        "eq-intercept-update": {"=": d.forecast_and_share(y, z, b)},
    }


def conformal(draw: Any) -> Values:
    """Draw scores, each a candidate for the threshold."""
    s = draw.random(n)
    return ROWS | {
        "s_": s, r"q \in": list(s), r"\alpha": 0.3, r"\hat q": d.conformal_threshold(s.tolist(), 0.3),
    }


def subgroups(draw: Any) -> Values:
    """Draw forecasts and labels, and a group of three rows."""
    p, y, group = draw.random(n), draw.permutation(OUTCOMES), [1, 2, 4]
    inside = [i - 1 for i in group]
    return ROWS | {"p_": p, "y_": y, "G": group, "z_G": d.group_gap(y[inside].tolist(), p[inside].tolist())}


def conformal_conditions(draw: Any) -> Values:
    """Draw a forecast and its label, rows and the harm of missing each, and a level with a miss or a hit."""
    p, y, u = draw.dirichlet([2] * K), int(draw.integers(K)), draw.random()
    s, h = draw.random(n), draw.random(n)
    level, missed = draw.random(), int(draw.integers(2))
    return CLASSES | {
        "p_": p, "p_y": p[y], "u": u, "s": d.adaptive_score(p.tolist(), y, u),
        r"\alpha": 0.3, r"\gamma": 0.1, r"\alpha_t": level, "e_t": missed,
        r"\alpha_{t+1}": d.next_level(level, missed, 0.3, 0.1),
        "eq-risk-threshold": ROWS | {
            "s_": s, "h_": h, r"q \in": list(s), "B": 1, r"\hat q": d.risk_threshold(s, h, 0.3, 1),
        },
    }


def language_models(draw: Any) -> Values:
    """Draw the probabilities of the tokens of options of different lengths."""
    q = [draw.random(length).tolist() for length in (1, 4, 2)]
    return CLASSES | {
        "q_": q, "L_": [1, 4, 2], "s_": [math.log(math.prod(option)) for option in q],
        "p_": d.option_probabilities(q),
    }


def scale(draw: Any) -> Values:
    """Draw confidences in bins, and hits."""
    p, hits = draw.random(n), draw.permutation(OUTCOMES)
    bins = [rows for rows in bins_of(p, QUARTERS) if rows]
    sizes = [len(rows) for rows in bins]
    return ROWS | {"M": len(bins), "n_": sizes, "c_": hits, r"\hat p_": p, "B_": bins}
