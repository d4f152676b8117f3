"""Every numbered equation of the book, transcribed literally.

The yardstick: pure Python, loops and all, readable beside the formula by someone who knows no
NumPy. It imports nothing of the package. Each function carries the label and the formula of its equation;
the tests hold it to the formula, and hold the fast public function of the same equation to it. On the
site each runs in the reader's browser, with its example; in JupyterLab `edit(label)` puts it into a new cell.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar


@dataclass(frozen=True)
class Definition:
    """A numbered equation: label, formula, transcription, example, and the public function that is fast."""

    label: str
    latex: str
    compute: Callable[..., Any]
    example: str
    function: str | None
    reason: str | None

    @property
    def name(self) -> str:
        """Name of the transcription."""
        return self.compute.__name__


class Source:
    """The source of a definition, shown as code in a notebook and on the site."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.text}\n```"


NUMBERED: dict[str, Definition] = {}


F = TypeVar("F", bound=Callable[..., Any])


def numbered(
    label: str, *, latex: str, example: str, function: str | None = None, reason: str | None = None
) -> Callable[[F], F]:
    """Register the transcription of the equation `label`.

    `latex` is the formula. It has its home here: the chapter, the page of equations and the API page show it.
    `example` calls the transcription on a few numbers, those of its lesson where that has some; it ends in an
    expression, whose value is shown.
    `function` names the public function that computes the same, `reason` says why there is none.
    """

    def register(compute: F) -> F:
        if label in NUMBERED:
            raise ValueError(f"{label} is transcribed twice")
        if (function is None) == (reason is None):
            raise ValueError(f"{label}: give the public function, or the reason why there is none")
        texts = inspect.cleandoc(latex), inspect.cleandoc(example)
        NUMBERED[label] = Definition(label, texts[0], compute, texts[1], function, reason)
        return compute

    return register


def find(label: str) -> Definition:
    """Look up the equation `label`."""
    if label not in NUMBERED:
        raise ValueError(f"label = {label!r}: expected one of {', '.join(NUMBERED)}")
    return NUMBERED[label]


def text_of(function: Callable[..., Any]) -> str:
    """Text of a function of this module, without its registration."""
    return re.split(r"^(?=def )", inspect.getsource(function), maxsplit=1, flags=re.MULTILINE)[1].rstrip()


def source(label: str) -> Source:
    """Show the transcription of the equation `label`."""
    return Source(text_of(find(label).compute))


def program(label: str) -> str:
    """Text that runs by itself: the transcription of the equation `label`, what it calls, and its example."""
    ours = {name: value for name, value in globals().items() if inspect.isfunction(value)}
    texts: dict[str, str] = {}
    unread = [find(label).example]
    while unread:
        names = {node.id for node in ast.walk(ast.parse(unread.pop())) if isinstance(node, ast.Name)}
        for name in names & ours.keys() - texts.keys():
            texts[name] = text_of(ours[name])
            unread.append(texts[name])
    parts = [texts[name] for name in ours if name in texts]  # in the order of this module
    return "\n\n\n".join(["import math", *parts, find(label).example])


def edit(label: str) -> None:
    """Put the transcription of the equation `label` into a new cell of the notebook, to change and run."""
    from IPython import get_ipython

    text, notebook = program(label), get_ipython()
    if notebook is None:
        raise RuntimeError("edit needs a notebook; elsewhere program(label) gives the text")
    notebook.set_next_input(text)


# what several examples of a chapter begin with

MEMBERS = "members = [[0.9, 0.1, 0.0], [0.1, 0.9, 0.0], [0.4, 0.4, 0.2]]\n"
FIVE_ROWS = "rows = [[1, 1.2], [1, -0.5], [1, 0.8], [1, -1.0], [1, 0.3]]\n"
TWO_CLASSES = FIVE_ROWS + "labels = [1, 0, 1, 0, 1]\n"
THREE_CLASSES = """\
thetas = [[2.0, 0.3], [-1.0, 0.0], [0.5, -0.3]]
rows = [[1, 0.5], [1, -1.0], [1, 2.0]]
"""
NINE_ANSWERS = """\
confidences = [0.78, 0.64, 0.92, 0.58, 0.51, 0.85, 0.70, 0.63, 0.83]
correct = [1, 1, 0, 1, 0, 1, 1, 0, 1]
edges = [0, 0.2, 0.4, 0.6, 0.8, 1]
"""
SIX_DAYS = "outcomes = [0, 0, 1, 1, 1, 0]\nforecasts = [0.2, 0.2, 0.2, 0.8, 0.8, 0.8]\n"
LOGITS = "logits = [[2.0, 1.0, 0.5], [1.5, 2.5, 0.0], [0.8, 1.2, 3.0]]\n"
MAIL = "mail = [[0, 9], [1, 0]]\n"


# uncertainty/coin


@numbered(
    "eq-coin-likelihood",
    latex=r"L(h) = \binom{N}{s}\, h^{s} (1 - h)^{N - s}",
    reason="SciPy has the job: scipy.stats.binom.pmf",
    example="coin_likelihood(0.7, heads=7, tosses=10)",
)
def coin_likelihood(h, heads, tosses):
    """Probability that a coin of bias h shows so many heads in its tosses."""
    return math.comb(tosses, heads) * h**heads * (1 - h) ** (tosses - heads)


def binary_entropy(h):
    """Entropy of a coin of bias h, in bits."""
    return sum(-q * math.log2(q) for q in (h, 1 - h) if q > 0)


@numbered(
    "eq-coin-entropy",
    latex=r"""
    \begin{aligned}
    \text{total} &= H\big(\mathbb{E}[h]\big) \\
    \text{aleatoric} &= \mathbb{E}\big[H(h)\big] = \frac{\int_0^1 H(h)\, L(h)\, dh}{\int_0^1 L(h)\, dh} \\
    \text{epistemic} &= \text{total} - \text{aleatoric}
    \end{aligned}
    """,
    function="uncertainty.coin_uncertainty",
    example="coin_entropies(heads=5, tosses=10)",
)
def coin_entropies(heads, tosses, slices=2000):
    """Total, aleatoric and epistemic part in bits; slices make the integral."""
    area = mean = aleatoric = 0.0
    for i in range(slices):
        h = (i + 0.5) / slices
        weight = coin_likelihood(h, heads, tosses)
        area = area + weight
        mean = mean + weight * h
        aleatoric = aleatoric + weight * binary_entropy(h)
    total = binary_entropy(mean / area)
    return total, aleatoric / area, total - aleatoric / area


@numbered(
    "eq-plausibility",
    latex=r"\pi(1) = \sup_{0 \le h \le 1} \min\left( \frac{L(h)}{L_{\max}},\; \max(2h - 1,\, 0) \right)",
    function="uncertainty.coin_plausibility",
    example="plausibility_of_heads(heads=7, tosses=10)",
)
def plausibility_of_heads(heads, tosses, steps=2000):
    """Largest minimum, over all coins, of likelihood and leaning to heads."""
    coins = [i / steps for i in range(steps + 1)]
    highest = (
        coin_likelihood(heads / tosses, heads, tosses) if tosses > 0 else 1.0
    )
    return max(
        min(coin_likelihood(h, heads, tosses) / highest, max(2 * h - 1, 0))
        for h in coins
    )


@numbered(
    "eq-plausibility-split",
    latex=r"""
    \text{epistemic} = \min\big(\pi(1), \pi(0)\big), \qquad
    \text{aleatoric} = 1 - \max\big(\pi(1), \pi(0)\big)
    """,
    function="uncertainty.coin_plausibility",
    example="""
    for_heads = plausibility_of_heads(heads=7, tosses=10)
    for_tails = plausibility_of_heads(heads=3, tosses=10)
    plausibility_split(for_heads, for_tails)
    """,
)
def plausibility_split(for_heads, for_tails):
    """Aleatoric part, which both outcomes lack; epistemic, which both share."""
    return 1 - max(for_heads, for_tails), min(for_heads, for_tails)


