"""What the members of an ensemble say together, and how much of the doubt is their disagreement."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import entr, rel_entr

from .. import _input
from .._parameters import describe
from .._typing import Floats
from .coin import Uncertainty


@describe
def decompose_uncertainty(member_probs: npt.ArrayLike) -> Uncertainty[Floats]:
    """Split the predictive entropy of an ensemble, a row at a time (equation ``eq-ensemble-entropy``).

    Parameters
    ----------
    member_probs : array_like, shape (J, n, K)
        Class probabilities of each of J members for each of n rows.

    Returns
    -------
    Uncertainty of ndarray, shape (n,)
        In bits: the entropy of the members' mean (total), the mean of the members' entropies (aleatoric), and
        the mutual information between member and class (epistemic). Each lies between 0 and log2 K, and the
        epistemic part is at most log2 J. Members that only say 0 or 1 show overlap of classes as epistemic.

    {refused}

    References
    ----------
    Depeweg et al. (2018), Decomposition of uncertainty in Bayesian deep learning, section 3;
    Lakshminarayanan et al. (2017), Simple and scalable predictive uncertainty estimation, section 2.4.

    Examples
    --------
    >>> agree, differ = [[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]]
    >>> decompose_uncertainty([[agree[0], differ[0]], [agree[1], differ[1]]]).epistemic.tolist()
    [0.0, 1.0]
    """
    members = _input.real_array(member_probs, "member_probs", ndim=(3,))
    for m, member in enumerate(members):
        _input.probabilities(member, f"member_probs[{m}]", ndim=(2,))
    members = members.astype(np.float64)
    aleatoric = entr(members).sum(axis=2).mean(axis=0) / np.log(2)
    disagreement = rel_entr(members, members.mean(axis=0)).sum(axis=2).mean(axis=0) / np.log(2)
    epistemic = np.maximum(disagreement, 0.0)
    return Uncertainty(aleatoric + epistemic, aleatoric, epistemic)
