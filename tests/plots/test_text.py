"""What a picture says of itself: every kind of artist with its numbers, short data in full."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from calibration_lessons.plots._text import described


def axes():
    return Figure().add_subplot()


def told(ax):
    """Lines on what lies in the axes; the first line is on the axes themselves."""
    return described(ax)[1:]


def test_the_axes_are_named_by_their_title_and_labels_or_by_a_dash():
    assert described(axes()) == ["axes: x -, y -"]
    ax = axes()
    ax.set(title="One coin", xlabel="tosses", ylabel="bits")
    assert described(ax) == ["axes 'One coin': x tosses, y bits"]


def test_a_line_gives_its_points_and_its_name_if_it_has_one():
    ax = axes()
    ax.plot([0, 1, 2], [0.5, 1.23456, 1e-13])
    ax.plot([0], [1], label="truth")
    assert told(ax) == ["  line: (0, 0.5) (1, 1.23) (2, 0)", "  line 'truth': (0, 1)"]


def test_of_more_than_fifteen_points_number_ends_mean_and_five_on_the_way_are_told():
    ax = axes()
    ax.plot(range(15), range(15))
    ax.plot(range(16), np.arange(16) * 10)
    short, long = told(ax)
    assert short.count("(") == 15 and short.endswith("(13, 13) (14, 14)")
    assert long == (
        "  line: x n 16 min 0 max 15 mean 7.5 (0 3 7 11 15); y n 16 min 0 max 150 mean 75 (0 30 70 110 150)"
    )


def test_what_is_not_finite_stays_out_of_the_ends_and_of_the_mean():
    ax = axes()
    ax.plot(range(16), [np.nan, np.inf] + 7 * [1.0] + 7 * [2.0])
    ax.plot(range(16), [np.nan] * 16)
    some, none = (line.partition("; y ")[2] for line in told(ax))
    assert some == "n 16 min 1 max 2 mean 1.5 (nan 1 1 2 2)"
    assert none == "n 16 (nan nan nan nan nan)"


def test_bars_give_where_they_start_and_how_high_they_are_once():
    ax = axes()
    ax.bar([0, 1], [2, 3], bottom=[0, -1], label="counts")
    ax.bar(range(15), range(15))
    named, plain = told(ax)
    assert named == "  bars 'counts': from 0 -1, heights 2 3"
    assert plain == f"  bars : from {'0 ' * 14}0, heights {' '.join(map(str, range(15)))}"


def test_intervals_give_their_place_and_both_ends():
    ax = axes()
    ax.vlines([1, 2], [0.1, 0.2], [0.3, 0.4], label="95 %")
    assert told(ax) == ["  intervals '95 %': (1, 0.1 to 0.3) (2, 0.2 to 0.4)"]


def test_an_interval_of_several_pieces_ends_where_its_last_piece_ends():
    from matplotlib.collections import LineCollection

    ax = axes()
    ax.add_collection(LineCollection([[(1, 2), (3, 4), (5, 6)]], label="path"))
    assert told(ax) == ["  intervals 'path': (1, 2 to 6)"]


def test_points_shades_and_bands_give_their_numbers():
    ax = axes()
    ax.scatter([1, 2], [3, 4], label="a")
    ax.pcolormesh([0, 1], [0, 1], [[0, 1], [2, 3.5]])
    ax.fill_between([0, 1], [0, 0], [2, 3])
    points, shades, band = told(ax)
    assert points == "  points 'a': (1, 3) (2, 4)"
    assert shades == "  shades: 0 1 2 3.5"
    x, y = band.removeprefix("  band: x ").split("; y ")
    assert {*map(float, x.split())} == {0, 1} and {*map(float, y.split())} == {0, 2, 3}


@pytest.mark.parametrize("noise", [1e-13, -1e-13])
def test_noise_far_below_the_digits_does_not_decide_how_a_tie_is_rounded(noise):
    ax = axes()
    ax.plot([0.0125 + noise], [2.5 + noise])
    assert told(ax) == ["  line: (0.0125, 2.5)"]
    ax = axes()
    ax.plot([1.125 + noise], [0])
    assert told(ax) == ["  line: (1.12, 0)"]
