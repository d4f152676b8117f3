"""The passes against loops over rows and classes: few columns and many, one block and several, ties."""

import math

import numpy as np
import pytest

import calibration_lessons as cl
from calibration_lessons import _blocks

SHAPES = {
    "few classes": (50, 3),
    "many classes": (30, 80),
    "several blocks": (500, 90),
    "few, blocks": (20_000, 3),
}
DTYPES = [np.float16, np.float32, np.float64]
shapes = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
dtypes = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)


def tied_rows(shape, dtype=np.float64):
    """Whole logits with many ties, and their labels."""
    rng = np.random.default_rng(0)
    return rng.integers(-4, 4, shape).astype(dtype), rng.integers(0, shape[1], shape[0])


def rows_of(z):
    """Rows as lists of Python floats; of long arrays the first, the last and some between."""
    places = sorted({*range(0, len(z), max(1, len(z) // 40)), len(z) - 1})
    return [(i, [float(value) for value in z[i]]) for i in places]


@dtypes
@pytest.mark.parametrize("shape", [(5,), (300_000,), (100_000, 3), (7, 200_000), (32_768,), (32_769,)])
def test_blocks_hold_all_rows_in_order_and_no_more_than_their_size(shape, dtype):
    rows = np.broadcast_to(dtype(0), shape)
    blocks = list(_blocks.row_blocks(rows))
    assert [i for block in blocks for i in range(block.start, block.stop)] == list(range(shape[0]))
    row = rows[:1].nbytes
    sizes = [(block.stop - block.start) * row for block in blocks]
    assert all(size <= max(_blocks.BLOCK, row) for size in sizes)
    assert all(size > _blocks.BLOCK - row or row > _blocks.BLOCK for size in sizes[:-1])


@dtypes
@shapes
def test_the_layout_puts_few_classes_first_and_keeps_the_block(shape, dtype):
    z, _ = tied_rows(shape, dtype)
    before = z.copy()
    for make in (_blocks.laid_out, _blocks.worked_on, lambda block: _blocks.worked_on(block, np.float64)):
        values, axis = make(z)
        assert values.flags.c_contiguous and axis == (0 if shape[1] < 64 else 1)
        np.testing.assert_array_equal(values.T if axis == 0 else values, z)
    assert _blocks.laid_out(z)[0].dtype == dtype
    work = _blocks.worked_on(z)[0]
    assert work.dtype == (np.float64 if dtype is np.float64 else np.float32)
    assert _blocks.worked_on(z, np.float64)[0].dtype == np.float64
    work[:] = 9
    np.testing.assert_array_equal(z, before)


@pytest.mark.parametrize("classes", [63, 64])
def test_few_means_fewer_than_sixty_four(classes):
    for make in (_blocks.laid_out, _blocks.worked_on):
        assert make(np.zeros((2, classes)))[1] == (classes == 64)


@dtypes
@shapes
def test_the_largest_entry_and_its_first_class_are_found_in_every_row(shape, dtype):
    z, labels = tied_rows(shape, dtype)
    probabilities = cl.softmax(z)
    highest, hits = _blocks.top_label(z, labels)
    chance, hits_of_logits = _blocks.top_label_of_logits(z, labels)
    column = _blocks.softmax_column(z, 1)
    for i, row in rows_of(z):
        assert highest[i] == max(row)
        assert hits[i] == hits_of_logits[i] == (row.index(max(row)) == labels[i])
        assert chance[i] == pytest.approx(1 / math.fsum(math.exp(v - max(row)) for v in row), rel=2e-6)
        assert column[i] == pytest.approx(probabilities[i, 1], rel=1e-12)
    assert highest.dtype == dtype and column.dtype == chance.dtype == np.float64


@shapes
def test_the_squares_of_every_row_add_up(shape):
    p = cl.softmax(tied_rows(shape)[0])
    squares = _blocks.row_squares(p)
    assert squares.shape == shape[:1]
    for i, row in rows_of(p):
        assert squares[i] == pytest.approx(math.fsum(v * v for v in row), rel=1e-15)


def test_rows_far_apart_keep_their_own_maximum():
    z = np.array([[900.0, 901.0], [-900.0, -899.0]])
    assert _blocks.softmax_column(z, 0).tolist() == [_blocks.softmax_column(z[:1], 0)[0]] * 2
    assert _blocks.top_label_of_logits(z, np.array([1, 0]))[0].tolist() == [1 / (1 + math.exp(-1))] * 2


@pytest.mark.parametrize("axis", [0, 1])
def test_ties_are_counted_and_the_first_decides(axis):
    largest = np.array([[True, True, False], [False, True, True]])
    single = np.array([[False, True, False], [False, False, True]])
    labels = np.array([0, 2])
    for rows, counts, hits in ((largest, [2, 2], [True, False]), (single, [1, 1], [False, True])):
        found = _blocks.ties(rows if axis == 1 else np.ascontiguousarray(rows.T), axis, labels)
        assert [part.tolist() for part in found] == [counts, hits]
    values = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    chosen = _blocks.chosen_class(values if axis == 1 else np.ascontiguousarray(values.T), axis, labels)
    assert chosen.tolist() == [1.0, 6.0]
    single_precision = np.full((3, 4), 0.1, dtype=np.float32)
    sums = _blocks.row_sums(single_precision, axis)
    assert sums.dtype == np.float64
    assert sums.tolist() == pytest.approx([single_precision.shape[axis] * float(np.float32(0.1))] * len(sums))