@numbered(
    "eq-coin-expected",
    latex=r"\mathbb{E}_p[u] = \sum_{s=0}^{N} \binom{N}{s}\, p^{s} (1 - p)^{N - s}\; u(s, N)",
    function="uncertainty.expected_coin_uncertainty",
    example="""
    def epistemic(heads, tosses):
        return coin_entropies(heads, tosses, slices=200)[2]


    coin_expected(0.5, 10, epistemic)
    """,
)
def coin_expected(p, tosses, uncertainty):
    """Mean of an uncertainty over the number of heads of a coin of bias p."""
    return sum(
        coin_likelihood(p, heads, tosses) * uncertainty(heads, tosses)
        for heads in range(tosses + 1)
    )


# uncertainty/classifiers


@numbered(
    "eq-kernel-confidence",
    latex=r"""
    \begin{aligned}
    \mathrm{conf}(x_0) &=
    \frac{1 + \sum_{i=1}^{n} \kappa(x_0, x_i)\, [\, y_i = \psi(x_0)\, ]}
    {K + \sum_{i=1}^{n} \kappa(x_0, x_i)}, \\
    \kappa(x_0, x_i) &= e^{-\lVert x_0 - x_i \rVert^2 / (2 \ell^2)}
    \end{aligned}
    """,
    function="uncertainty.kernel_confidence",
    example="""
    patients = [[0.5, 1.2], [1.4, 0.6], [-0.4, -1.1], [4.0, -3.1]]
    ill = [1, 1, 0, 0]
    place = [0.7, 0.7]
    kernel_confidence(patients, ill, place, predicted=1, bandwidth=0.7, n_classes=2)
    """,
)
def kernel_confidence(rows, labels, place, predicted, bandwidth, n_classes):
    """Share of the predicted class in similar rows, plus one throw a class."""
    agreeing = near = 0.0
    for row, label in zip(rows, labels, strict=True):
        distance = math.dist(place, row)
        similarity = math.exp(-(distance**2) / (2 * bandwidth**2))
        near = near + similarity
        if label == predicted:
            agreeing = agreeing + similarity
    return (1 + agreeing) / (n_classes + near)


# uncertainty/ensembles


@numbered(
    "eq-model-average",
    latex=r"""
    p(y \mid x, D) = \int p(y \mid x, \theta)\, q(\theta \mid D)\, d\theta
    \approx \frac{1}{J} \sum_{j=1}^{J} p(y \mid x, \theta_j), \qquad \theta_j \sim q(\theta \mid D)
    """,
    reason="NumPy has the job: members.mean(axis=0)",
    example=MEMBERS + "model_average(members)",
)
def model_average(members):
    """Mean of the members' probabilities, class by class."""
    columns = zip(*members, strict=True)
    return [sum(column) / len(members) for column in columns]


@numbered(
    "eq-ensemble-entropy",
    latex=r"""
    \underbrace{H(\bar p)}_{\text{total}}
    = \underbrace{\frac{1}{J} \sum_{j=1}^{J} H(p_j)}_{\text{aleatoric}}
    + \underbrace{\frac{1}{J} \sum_{j=1}^{J}
    \sum_{k} p_{jk} \log_2 \frac{p_{jk}}{\bar p_k}}_{\text{epistemic}}
    """,
    function="uncertainty.decompose_uncertainty",
    example=MEMBERS + "ensemble_entropies(members)",
)
def ensemble_entropies(members):
    """Entropy of the mean, mean entropy, mean divergence from it; in bits."""
    mean = model_average(members)
    total = sum(-q * math.log2(q) for q in mean if q > 0)
    aleatoric = epistemic = 0.0
    for member in members:
        for p, q in zip(member, mean, strict=True):
            if p > 0:
                aleatoric = aleatoric - p * math.log2(p) / len(members)
                epistemic = epistemic + p * math.log2(p / q) / len(members)
    return total, aleatoric, epistemic


# models/logistic_regression


@numbered(
    "eq-log-odds",
    latex=r"\log \frac{P(y = 1 \mid x)}{P(y = 0 \mid x)} = \theta^\top x = \sum_j \theta_j x_j",
    function="models.LogisticRegression",
    example="linear_log_odds(theta=[math.log(1 / 3) - 2, 2], x=[1, 0.5])",
)
def linear_log_odds(theta, x):
    """Weigh the features and add up; x starts with a 1 for the intercept."""
    return sum(t * feature for t, feature in zip(theta, x, strict=True))


@numbered(
    "eq-sigmoid",
    latex=r"P(y = 1 \mid x) = \sigma(z) = \frac{1}{1 + e^{-z}}",
    function="models.LogisticRegression",
    example="[sigmoid(z) for z in (-2, 0, 2)]",
)
def sigmoid(z):
    """Turn log-odds into a probability."""
    return 1 / (1 + math.exp(-z))


@numbered(
    "eq-logistic-loss",
    latex=r"L(\theta) = - \sum_{i=1}^{n} \bigl[ y_i \log p_i + (1 - y_i) \log (1 - p_i) \bigr]",
    function="models.LogisticRegression",
    example=TWO_CLASSES + "logistic_loss([0, 1], rows, labels)",
)
def logistic_loss(theta, rows, labels):
    """Sum over rows of -log of the probability of the true class, in nats."""
    total = 0.0
    for x, y in zip(rows, labels, strict=True):
        p = sigmoid(linear_log_odds(theta, x))
        total = total - (math.log(p) if y == 1 else math.log(1 - p))
    return total


@numbered(
    "eq-logistic-gradient",
    latex=r"\frac{\partial L}{\partial \theta_j} = \sum_{i=1}^{n} (p_i - y_i) \, x_{ij}",
    function="models.LogisticRegression",
    example=TWO_CLASSES + "logistic_gradient([0, 1], rows, labels)",
)
def logistic_gradient(theta, rows, labels):
    """Sum over the rows of (probability - label) times each feature."""
    gradient = [0.0] * len(theta)
    for x, y in zip(rows, labels, strict=True):
        p = sigmoid(linear_log_odds(theta, x))
        for j in range(len(theta)):
            gradient[j] = gradient[j] + (p - y) * x[j]
    return gradient


@numbered(
    "eq-logistic-hessian",
    latex=r"""
    \frac{\partial^2 L}{\partial \theta_j \, \partial \theta_k}
    = \sum_{i=1}^{n} p_i (1 - p_i) \, x_{ij} x_{ik}
    """,
    function="models.LogisticRegression",
    example=FIVE_ROWS + "logistic_hessian([0, 1], rows)",
)
def logistic_hessian(theta, rows):
    """Sum over the rows of p (1 - p) times each product of two features."""
    hessian = [[0.0] * len(theta) for _ in theta]
    for x in rows:
        p = sigmoid(linear_log_odds(theta, x))
        for j in range(len(theta)):
            for k in range(len(theta)):
                hessian[j][k] = hessian[j][k] + p * (1 - p) * x[j] * x[k]
    return hessian


# models/softmax_regression


@numbered(
    "eq-softmax-regression",
    latex=r"""
    P(y = k \mid x) = \frac{e^{\theta_k^\top x}}{1 + \sum_{l=1}^{K-1} e^{\theta_l^\top x}} , \qquad
    P(y = K \mid x) = \frac{1}{1 + \sum_{l=1}^{K-1} e^{\theta_l^\top x}}
    """,
    function="models.SoftmaxRegression",
    example="softmax_regression([[1.5], [-1.5]], x=[1])",
)
def softmax_regression(thetas, x):
    """Turn K - 1 log-ratios to the last class into K probabilities."""
    odds = [math.exp(linear_log_odds(theta, x)) for theta in thetas]
    return [o / (1 + sum(odds)) for o in odds] + [1 / (1 + sum(odds))]


@numbered(
    "eq-softmax-symmetric",
    latex=r"""
    P(y = k \mid x) = \frac{e^{\theta_k^\top x}}{\sum_{l=1}^{K} e^{\theta_l^\top x}} , \qquad k = 1, \dots, K
    """,
    function="models.SoftmaxRegression",
    example="softmax_regression_symmetric([[2.0], [-1.0], [0.5]], x=[1])",
)
def softmax_regression_symmetric(thetas, x):
    """Turn K linear scores, one for each class, into K probabilities."""
    odds = [math.exp(linear_log_odds(theta, x)) for theta in thetas]
    return [o / sum(odds) for o in odds]


