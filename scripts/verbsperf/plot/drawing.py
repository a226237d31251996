"""Whether this Python can draw."""
import sys
import types

from verbsperf.base.errors import NotDrawn


def import_drawing() -> types.ModuleType:
    """Import verbsperf.plot.figure, which takes long, when it is needed."""
    try:
        from verbsperf.plot import figure  # pylint: disable=C0415
    except ImportError as error:
        raise NotDrawn(
            f"{sys.executable} cannot import matplotlib ({error}): install "
            f"it with {sys.executable} -m pip install matplotlib, or use the "
            "python3 of the distribution with its package "
            "python3-matplotlib") from None
    return figure
