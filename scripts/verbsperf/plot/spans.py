"""What the y axes of a picture show, from where to where."""
import math
from typing import NamedTuple, Sequence

from verbsperf.plot.curves import Picture

# The least of the largest value that an axis shows: of a smaller change most
# is noise.
LEAST_SPAN = 0.05
# Nearer to each other than by that factor, values have even ticks on an axis of
# logarithms, too.
NEAR = 5


class Span(NamedTuple):
    """What a y axis shows."""

    low: float
    high: float
    log: bool

    def is_near(self) -> bool:
        """Return True when the ends of the axis differ by a small factor."""
        return self.high < NEAR * self.low

    def begins_late(self) -> bool:
        """Return True when the eye may take its beginning for 0."""
        return self.low > 0 and (not self.log or self.is_near())


def linear_span(low: float, high: float) -> Span:
    """Return the Span of LOW to HIGH; it begins at 0 when they are near 0."""
    width = max(high - low, LEAST_SPAN * high)
    middle = (low + high) / 2
    bottom, top = middle - 0.58 * width, middle + 0.58 * width
    return Span(bottom if bottom > high / 4 else 0, top or 1, False)


def log_span(low: float, high: float) -> Span:
    """Return the Span of LOW to HIGH; ticks have nine digits at most."""
    ratio = max(high / low, 1 + LEAST_SPAN)
    middle, reach = math.sqrt(low * high), math.sqrt(ratio) * ratio ** 0.08
    return Span(max(1e-9, middle / reach), middle * reach, True)


def span_of(every: Sequence[float], scale: str, from_zero: bool) -> Span:
    """Return the Span of EVERY value of panels with SCALE."""
    if from_zero or not every:
        return Span(0, max(every, default=0) * 1.12 or 1, False)
    above = [y for y in every if y > 0]
    far = above and max(above) >= 10 * min(above)
    if above and (scale == "log" or scale == "wide" and far):
        return log_span(min(above), max(above))
    return linear_span(min(every), max(every))


def spans_of(picture: Picture, from_zero: bool) -> list[Span]:
    """Return the Span of each panel; those in a row have one."""
    n = picture.columns
    rows = [picture.panels[i:i + n] for i in range(0, len(picture.panels), n)]
    return [span for row in rows for span in [span_of(
        [y for panel in row for one in panel.curves for d in one.dots
         for y in (d.y, d.low, d.high) if y is not None],
        row[0].y_scale, from_zero)] * len(row)]