@numbered(
    "eq-softmax-likelihood",
    latex=r"L(\theta) = - \sum_{i=1}^{n} \sum_{k=1}^{K} \mathbb 1[y_i = k] \, \log P(y = k \mid x_i)",
    function="models.SoftmaxRegression",
    example=THREE_CLASSES + "softmax_loss(thetas, rows, labels=[0, 2, 1])",
)
def softmax_loss(thetas, rows, labels):
    """Sum over rows and classes of -log p, where the class is the true one."""
    total = 0.0
    for x, y in zip(rows, labels, strict=True):
        for k, p in enumerate(softmax_regression_symmetric(thetas, x)):
            total = total - (math.log(p) if k == y else 0)
    return total


@numbered(
    "eq-softmax-gradient",
    latex=r"""
    \frac{\partial L}{\partial \theta_{kj}}
    = \sum_{i=1}^{n} \bigl( p_{ik} - \mathbb 1[y_i = k] \bigr) \, x_{ij}
    """,
    function="models.SoftmaxRegression",
    example=THREE_CLASSES + "softmax_gradient(thetas, rows, labels=[0, 2, 1])",
)
def softmax_gradient(thetas, rows, labels):
    """Sum over rows: features times (p - 1 where the class is the true one)."""
    gradient = [[0.0] * len(theta) for theta in thetas]
    for x, y in zip(rows, labels, strict=True):
        for k, p in enumerate(softmax_regression_symmetric(thetas, x)):
            for j in range(len(x)):
                gradient[k][j] += (p - (1 if k == y else 0)) * x[j]
    return gradient


# measures/reliability


@numbered(
    "eq-bin",
    latex=r"""
    B_m = \left\{ i : \tfrac{m-1}{M} < \hat p_i \le \tfrac mM \right\}, \qquad \hat p_i = 0 \text{ joins } B_1
    """,
    function="reliability_curve",
    example="""
    edges = [m / 10 for m in range(11)]
    [bin_number(p, edges) for p in (0, 0.3, 0.1 + 0.2, 1)]
    """,
)
def bin_number(p, edges):
    """Find the bin m that holds p: right-closed, and 0 falls in the first."""
    m = 1
    while p > edges[m] and m < len(edges) - 1:
        m = m + 1
    return m


@numbered(
    "eq-accuracy",
    latex=r"\mathrm{acc}(B_m) = \frac{1}{n_m} \sum_{i \in B_m} \mathbf 1(\hat y_i = y_i)",
    function="reliability_curve",
    example="""
    # class-wise but not confidence-calibrated: rows of each class after a forecast
    came_after = {
        (0.40, 0.35, 0.25): (10, 5, 5),
        (0.40, 0.10, 0.50): (6, 2, 12),
        (0.15, 0.35, 0.50): (3, 9, 8),
    }
    confidences, correct = [], []
    for p, came in came_after.items():
        for k in range(3):
            confidences += [max(p)] * came[k]
            correct += [p[k] == max(p)] * came[k]
    edges = [m / 10 for m in range(11)]
    [bin_accuracy(confidences, correct, edges, m) for m in (4, 5)]  # said: 0.4, 0.5
    """,
)
def bin_accuracy(confidences, correct, edges, m):
    """Share of the rows in bin m that are correct."""
    rows = zip(confidences, correct, strict=True)
    inside = [hit for p, hit in rows if bin_number(p, edges) == m]
    return sum(inside) / len(inside)


@numbered(
    "eq-confidence",
    latex=r"\mathrm{conf}(B_m) = \frac{1}{n_m} \sum_{i \in B_m} \hat p_i",
    function="reliability_curve",
    example="""
    scores = [0.05, 0.05, 0.02, 0.01, 0.02]
    edges = [m / 10 for m in range(11)]
    bin_confidence(scores, edges, m=1)
    """,
)
def bin_confidence(confidences, edges, m):
    """Mean confidence of the rows in bin m."""
    inside = [p for p in confidences if bin_number(p, edges) == m]
    return sum(inside) / len(inside)


# measures/ece


@numbered(
    "eq-ece",
    latex=r"""
    \mathrm{ECE} = \sum_{m=1}^{M} \frac{n_m}{n} \, \bigl| \mathrm{acc}(B_m) - \mathrm{conf}(B_m) \bigr|
    """,
    function="expected_calibration_error",
    example=NINE_ANSWERS + "expected_calibration_error(confidences, correct, edges)",
)
def expected_calibration_error(confidences, correct, edges):
    """Mean absolute gap of accuracy and confidence, bins weighted by rows."""
    n = len(confidences)
    total = 0.0
    for m in range(1, len(edges)):
        count = sum(1 for p in confidences if bin_number(p, edges) == m)
        if count > 0:
            accuracy = bin_accuracy(confidences, correct, edges, m)
            confidence = bin_confidence(confidences, edges, m)
            total = total + count / n * abs(accuracy - confidence)
    return total


@numbered(
    "eq-mce",
    latex=r"\mathrm{MCE} = \max_{m : n_m > 0} \bigl| \mathrm{acc}(B_m) - \mathrm{conf}(B_m) \bigr|",
    function="maximum_calibration_error",
    example=NINE_ANSWERS + "maximum_calibration_error(confidences, correct, edges)",
)
def maximum_calibration_error(confidences, correct, edges):
    """Largest gap between accuracy and confidence over bins that hold a row."""
    return max(
        abs(
            bin_accuracy(confidences, correct, edges, m)
            - bin_confidence(confidences, edges, m)
        )
        for m in {bin_number(p, edges) for p in confidences}
    )


# measures/proper_scores


@numbered(
    "eq-brier-binary",
    latex=r"\mathrm{BS} = \frac{1}{n} \sum_{i=1}^{n} (p_i - y_i)^2",
    function="brier_score",
    example="brier_binary(outcomes=[1, 0, 1], forecasts=[0.9, 0.6, 0.2])",
)
def brier_binary(outcomes, forecasts):
    """Mean squared difference between forecast and outcome, in [0, 1]."""
    rows = zip(outcomes, forecasts, strict=True)
    return sum((p - y) ** 2 for y, p in rows) / len(outcomes)


@numbered(
    "eq-brier",
    latex=r"""
    \mathrm{BS} = \frac{1}{n} \sum_{i=1}^{n} \sum_{k=1}^{K} (p_{ik} - y_{ik})^2 ,
    \qquad y_{ik} = 1 \text{ if row } i \text{ is of class } k \text{, else } 0
    """,
    function="brier_score",
    example="brier(labels=[0, 2], forecasts=[[0.7, 0.2, 0.1], [0.7, 0.2, 0.1]])",
)
def brier(labels, forecasts):
    """Mean over the rows of the sum over the classes, in [0, 2]."""
    total = 0.0
    for y, row in zip(labels, forecasts, strict=True):
        for k, p in enumerate(row):
            total = total + (p - (1 if k == y else 0)) ** 2
    return total / len(labels)


@numbered(
    "eq-nll",
    latex=r"\mathrm{NLL} = - \frac{1}{n} \sum_{i=1}^{n} \log p_{i y_i}",
    function="negative_log_likelihood",
    example="""
    forecasts = [[0.1, 0.9], [0.4, 0.6], [0.8, 0.2]]
    negative_log_likelihood([1, 0, 1], forecasts)
    """,
)
def negative_log_likelihood(labels, forecasts):
    """Mean of -log of the probability given to the true class, in nats."""
    total = 0.0
    for y, row in zip(labels, forecasts, strict=True):
        total = total + (math.inf if row[y] == 0 else -math.log(row[y]))
    return total / len(labels)


# measures/brier_decomposition


