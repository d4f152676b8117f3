"""Kinds of uncertainty: the coin, classifiers, ensembles."""

from ..numerics import entropy as entropy
from .classifiers import kernel_confidence as kernel_confidence
from .coin import Uncertainty as Uncertainty
from .coin import coin_plausibility as coin_plausibility
from .coin import coin_uncertainty as coin_uncertainty
from .coin import expected_coin_uncertainty as expected_coin_uncertainty
from .ensembles import decompose_uncertainty as decompose_uncertainty
