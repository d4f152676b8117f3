"""Names for the arrays and options that the package passes about."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]
Floats = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

Norm = Literal["l1", "l2"]
Strategy = Literal["uniform", "quantile"]
Target = Literal["top-label", "positive"] | int | None
Label = str | int | None
Names = tuple[npt.ArrayLike | None, Label]  # the options `labels` and `pos_label`
Seed = int | np.random.Generator | None