@numbered(
    "eq-brier-decomposition",
    latex=r"""
    \mathrm{BS} = \underbrace{\sum_f \frac{n_f}{n} (f - \bar o_f)^2}_{\text{reliability}}
    - \underbrace{\sum_f \frac{n_f}{n} (\bar o_f - \bar o)^2}_{\text{resolution}}
    + \underbrace{\bar o \, (1 - \bar o)}_{\text{uncertainty}}
    """,
    function="brier_decomposition",
    example=SIX_DAYS + "brier_decomposition(outcomes, forecasts)",
)
def brier_decomposition(outcomes, forecasts):
    """Reliability, resolution, uncertainty, by rows that share a forecast."""
    n = len(outcomes)
    base_rate = sum(outcomes) / n
    reliability = resolution = 0.0
    for f in set(forecasts):
        group = [o for o, p in zip(outcomes, forecasts, strict=True) if p == f]
        frequency = sum(group) / len(group)
        reliability = reliability + len(group) / n * (f - frequency) ** 2
        resolution = resolution + len(group) / n * (frequency - base_rate) ** 2
    return reliability, resolution, base_rate * (1 - base_rate)


@numbered(
    "eq-brier-within-bin",
    latex=r"""
    \mathrm{WBT} = \frac{1}{n} \sum_b \sum_{i \in b}
    \left[ (f_i - \bar f_b)^2 - 2 \, (f_i - \bar f_b)(y_i - \bar o_b) \right]
    """,
    function="brier_decomposition",
    example="""
    outcomes = [0, 0, 1, 1, 1, 0]
    forecasts = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9]
    brier_within_bin(outcomes, forecasts, edges=[0, 0.5, 1])
    """,
)
def brier_within_bin(outcomes, forecasts, edges):
    """Add up what bins hide: variance of p less twice its covariance with y."""
    n = len(outcomes)
    total = 0.0
    for b in range(1, len(edges)):
        rows = [i for i in range(n) if bin_number(forecasts[i], edges) == b]
        if rows:
            mean_forecast = sum(forecasts[i] for i in rows) / len(rows)
            frequency = sum(outcomes[i] for i in rows) / len(rows)
            for i in rows:
                stray = forecasts[i] - mean_forecast
                total = total + stray**2 - 2 * stray * (outcomes[i] - frequency)
    return total / n


@numbered(
    "eq-brier-corrected",
    latex=r"""
    \mathrm{REL}' = \mathrm{REL} - \sum_{f \,:\, n_f > 1} \frac{n_f}{n}
    \; \frac{\bar o_f (1 - \bar o_f)}{n_f - 1}
    """,
    function="brier_decomposition",
    example=SIX_DAYS + "brier_reliability_corrected(outcomes, forecasts)",
)
def brier_reliability_corrected(outcomes, forecasts):
    """Reliability, less the estimated variance of each group's frequency."""
    n = len(outcomes)
    reliability, _, _ = brier_decomposition(outcomes, forecasts)
    for f in set(forecasts):
        group = [o for o, p in zip(outcomes, forecasts, strict=True) if p == f]
        frequency = sum(group) / len(group)
        if len(group) > 1:
            variance = frequency * (1 - frequency) / (len(group) - 1)
            reliability = reliability - len(group) / n * variance
    return reliability


@numbered(
    "eq-corp",
    latex=r"""
    \mathrm{BS}(f) = \underbrace{\mathrm{BS}(f) - \mathrm{BS}(c)}_{\text{miscalibration}}
    - \underbrace{\bigl( \mathrm{BS}(\bar o) - \mathrm{BS}(c) \bigr)}_{\text{discrimination}}
    + \underbrace{\mathrm{BS}(\bar o)}_{\text{uncertainty}}
    """,
    function="corp_decomposition",
    example=SIX_DAYS
    + "recalibrated = [1 / 3, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 2 / 3]\n"
    + "corp_decomposition(outcomes, forecasts, recalibrated)",
)
def corp_decomposition(outcomes, forecasts, recalibrated):
    """Miscalibration, discrimination, uncertainty: from three Brier scores."""
    base_rate = [sum(outcomes) / len(outcomes)] * len(outcomes)
    score = brier_binary(outcomes, forecasts)
    best = brier_binary(outcomes, recalibrated)
    uncertainty = brier_binary(outcomes, base_rate)
    return score - best, uncertainty - best, uncertainty


@numbered(
    "eq-log-split",
    latex=r"""
    \mathrm{NLL} = \underbrace{\sum_f \frac{n_f}{n} \left[ \bar o_f \log \frac{\bar o_f}{f}
    + (1 - \bar o_f) \log \frac{1 - \bar o_f}{1 - f} \right]}_{\text{calibration}}
    + \underbrace{\sum_f \frac{n_f}{n} H(\bar o_f)}_{\text{refinement}}
    """,
    function="corp_decomposition",
    example=SIX_DAYS + "log_loss_split(outcomes, forecasts)",
)
def log_loss_split(outcomes, forecasts):
    """Divergence of forecasts from frequencies, and their entropy, in nats."""
    calibration = refinement = 0.0
    for f in set(forecasts):
        group = [o for o, p in zip(outcomes, forecasts, strict=True) if p == f]
        frequency = sum(group) / len(group)
        for happens, said in ((frequency, f), (1 - frequency, 1 - f)):
            if happens > 0:
                share = happens * len(group) / len(outcomes)
                calibration = calibration + share * math.log(happens / said)
                refinement = refinement - share * math.log(happens)
    return calibration, refinement


# measures/calibration_tests


@numbered(
    "eq-spiegelhalter",
    latex=r"""
    Z = \frac{\sum_{i=1}^{n} (y_i - p_i)(1 - 2 p_i)}{\sqrt{\sum_{i=1}^{n} (1 - 2 p_i)^2 \, p_i (1 - p_i)}}
    """,
    function="calibration_test",
    example="spiegelhalter([0, 0, 1, 1, 0], [0.1, 0.3, 0.6, 0.8, 0.9])",
)
def spiegelhalter(labels, p):
    """Brier score less its mean under calibration, in standard deviations."""
    surprise = variance = 0.0
    for y, q in zip(labels, p, strict=True):
        surprise = surprise + (y - q) * (1 - 2 * q)
        variance = variance + (1 - 2 * q) ** 2 * q * (1 - q)
    return surprise / math.sqrt(variance)


@numbered(
    "eq-hosmer-lemeshow",
    latex=r"""
    \chi^2 = \sum_{m=1}^{M} \frac{n_m \bigl( \mathrm{acc}(B_m) - \mathrm{conf}(B_m) \bigr)^2}
    {\mathrm{conf}(B_m) \bigl( 1 - \mathrm{conf}(B_m) \bigr)}
    """,
    function="calibration_test",
    example="hosmer_lemeshow([0, 0, 1, 1, 0], [0.1, 0.3, 0.6, 0.8, 0.9], edges=[0, 0.5, 1])",
)
def hosmer_lemeshow(labels, p, edges):
    """Sum over bins: squared gap over its variance under calibration."""
    total = 0.0
    for m in range(1, len(edges)):
        n_m = sum(bin_number(q, edges) == m for q in p)
        if n_m > 0:
            said = bin_confidence(p, edges, m)
            gap = bin_accuracy(p, [y == 1 for y in labels], edges, m) - said
            total = total + n_m * gap**2 / (said * (1 - said))
    return total


@numbered(
    "eq-t-cal",
    latex=r"""
    \begin{aligned}
    T_M &= \frac{1}{n} \sum_{m=1}^{M} \frac{1}{n_m}
    \Bigl[ \Bigl( \sum_{i \in B_m} r_i \Bigr)^2 - \sum_{i \in B_m} r_i^2 \Bigr] \\
    s_M^2 &= \frac{2}{n^2} \sum_{m=1}^{M} \frac{1}{n_m^2}
    \Bigl[ \Bigl( \sum_{i \in B_m} v_i \Bigr)^2 - \sum_{i \in B_m} v_i^2 \Bigr]
    \end{aligned}
    """,
    function="calibration_test",
    example="t_cal([0, 0, 1, 1, 0], [0.1, 0.3, 0.6, 0.8, 0.9], edges=[0, 0.5, 1])",
)
def t_cal(labels, p, edges):
    """Debiased squared error of bins, and its variance under calibration."""
    n = len(p)
    error = variance = 0.0
    for m in range(1, len(edges)):
        rows = [i for i in range(n) if bin_number(p[i], edges) == m]
        for i in rows:
            for j in rows:
                if i != j:
                    product = (labels[i] - p[i]) * (labels[j] - p[j])
                    error = error + product / len(rows) / n
                    both = p[i] * (1 - p[i]) * p[j] * (1 - p[j])
                    variance = variance + 2 * both / len(rows) ** 2 / n**2
    return error, variance


