"""Arrays of any framework, read as NumPy arrays, so that nothing else has to know whose they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

BLOCK = 1 << 22  # elements of a tensor that travel at a time
BFLOAT16 = np.dtype(np.float32, metadata={"precision": "bfloat16"})  # NumPy has no such type of its own


def as_numpy(values: Any) -> npt.NDArray[Any]:
    """Return `values` as a NumPy array, without a copy where there is none to make.

    A tensor (what has ``detach`` and ``cpu``, as in PyTorch) may require gradients and lie on a device, from
    which it is copied once, a block of rows at a time. Anything else is read by ``__array__``, or by
    ``__dlpack__`` where that fails. bfloat16 becomes float32 that remembers its `precision`.
    """
    if isinstance(values, list | tuple) and values and _is_foreign(values[0]):
        values = [as_numpy(value) for value in values]
    if _is_tensor(values):
        return _of_tensor(values.detach())
    array = _of_buffer(values)
    return array.astype(BFLOAT16) if array.dtype.name == "bfloat16" else array


def precision(dtype: np.dtype[Any]) -> str:
    """Name of the type that the numbers were rounded to: that of `dtype`, or "bfloat16"."""
    return str(dtype.metadata["precision"]) if dtype.metadata else dtype.name


def _is_foreign(values: Any) -> bool:
    ways = ("detach", "__dlpack__", "numpy")
    return not isinstance(values, np.ndarray) and any(callable(getattr(values, way, None)) for way in ways)


def _is_tensor(values: Any) -> bool:
    return callable(getattr(values, "detach", None)) and callable(getattr(values, "cpu", None))


def _of_tensor(tensor: Any) -> npt.NDArray[Any]:
    brain = "bfloat16" in str(getattr(tensor, "dtype", ""))
    elsewhere = getattr(getattr(tensor, "device", None), "type", "cpu") != "cpu"
    if not (brain or elsewhere):
        return _of_buffer(tensor.cpu())
    shape = tuple(tensor.shape)
    if 0 in shape or not shape:
        return _of_buffer((tensor.float() if brain else tensor).cpu())
    array = None
    for rows in _few_rows(shape):
        block = _of_buffer((tensor[rows].float() if brain else tensor[rows]).cpu())
        if array is None:
            array = np.empty(shape, BFLOAT16 if brain else block.dtype)
        array[rows] = block
    assert array is not None
    return array


def _few_rows(shape: tuple[int, ...]) -> Iterator[slice]:
    step = max(1, BLOCK // int(np.prod(shape[1:])))
    for start in range(0, shape[0], step):
        yield slice(start, min(start + step, shape[0]))


def _of_buffer(values: Any) -> npt.NDArray[Any]:
    """Read what lies in memory: by `__array__` or as a list, else by `__dlpack__`, else by `numpy()`."""
    exchanged = callable(getattr(values, "__dlpack__", None))
    if hasattr(values, "__array__") or not (exchanged or callable(getattr(values, "numpy", None))):
        try:
            return np.asarray(values)
        except TypeError:  # such as CuPy's, which moves nothing to the host unless asked to
            if not exchanged:
                raise
    return _to_host(values) if exchanged else np.asarray(values.numpy())


def _to_host(values: Any) -> npt.NDArray[Any]:
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        return np.from_dlpack(values)
    return np.from_dlpack(values, device="cpu")
