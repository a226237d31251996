"""Why a command cannot do what it was asked."""


class Refused(Exception):
    """The text says what is wrong and where; the command ends with STATUS."""

    status = 2


class ResultsError(Refused):
    """A file of results is not what it should be."""
