"""One function per kind of figure: it draws what a compute function returned, and computes nothing.

Every function returns a `Picture`, a figure whose PNG has the same bytes on every run and whose text
tells the data it shows. With ``ax=`` a function draws into axes that are there, those of a picture or of any
figure of matplotlib's (which keeps its own style), and returns their figure. A ``color`` is a name in
`COLORS`, or any colour that matplotlib knows.
"""

from .display import ReliabilityDisplay as ReliabilityDisplay
from .palette import COLORS as COLORS
from .pictures import Picture as Picture
from .pictures import bars as bars
from .pictures import corp_diagram as corp_diagram
from .pictures import flexible_curve as flexible_curve
from .pictures import histogram as histogram
from .pictures import images as images
from .pictures import interval_plot as interval_plot
from .pictures import lines as lines
from .pictures import panels as panels
from .pictures import plane as plane
from .pictures import reliability_diagram as reliability_diagram
from .pictures import scatter as scatter
from .pictures import shared_legend as shared_legend
from .pictures import simplex as simplex