@numbered(
    "eq-cumulative",
    latex=r"D = \max_{t} \left| \frac{1}{n} \sum_{i \,:\, p_i \le t} (y_i - p_i) \right|",
    function="calibration_test",
    example="cumulative_difference([0, 0, 1, 1, 0], [0.1, 0.3, 0.6, 0.8, 0.9])",
)
def cumulative_difference(labels, p):
    """Largest |sum of events less forecasts| / n, over forecasts up to a t."""
    largest = 0.0
    for t in p:
        difference = sum(
            y - q for y, q in zip(labels, p, strict=True) if q <= t
        )
        largest = max(largest, abs(difference) / len(p))
    return largest


@numbered(
    "eq-smooth-ece",
    latex=r"""
    \mathrm{smECE}(\ell)
    = \int_0^1 \left| \frac{1}{n} \sum_{i=1}^{n} \kappa(t, p_i) \, (y_i - p_i) \right| \, dt
    """,
    function="calibration_test",
    example="smoothed_error([0, 0, 1, 1, 0], [0.1, 0.3, 0.6, 0.8, 0.9], width=0.2)",
)
def smoothed_error(labels, p, width, slices=500):
    """Area under |smoothed residuals|; smooth ECE is the width equal to it."""
    area = 0.0
    for k in range(slices):
        t = (k + 0.5) / slices
        smoothed = sum(
            reflected_kernel(t, q, width) * (y - q)
            for y, q in zip(labels, p, strict=True)
        )
        area = area + abs(smoothed) / len(p) / slices
    return area


def reflected_kernel(t, p, width):
    """Density at t of a normal around p, tails folded back at 0 and at 1."""
    bell = 0.0
    for fold in range(-4, 5):
        for image in (2 * fold + p, 2 * fold - p):
            bell = bell + math.exp(-(((t - image) / width) ** 2) / 2)
    return bell / (width * math.sqrt(2 * math.pi))


@numbered(
    "eq-skce",
    latex=r"""
    \mathrm{SKCE} = \frac{2}{n (n - 1)} \sum_{i=2}^{n} \sum_{j=1}^{i - 1}
    e^{-\lVert p_i - p_j \rVert / \ell} \sum_{k=1}^{K} (y_{ik} - p_{ik})(y_{jk} - p_{jk})
    """,
    function="calibration_test",
    example="""
    rows = [[0.7, 0.2, 0.1], [0.6, 0.2, 0.2], [0.2, 0.7, 0.1]]
    kernel_error([0, 2, 1], rows, bandwidth=0.5)
    """,
)
def kernel_error(labels, rows, bandwidth):
    """Mean over all pairs of rows: how much similar forecasts miss alike."""
    n = len(rows)
    total = 0.0
    for i in range(n):
        for j in range(i):
            similarity = math.exp(-math.dist(rows[i], rows[j]) / bandwidth)
            for k in range(len(rows[i])):
                miss = (labels[i] == k) - rows[i][k]
                other = (labels[j] == k) - rows[j][k]
                total = total + similarity * miss * other
    return 2 * total / (n * (n - 1))


# calibrators/histogram_binning


@numbered(
    "eq-histogram-binning",
    latex=r"\theta_m = \frac{1}{n_m} \sum_{i \in B_m} y_i",
    function="HistogramBinning",
    example="""
    labels = [0, 1, 0, 1, 1]
    scores = [0.2, 0.3, 0.5, 0.7, 0.9]
    [bin_value(labels, scores, [0, 0.5, 1], m) for m in (1, 2)]
    """,
)
def bin_value(labels, scores, edges, m):
    """Mean label of the rows whose score lies in bin m."""
    rows = zip(scores, labels, strict=True)
    inside = [y for s, y in rows if bin_number(s, edges) == m]
    return sum(inside) / len(inside)


# calibrators/isotonic


@numbered(
    "eq-isotonic",
    latex=r"\hat g(s) = \max_{a \le s} \; \min_{b \ge s} \; \bar y(a, b)",
    function="IsotonicCalibration",
    example="""
    labels = [0, 1, 0, 0, 1, 0, 1, 1]
    places = list(range(8))
    [isotonic_value(labels, places, place) for place in places]
    """,
)
def isotonic_value(labels, scores, score):
    """Max over starts <= score of min over ends >= score of the mean label."""

    def mean(a, b):
        inside = [y for y, s in zip(labels, scores, strict=True) if a <= s <= b]
        return sum(inside) / len(inside)

    return max(
        min(mean(a, b) for b in scores if b >= score)
        for a in scores
        if a <= score
    )


# calibrators/venn_abers


@numbered(
    "eq-venn-abers-interval",
    latex=r"p_0 = \max_{a \le s} \; \min_{b \ge s} \; \frac{k(a, b)}{m(a, b) + 1} , \qquad "
    r"p_1 = \max_{a \le s} \; \min_{b \ge s} \; \frac{k(a, b) + 1}{m(a, b) + 1}",
    function="VennAbersCalibration",
    example="""
    labels, scores = [0, 1, 0, 1], [1, 2, 3, 4]
    [venn_abers_interval(labels, scores, score) for score in (0, 2.5, 9)]
    """,
)
def venn_abers_interval(labels, scores, score):
    """Isotonic regression with the new row, as class 0, then as class 1."""
    places = [*scores, score]
    low = isotonic_value([*labels, 0], places, score)
    return low, isotonic_value([*labels, 1], places, score)


@numbered(
    "eq-venn-abers",
    latex=r"q = \frac{p_1}{1 - p_0 + p_1}",
    function="VennAbersCalibration",
    example="[venn_abers_probability(0, 1 / (n + 1)) for n in (1, 10, 100)]",
)
def venn_abers_probability(p0, p1):
    """One probability from the interval: that of least regret in log loss."""
    return p1 / (1 - p0 + p1)


# calibrators/platt


@numbered(
    "eq-platt",
    latex=r"P(y = 1 \mid z) = \sigma(a z + b) = \frac{1}{1 + e^{-(a z + b)}}",
    function="PlattScaling",
    example="[platt_probability(z, slope=3.1, intercept=0.47) for z in (-1, 0, 1.7)]",
)
def platt_probability(z, slope, intercept):
    """Logistic curve of the score."""
    return sigmoid(slope * z + intercept)


@numbered(
    "eq-platt-targets",
    latex=r"t_+ = \frac{N_+ + 1}{N_+ + 2} , \qquad t_- = \frac{1}{N_- + 2}",
    function="PlattScaling",
    example="platt_targets([1, 0, 1, 0, 1])",
)
def platt_targets(labels):
    """Targets that stand in for the labels 0 and 1."""
    positive = sum(labels)
    negative = len(labels) - positive
    return 1 / (negative + 2), (positive + 1) / (positive + 2)


# calibrators/beta


@numbered(
    "eq-beta",
    latex=r"q = \frac{e^c \, p^a}{e^c \, p^a + (1 - p)^b}",
    function="BetaCalibration",
    example="[beta_probability(p, a=1.29, b=0.89, c=0.34) for p in (0.1, 0.5, 0.9)]",
)
def beta_probability(p, a, b, c):
    """Odds of e^c p^a to (1 - p)^b, as a probability."""
    odds = math.exp(c) * math.pow(p, a) / math.pow(1 - p, b)
    return odds / (odds + 1)


# calibrators/temperature


@numbered(
    "eq-softmax",
    latex=r"\mathrm{softmax}(z)_k = \frac{e^{z_k}}{\sum_{j=1}^{K} e^{z_j}}",
    function="softmax",
    example="softmax([2.0, 1.0, 0.5])",
)
def softmax(logits):
    """Exponentials of the logits, divided by their sum."""
    total = sum(math.exp(z) for z in logits)
    return [math.exp(z) / total for z in logits]


