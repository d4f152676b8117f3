"""Tell whether two pictures look the same, so that another machine's rounding rewrites no figure.

Font hinting, vector rounding and the libraries' own versions move single pixels along edges. The eye averages
over an edge: pictures of one size look the same where no square of four by four pixels differs in its mean by
more than `TOLERANCE` of 255. A digit of an axis that changes differs by more than three times that.
"""

import io
from base64 import b64decode

import numpy as np
import numpy.typing as npt
from PIL import Image

SIDE = 4  # pixels
TOLERANCE = 12.0


def look_the_same(first: str, second: str) -> bool:
    """Compare two pictures, each as the text that a notebook keeps."""
    one, other = (means(text) for text in (first, second))
    return one.shape == other.shape and bool((abs(one - other) <= TOLERANCE).all())


def means(text: str) -> npt.NDArray[np.float64]:
    """Mean colour of each square that lies wholly in a picture, on white ground and on black."""
    picture = Image.open(io.BytesIO(b64decode(text))).convert("RGBA")
    grounds = [Image.new("RGBA", picture.size, ground) for ground in ("white", "black")]
    pixels = [np.asarray(Image.alpha_composite(ground, picture))[..., :3] for ground in grounds]
    both = np.concatenate(pixels, axis=2).astype(np.float64)
    rows, columns = (length - length % SIDE for length in both.shape[:2])
    squares = both[:rows, :columns].reshape(rows // SIDE, SIDE, columns // SIDE, SIDE, 6)
    return np.asarray(squares.mean(axis=(1, 3)))
