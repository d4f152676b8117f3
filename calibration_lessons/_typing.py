"""Names for the arrays that the package passes about."""

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]
Floats = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