@numbered(
    "eq-temperature",
    latex=r"q_k(T) = \mathrm{softmax}\left(\frac{z}{T}\right)_k",
    function="TemperatureScaling",
    example="[tempered_softmax([2.0, 1.0, 0.5], T) for T in (0.01, 0.5, 1, 2, 100)]",
)
def tempered_softmax(logits, temperature):
    """Softmax of the logits divided by the temperature."""
    return softmax([z / temperature for z in logits])


@numbered(
    "eq-temperature-nll",
    latex=r"""
    \mathrm{NLL}(T) = -\frac{1}{n} \sum_{i=1}^{n} \log \mathrm{softmax}\left(\frac{z_i}{T}\right)_{y_i}
    """,
    function="TemperatureScaling",
    example=LOGITS + "[temperature_nll([0, 1, 2], logits, T) for T in (1, 0.5, 0.1)]",
)
def temperature_nll(labels, logits, temperature):
    """Mean negative log-likelihood of the labels at a temperature, in nats."""
    forecasts = [tempered_softmax(row, temperature) for row in logits]
    return negative_log_likelihood(labels, forecasts)


@numbered(
    "eq-temperature-stationary",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} \mathbb{E}_{q}[z_i] = \frac{1}{n} \sum_{i=1}^{n} z_{i y_i}",
    function="TemperatureScaling",
    example=LOGITS + "logit_balance([0, 1, 1], logits, temperature=1.0)",
)
def logit_balance(labels, logits, temperature):
    """Both sides: the mean expected logit, and the mean logit of the labels."""
    expected = observed = 0.0
    for y, row in zip(labels, logits, strict=True):
        for p, z in zip(tempered_softmax(row, temperature), row, strict=True):
            expected = expected + p * z
        observed = observed + row[y]
    return expected / len(labels), observed / len(labels)


@numbered(
    "eq-entropy",
    latex=r"H(p) = -\sum_{k} p_k \log p_k",
    function="uncertainty.entropy",
    example="entropy([0.9, 0.1]) / math.log(2)  # in bits",
)
def entropy(p):
    """Return the expected surprise in nats; a probability of 0 adds nothing."""
    return sum(-q * math.log(q) for q in p if q > 0)


# calibrators/expectation_consistency


@numbered(
    "eq-expectation-consistency",
    latex=r"""
    \frac{1}{n} \sum_{i=1}^{n} \max_{k} \, \mathrm{softmax}\left(\frac{z_i}{T}\right)_k
    = \frac{1}{n} \sum_{i=1}^{n} \mathbf{1}(\hat y_i = y_i)
    """,
    function="ExpectationConsistency",
    example=LOGITS + "confidence_and_accuracy([0, 1, 1], logits, temperature=1.0)",
)
def confidence_and_accuracy(labels, logits, temperature):
    """Both sides: mean of largest probability, and share of correct rows."""
    confidence = sum(max(tempered_softmax(row, temperature)) for row in logits)
    rows = zip(labels, logits, strict=True)
    correct = sum(row.index(max(row)) == y for y, row in rows)
    return confidence / len(labels), correct / len(labels)


# calibrators/matrix_scaling


@numbered(
    "eq-matrix-scaling",
    latex=r"""
    q_k = \frac{e^{b_k + \sum_{j=1}^{K} W_{kj} z_j}}{\sum_{l=1}^{K} e^{b_l + \sum_{j=1}^{K} W_{lj} z_j}}
    """,
    function="MatrixScaling",
    example="""
    # a temperature of 2, and an intercept
    matrix = [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]]
    matrix_scaling([2.0, 1.0, 0.5], matrix, intercepts=[0.0, 0.0, 0.3])
    """,
)
def matrix_scaling(logits, matrix, intercepts):
    """Softmax of a matrix times the logits plus an intercept for each class."""
    scores = [
        linear_log_odds(row, logits) + b
        for row, b in zip(matrix, intercepts, strict=True)
    ]
    return softmax(scores)


@numbered(
    "eq-matrix-penalty",
    latex=r"""
    J = - \sum_{i=1}^{n} \log q_{i y_i} + \frac{a^2}{2}
    + \frac{\mu}{2} \sum_{k=1}^{K} \left( b_k^2 + m_{kk}^2 \right)
    + \frac{\lambda \sqrt{K}}{2} \sum_{k=1}^{K} \sum_{j \ne k} m_{kj}^2
    """,
    function="MatrixScaling",
    example="""
    probabilities = [[0.8, 0.2], [0.3, 0.7]]
    intercepts, matrix = [0.2, -0.2], [[0.1, 0.0], [0.0, 0.3]]
    penalised_loss([0, 1], probabilities, 0.1, intercepts, matrix, 2, 1)
    """,
)
def penalised_loss(
    labels, probabilities, stretch, intercepts, deviations, strength, of_vector
):
    """Losses and penalty: of a vector's numbers, and off the diagonal."""
    total = stretch**2 / 2
    for y, row in zip(labels, probabilities, strict=True):
        total = total - math.log(row[y])
    for k, b in enumerate(intercepts):
        total = total + of_vector / 2 * (b**2 + deviations[k][k] ** 2)
        for j, m in enumerate(deviations[k]):
            if j != k:
                weight = strength * math.sqrt(len(intercepts))
                total = total + weight / 2 * m**2
    return total


# calibrators/one_vs_rest


@numbered(
    "eq-one-vs-rest",
    latex=r"q_k = \frac{r_k}{\sum_{j=1}^{K} r_j} , \qquad q_k = \frac{1}{K} \text{ where all } r_j = 0",
    function="OneVsRest",
    example="one_vs_rest([0.8, 0.4, 0.4])",
)
def one_vs_rest(probabilities):
    """Divide the classes' probabilities by their sum; equal where all are 0."""
    total = sum(probabilities)
    if total == 0:
        return [1 / len(probabilities) for _ in probabilities]
    return [p / total for p in probabilities]


@numbered(
    "eq-multi-class-isotonic",
    latex=r"q_k = \frac{g(p_k)}{\sum_{j=1}^{K} g(p_j)} , \qquad "
    r"g(p) = (1 - \epsilon) \, \hat g(p) + \epsilon \, p",
    function="MultiClassIsotonic",
    example="""
    labels, rows = [0, 1, 1], [[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.1, 0.8, 0.1]]
    multi_class_isotonic(labels, rows, row=[0.5, 0.4, 0.1], epsilon=1e-6)
    """,
)
def multi_class_isotonic(labels, probabilities, row, epsilon):
    """One isotonic regression of all rows and classes, made strictly rising."""
    pooled = [q for p in probabilities for q in p]
    hits = [int(k == y) for y in labels for k in range(len(row))]
    risen = [
        (1 - epsilon) * isotonic_value(hits, pooled, p) + epsilon * p
        for p in row
    ]
    return [g / sum(risen) for g in risen]


# practice/training


@numbered(
    "eq-label-smoothing",
    latex=r"t_k = (1 - a) \, \mathbf 1[y = k] + \frac{a}{K}",
    reason="training libraries have it: `label_smoothing` of PyTorch's and Keras's cross-entropy",
    example="smoothed_label(1, classes=4, share=0.1)",
)
def smoothed_label(label, classes, share):
    """One for the label, zero for the others, then a share spread over all."""
    return smoothed_truth(
        [1.0 if k == label else 0.0 for k in range(classes)], share
    )


@numbered(
    "eq-smoothed-optimum",
    latex=r"q_k = (1 - a) \, p_k + \frac{a}{K}",
    reason="what a network aims at is learned in training; the lesson undoes it in one line",
    example="smoothed_truth([0.7, 0.2, 0.1, 0.0], share=0.1)",
)
def smoothed_truth(probabilities, share):
    """Mean target of rows whose labels have these probabilities."""
    return [(1 - share) * p + share / len(probabilities) for p in probabilities]


# practice/decisions


@numbered(
    "eq-expected-cost",
    latex=r"\bar C_d(p) = \sum_{k} p_k \, C_{kd}",
    function="decisions.expected_cost",
    example=MAIL + "[expected_cost([0.15, 0.85], mail, decision) for decision in (0, 1)]",
)
def expected_cost(p, costs, decision):
    """Cost of the decision in each class, weighted by its probability."""
    return sum(p[k] * costs[k][decision] for k in range(len(p)))


