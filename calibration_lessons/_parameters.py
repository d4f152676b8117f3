"""What many docstrings say, written once; `help` and the API pages show it in each."""

import re
from inspect import isfunction
from textwrap import indent
from typing import TypeVar

T = TypeVar("T")

SHARED = {
    "y_true": """\
y_true : array_like, shape (n,)
    Labels 0..K-1 (0 and 1 for a 1-D `y_prob`).""",
    "happened": """\
y_true : array_like, shape (n,)
    Whether the event happened: 0 and 1.""",
    "y_prob": """\
y_prob : array_like, shape (n,) or (n, K)
    Probability of the positive class, or of each class; logits with ``from_logits=True``.""",
    "probabilities": """\
y_prob : array_like, shape (n,) or (n, K)
    Probability of the positive class, or of each class.""",
    "costs": """\
costs : array_like, shape (K, D) or (n, K, D)
    ``costs[k, d]`` is the cost of decision d where the true class is k; ``costs[i, k, d]`` that in row i,
    where amounts differ. There may be more or fewer decisions than classes.""",
    "n_bins": """\
n_bins : int
    Number M of bins.""",
    "strategy": """\
strategy : {"uniform", "quantile"}
    Bins of equal width, closed on the right, or of equal mass, where equal scores stay together.""",
    "target": """\
target : {None, "top-label", "positive"} or int
    Whose probability is tested: that of the top label (None for a 2-D `y_prob`), of the positive class
    (None for a 1-D `y_prob`), or of one class against the rest.""",
    "target_or_classes": """\
target : {None, "top-label", "positive", "class-wise"} or int
    Whose probability is tested: that of the top label (None for a 2-D `y_prob`), of the positive class
    (None for a 1-D `y_prob`), or of one class against the rest; "class-wise" is the mean error of the
    classes, each against the rest.""",
    "sample_weight": """\
sample_weight : array_like, shape (n,), optional
    Importance weights, non-negative.""",
    "groups": """\
groups : array_like, shape (n,), optional
    What rows hang together by: the text that several questions are about, the patient who comes again, the
    film of a frame. Groups are then what is independent, five of them at least.""",
    "from_logits": """\
from_logits : bool
    Read `y_prob` as logits: (n, K), or (n,) for the binary logit z, meaning (0, z).""",
    "labels": """\
labels, pos_label : array_like of shape (K,), and str or int, optional
    Where `y_true` does not hold 0..K-1: the classes of the columns; the positive class of a 1-D `y_prob`.""",
    "pos_label": """\
pos_label : str or int, optional
    The event, where `y_true` does not hold 0 and 1.""",
    "norm": """\
norm : {"l1", "l2"}
    Mean absolute gap, or root of the mean squared gap.""",
    "level": """\
level : float
    Confidence level, in (0, 1).""",
    "n_draws": """\
n_draws : int
    Number of draws.""",
    "random_state": """\
random_state : int, Generator or None
    Seed of the draws.""",
    "refused": """\
Raises
------
ValueError, TypeError
    For input that is not as described; the message names the argument and the place.""",
    "one_score": """\
classes_ : ndarray of int, shape (2,)
n_features_in_ : int""",
    "by_class": """\
classes_ : ndarray of int, shape (K,)
    0..K-1: the columns, whether or not each occurs among the labels.
n_features_in_ : int
    Number of columns seen by `fit`; 1 for one score a row.""",
}


def describe(thing: T) -> T:
    """Put the descriptions in the place of a line ``{y_true, y_prob}`` of a docstring; of methods' as well.

    A line ``{refused}`` may go on in the next one, as far in as the text of a section: "Also for ...".
    """
    if thing.__doc__:  # with -OO there is none
        thing.__doc__ = re.sub(r"(?m)^( *)\{([\w, ]+)\}$", _described, thing.__doc__)
    if isinstance(thing, type):
        for method in filter(isfunction, (getattr(one, "__func__", one) for one in vars(thing).values())):
            describe(method)
    return thing


def _described(line: re.Match[str]) -> str:
    return "\n".join(indent(SHARED[name], line[1]) for name in line[2].split(", "))
