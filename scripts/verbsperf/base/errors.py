"""Why a command cannot do what it was asked."""
from typing import Optional


class Refused(Exception):
    """The text says what is wrong and where; the command ends with STATUS."""

    status = 2

    def __init__(self, text: str, status: Optional[int] = None) -> None:
        super().__init__(text)
        self.status = self.status if status is None else status


class ResultsError(Refused):
    """A file of results is not what it should be."""


class NotDrawn(Refused):
    """It cannot be drawn; the text says why and what to do."""

    status = 1