@numbered(
    "eq-optimal-decision",
    latex=r"d^*(p) = \mathrm{arg\,min}_{d} \; \bar C_d(p)",
    function="decisions.optimal_decision",
    example=MAIL + "[optimal_decision([1 - p, p], mail) for p in (0.5, 0.85, 0.95)]",
)
def optimal_decision(p, costs):
    """Decision of the smallest expected cost, the first of those that tie."""
    best = 0
    for decision in range(len(costs[0])):
        if expected_cost(p, costs, decision) < expected_cost(p, costs, best):
            best = decision
    return best


@numbered(
    "eq-threshold",
    latex=r"t = \frac{c_{FP}}{c_{FP} + c_{FN}}",
    function="decisions.optimal_threshold",
    example="optimal_threshold(false_positive=9, false_negative=1)",
)
def optimal_threshold(false_positive, false_negative):
    """Probability at which false alarm and miss have the same expected cost."""
    return false_positive / (false_positive + false_negative)


@numbered(
    "eq-net-benefit",
    latex=r"\mathrm{NB}(t) = \frac{\mathrm{TP}}{n} - \frac{\mathrm{FP}}{n} \cdot \frac{t}{1 - t}",
    function="net_benefit",
    example="net_benefit(labels=[0, 0, 1, 1], forecasts=[0.1, 0.4, 0.3, 0.9], threshold=0.2)",
)
def net_benefit(labels, forecasts, threshold):
    """Count true positives per row, less false ones at the odds of t."""
    true = false = 0
    for y, p in zip(labels, forecasts, strict=True):
        true += p >= threshold and y == 1
        false += p >= threshold and y == 0
    odds = threshold / (1 - threshold)
    return true / len(labels) - false / len(labels) * odds


@numbered(
    "eq-validation-size",
    latex=r"N = \frac{n}{\mathrm{SE}^2 \sum_{i=1}^{n} p_i (1 - p_i) (x_i - \bar x)^2}",
    function="validation_size",
    example="validation_size(forecasts=[0.05, 0.1, 0.2, 0.4, 0.6], standard_error=0.051)",
)
def validation_size(forecasts, standard_error):
    """Divide n by the squared error and the information on the slope."""
    log_odds = [math.log(p / (1 - p)) for p in forecasts]
    weights = [p * (1 - p) for p in forecasts]
    rows = list(zip(weights, log_odds, strict=True))
    mean = sum(w * x for w, x in rows) / sum(weights)
    information = sum(w * (x - mean) ** 2 for w, x in rows)
    return len(forecasts) / (standard_error**2 * information)


@numbered(
    "eq-abstain",
    latex=r"\min_{d} \bar C_d(p) > a",
    function="decisions.optimal_decision",
    example="""
    plain = [[0, 1], [1, 0]]
    [abstains([1 - p, p], plain, abstaining_cost=0.1) for p in (0.5, 0.85, 0.95)]
    """,
)
def abstains(p, costs, abstaining_cost):
    """Say whether every decision is expected to cost more than abstaining."""
    return expected_cost(p, costs, optimal_decision(p, costs)) > abstaining_cost


@numbered(
    "eq-mean-cost",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} C_{y_i d_i}",
    function="decisions.mean_cost",
    example=MAIL + "mean_cost(labels=[0, 1, 1, 0], decisions=[0, 1, 0, 1], costs=mail)",
)
def mean_cost(labels, decisions, costs):
    """Mean over the rows of what the decision cost in the true class."""
    paid = [costs[y][d] for y, d in zip(labels, decisions, strict=True)]
    return sum(paid) / len(paid)


@numbered(
    "eq-aurc",
    latex=r"""
    \mathrm{AURC} = \frac{1}{n} \sum_{j=1}^{n} \frac{1}{j} \sum_{i=1}^{j} (1 - c_i) , \qquad
    \hat p_1 \ge \hat p_2 \ge \dots \ge \hat p_n
    """,
    function="decisions.risk_coverage",
    example="area_under_risk_coverage([0.9, 0.8, 0.7, 0.6], [True, True, False, True])",
)
def area_under_risk_coverage(confidences, correct):
    """Mean over all coverages of the share of errors among the surest rows."""
    shared = []  # equal confidences have no order: each counts with their mean
    for p in confidences:
        equals = [
            hit for q, hit in zip(confidences, correct, strict=True) if q == p
        ]
        shared.append((p, 1 - sum(equals) / len(equals)))
    total = errors = 0.0
    for j, (_, error) in enumerate(sorted(shared, reverse=True), start=1):
        errors = errors + error
        total = total + errors / j
    return total / len(confidences)


@numbered(
    "eq-augrc",
    latex=r"""
    \mathrm{AUGRC} = \frac{1}{n^2} \sum_{i=1}^{n} \left(n - i + \tfrac12\right) (1 - c_i) , \qquad
    \hat p_1 \ge \hat p_2 \ge \dots \ge \hat p_n
    """,
    function="decisions.risk_coverage",
    example="area_under_generalized_risk([0.9, 0.8, 0.7, 0.6], [True, True, False, True])",
)
def area_under_generalized_risk(confidences, correct):
    """Mean over all coverages of the errors that are let through, per row."""
    n = len(confidences)
    total = 0.0
    for p, hit in zip(confidences, correct, strict=True):
        if not hit:
            surer = sum(q > p for q in confidences)
            equals = sum(q == p for q in confidences)
            position = surer + (equals + 1) / 2  # equal ones: in the middle
            total = total + n - position + 1 / 2
    return total / n**2


# practice/subgroups


@numbered(
    "eq-group-gap",
    latex=r"z_G = \frac{\sum_{i \in G} (y_i - p_i)}{\sqrt{\sum_{i \in G} p_i (1 - p_i)}}",
    function="measures.calibration_by_group",
    example="group_gap(labels=[0, 1, 1, 1], forecasts=[0.25, 0.25, 0.25, 0.25])",
)
def group_gap(labels, forecasts):
    """Events beyond the forecasts of a group, in standard deviations."""
    beyond = sum(y - p for y, p in zip(labels, forecasts, strict=True))
    return beyond / math.sqrt(sum(p * (1 - p) for p in forecasts))


# practice/shift


@numbered(
    "eq-atc",
    latex=r"\hat a = \frac{1}{n} \sum_{i=1}^{n} \mathbf 1(\hat p_i \ge t)",
    function="measures.unlabelled_accuracy",
    example="share_above([0.95, 0.65], old=[0.9, 0.8, 0.6, 0.7], errors=1)",
)
def share_above(new, old, errors):
    """As many old confidences lie below t as old rows are wrong."""
    t = sorted(old)[errors] if errors < len(old) else math.inf
    return sum(c >= t for c in new) / len(new)


# practice/label_shift


@numbered(
    "eq-prior-correction",
    latex=r"p'_k = \frac{p_k\, \pi'_k / \pi_k}{\sum_{l=1}^{K} p_l\, \pi'_l / \pi_l}",
    function="decisions.adjust_to_priors",
    example="adjust_to_priors(p=[0.6, 0.4], old=[0.5, 0.5], new=[0.9, 0.1])",
)
def adjust_to_priors(p, old, new):
    """Multiply each class by its gain in frequency, then divide by the sum."""
    parts = [p[k] * new[k] / old[k] for k in range(len(p))]
    return [part / sum(parts) for part in parts]


@numbered(
    "eq-saerens-em",
    latex=r"""
    \pi^{(t+1)}_k
    = \frac{1}{n} \sum_{i=1}^{n} \frac{p_{ik}\, \pi^{(t)}_k / \pi_k}{\sum_{l} p_{il}\, \pi^{(t)}_l / \pi_l}
    """,
    function="decisions.estimate_priors",
    example="""
    rows = [[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.7, 0.3]]
    next_priors(rows, old=[0.5, 0.5], guess=[0.7, 0.3])
    """,
)
def next_priors(rows, old, guess):
    """Mean of the forecasts adjusted to the present guess: the next guess."""
    adjusted = [adjust_to_priors(p, old, guess) for p in rows]
    return [sum(p[k] for p in adjusted) / len(rows) for k in range(len(old))]


