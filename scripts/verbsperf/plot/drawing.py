"""Whether this Python can draw."""
import types

from verbsperf.base.missing import missing


def import_drawing() -> types.ModuleType:
    """Import verbsperf.plot.figure, which takes long, when it is needed."""
    try:
        from verbsperf.plot import figure  # pylint: disable=C0415
    except ImportError as error:
        raise missing("matplotlib", "python3-matplotlib", error) from None
    return figure
