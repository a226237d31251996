"""numpy and SciPy, imported when something is first computed with them: the
commands have a --help, and verbsperf is built, where they are not installed."""
import importlib
import types
from typing import TYPE_CHECKING, Any

from verbsperf.base.missing import missing

if TYPE_CHECKING:
    import numpy as numpy
    from numpy.typing import NDArray
    from scipy import special as special, stats as stats

    Floats = NDArray[numpy.float64]
    Integers = NDArray[numpy.int_]
    Mask = NDArray[numpy.bool_]


class Late(types.ModuleType):
    """A module that is imported when one of its names is first used."""

    def __getattr__(self, name: str) -> Any:
        """Import the module, and return what NAME is there."""
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            found = importlib.import_module(self.__name__)
        except ImportError as error:
            raise missing("scipy", "python3-scipy", error) from None
        self.__dict__.update(found.__dict__)
        return getattr(found, name)


if not TYPE_CHECKING:
    Floats = Integers = Mask = Any
    numpy = Late("numpy")
    special = Late("scipy.special")
    stats = Late("scipy.stats")


def check() -> None:
    """Refuse to go on where they are not installed."""
    numpy.float64, special.stdtr    # pylint: disable=pointless-statement
