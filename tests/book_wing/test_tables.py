"""Tables with a caption."""

import pandas as pd

from calibration_lessons.book import tables

FRAME = pd.DataFrame({"ECE": [0.12345, 0.2], "n": [10, 20]}, index=["a", "b"])


def test_a_table_shows_its_caption_first_and_rounds_what_is_not_whole_to_three_digits_unless_told():
    assert "a 0.123  10" in repr(tables.table(FRAME, caption="A"))
    assert repr(tables.table(FRAME, caption="Errors", digits=2)).splitlines() == [
        "Errors",
        "   ECE   n",
        "a 0.12  10",
        "b 0.20  20",
    ]


def test_the_html_of_a_table_is_the_same_in_every_run_and_escapes_its_caption():
    html = tables.table(FRAME, caption="p < 1 & n", digits=2)._repr_html_()
    assert html == tables.table(FRAME, caption="p < 1 & n", digits=2)._repr_html_()
    assert "<caption>p &lt; 1 &amp; n</caption>" in html
    assert html.index("<table") < html.index("<caption>") < html.index("<thead>")
    assert ">0.12<" in html and ">10<" in html


def test_the_heads_of_a_table_stand_right_as_its_numbers_do_and_no_border_is_drawn():
    html = tables.table(FRAME, caption="A")._repr_html_()
    assert "border=" not in html.replace('border="0"', "") and "text-align: right;" in html