@numbered(
    "eq-confusion-shift",
    latex=r"\sum_{k=1}^{K} M_{jk}\, \pi'_k = \frac{1}{n} \sum_{i=1}^{n} p_{ij}",
    function="decisions.estimate_priors",
    example="""
    confusion = [[0.8, 0.2], [0.2, 0.8]]
    rows = [[0.9, 0.1], [0.4, 0.6]]
    mixture_and_mean(confusion, shares=[0.75, 0.25], rows=rows)
    """,
)
def mixture_and_mean(confusion, shares, rows):
    """Both sides for each j: the classes' means mixed, and the new mean."""
    mixed = [
        sum(m * share for m, share in zip(row, shares, strict=True))
        for row in confusion
    ]
    mean = [sum(p[j] for p in rows) / len(rows) for j in range(len(shares))]
    return mixed, mean


@numbered(
    "eq-rlls",
    latex=r"""
    J(w) = \sqrt{\sum_{j=1}^{K} \Big( \sum_{k=1}^{K} M_{jk}\, \pi_k w_k - \bar p_j \Big)^2}
    + \Delta \sqrt{\sum_{k=1}^{K} (w_k - 1)^2}
    """,
    function="decisions.estimate_priors",
    example="""
    confusion = [[0.8, 0.2], [0.2, 0.8]]
    old, ratios, mean = [0.5, 0.5], [1.5, 0.5], [0.6, 0.4]
    penalized_mismatch(confusion, old, ratios, mean, penalty=0.01)
    """,
)
def penalized_mismatch(confusion, old, ratios, mean, penalty):
    """Distance of the mixture to the mean, and of the ratios to no shift."""
    miss = 0.0
    for j in range(len(old)):
        mixed = sum(
            confusion[j][k] * old[k] * ratios[k] for k in range(len(old))
        )
        miss = miss + (mixed - mean[j]) ** 2
    moved = sum((w - 1) ** 2 for w in ratios)
    return math.sqrt(miss) + penalty * math.sqrt(moved)


# practice/covariate_shift


@numbered(
    "eq-density-ratio",
    latex=r"w(x) = \frac{n}{n'} \cdot \frac{g(x)}{1 - g(x)}",
    function="decisions.density_ratio",
    example="[density_ratio(g, n_old=1000, n_new=500) for g in (0.1, 1 / 3, 0.6)]",
)
def density_ratio(g, n_old, n_new):
    """Odds that a row is new, times the number of old rows for each new one."""
    return n_old / n_new * g / (1 - g)


@numbered(
    "eq-effective-rows",
    latex=r"n_\text{eff} = \frac{\big(\sum_{i=1}^{n} w_i\big)^2}{\sum_{i=1}^{n} w_i^2}",
    function="decisions.density_ratio",
    example="effective_rows([1, 1, 1, 1]), effective_rows([3.7, 0.1, 0.1, 0.1])",
)
def effective_rows(weights):
    """Rows of equal weight that would give a mean as exactly."""
    return sum(weights) ** 2 / sum(w**2 for w in weights)


@numbered(
    "eq-weighted-conformal",
    latex=r"""
    \hat q(x) = \min_{q \,:\, \sum_{i=1}^{n} w_i \, \mathbf 1(s_i \le q) \,\ge\,
    (1 - \alpha) \left( \sum_{i=1}^{n} w_i + w(x) \right)} q
    """,
    reason="the lesson writes it in five lines",
    example="weighted_threshold([0.1, 0.3, 0.2, 0.7], [1, 1, 1, 3], w_new=1, alpha=0.2)",
)
def weighted_threshold(scores, weights, w_new, alpha):
    """Smallest score that enough weight does not exceed; 1 if there is none."""
    needed = (1 - alpha) * (sum(weights) + w_new)
    for q in sorted(scores):
        below = [w for s, w in zip(scores, weights, strict=True) if s <= q]
        if sum(below) >= needed:
            return q
    return 1.0


# practice/imbalance


@numbered(
    "eq-class-weights",
    latex=r"p^{w} = \frac{w_1\, p}{w_0\, (1 - p) + w_1\, p}",
    function="decisions.adjust_to_priors",
    example="[weighted_probability(p, w_0=0.5, w_1=8.0) for p in (0.06, 0.5)]",
)
def weighted_probability(p, w_0, w_1):
    """Probability of class 1 if its rows count w_1 times, others w_0 times."""
    return w_1 * p / (w_0 * (1 - p) + w_1 * p)


@numbered(
    "eq-intercept-update",
    latex=r"\frac{1}{n} \sum_{i=1}^{n} \sigma(z_i + b) = \frac{1}{n} \sum_{i=1}^{n} y_i",
    function="PlattScaling",
    example="forecast_and_share([0, 0, 1], [-1.0, 0.4, 1.6], intercept=-1.03)",
)
def forecast_and_share(labels, log_odds, intercept):
    """Both sides: mean probability of class 1, and its share of the rows."""
    said = sum(sigmoid(z + intercept) for z in log_odds)
    return said / len(labels), sum(labels) / len(labels)


# practice/conformal


@numbered(
    "eq-conformal",
    latex=r"\hat q = \min_{q \,:\, \sum_{i=1}^{n} \mathbf 1(s_i \le q) \,\ge\, (n + 1)(1 - \alpha)} q",
    reason="the lesson writes it in ten lines, and the libraries MAPIE and crepes have it",
    example="conformal_threshold([0.1, 0.3, 0.05, 0.7, 0.2, 0.4, 0.15, 0.6, 0.25], alpha=0.2)",
)
def conformal_threshold(scores, alpha):
    """Smallest score that enough do not exceed; 1 where they are too few."""
    for q in sorted(scores):
        if sum(s <= q for s in scores) >= (len(scores) + 1) * (1 - alpha):
            return q
    return 1.0


# practice/conformal_conditions


@numbered(
    "eq-adaptive-score",
    latex=r"s = \sum_{k=1}^{K} p_k \, \mathbf 1(p_k > p_y) + u \, p_y",
    reason="the lesson writes it in five lines, and the library MAPIE has it",
    example="adaptive_score([0.6, 0.3, 0.1], y=1, u=0.5)",
)
def adaptive_score(p, y, u):
    """Probability before the label, and a part of its own; y counts from 0."""
    return sum(p_k for p_k in p if p_k > p[y]) + u * p[y]


@numbered(
    "eq-risk-threshold",
    latex=(
        r"\hat q = \min_{q \,:\, B + \sum_{i=1}^{n} h_i \, \mathbf 1(s_i > q) \,\le\, (n + 1) \, \alpha} q"
    ),
    reason="the lesson writes it in five lines",
    example="risk_threshold([0.1, 0.3, 0.7], [1.0, 0.1, 0.1], alpha=0.3, largest=1)",
)
def risk_threshold(scores, harm, alpha, largest):
    """Smallest score whose misses, and one more, cost at most alpha a row."""
    for q in sorted(scores):
        missed = sum(h for s, h in zip(scores, harm, strict=True) if s > q)
        if largest + missed <= (len(scores) + 1) * alpha:
            return q
    return math.inf


@numbered(
    "eq-adaptive-level",
    latex=r"\alpha_{t+1} = \alpha_t + \gamma \, (\alpha - e_t)",
    reason="one line of the lesson's loop",
    example="next_level(0.05, missed=1, alpha=0.05, gamma=0.005)",
)
def next_level(level, missed, alpha, gamma):
    """Level for the next list: smaller after a miss, larger after a hit."""
    return level + gamma * (alpha - missed)


# practice/language_models


@numbered(
    "eq-option",
    latex=r"p_k = \frac{e^{s_k}}{\sum_{l=1}^{K} e^{s_l}} , \qquad s_k = \sum_{t=1}^{L_k} \log q_{kt}",
    reason="the softmax of sums: the lesson adds the logarithms and calls `softmax`",
    example="option_probabilities([[0.4], [0.4, 1.0, 0.9], [0.2, 1.0, 1.0, 0.6]])",
)
def option_probabilities(tokens):
    """Probability of each option: the product of its tokens', normalised."""
    return softmax([sum(math.log(q) for q in option) for option in tokens])
