"""Exceptions and warnings of hitcurve.

Each refines a builtin, so that ``except ValueError`` (or ``LookupError``, ``ImportError``) keeps working,
and each is also a :class:`HitcurveError`, so that a program can tell bad input from a bug.
"""

from __future__ import annotations

import re

_LONGEST = 1200  # characters of a message
_READ = 20_000  # characters of a message that are looked at
_VALUE, _PATH = 80, 260  # characters of a value, of the name of a file
_QUOTED = re.compile(r"""(?<![\w'])b?'(?:[^'\\]|\\.)*'(?!\w)|(?<![\w"])"(?:[^"\\]|\\.)*"(?!\w)""", re.DOTALL)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+(?=>)")  # of an object, which says nothing
_WORD = re.compile(rf"\S{{{_VALUE + 3},}}")


def one_line(text: str) -> str:
    """Return a message on one line, in which no value that it quotes takes more than some 80 characters."""
    text = _ADDRESS.sub("", _cut(" ".join(text.split("\n")), _READ))
    if len(text) > _VALUE:
        text = _WORD.sub(_shorter, _without_long_lists(_QUOTED.sub(_shorter, text)))
    return _cut(text, _LONGEST)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most * 5 // 8]}...{text[-(most * 2 // 8) :]}"


def _shorter(found: re.Match[str]) -> str:
    text = found[0]
    return _cut(text, _PATH if "/" in text or ":\\" in text else _VALUE + 2)


def _without_long_lists(text: str) -> str:
    """Cut what stands between brackets or braces, of which those inside are not looked at."""
    depth = start = end = 0
    kept = []
    for found in re.finditer(r"[\[{]|[\]}]", text):
        if found[0] in "[{":
            depth += 1
            start = start if depth > 1 else found.start()
        elif depth:
            depth -= 1
            if not depth:
                kept += [text[end:start], _cut(text[start : found.end()], 2 * _VALUE)]
                end = found.end()
    return "".join([*kept, text[end:]])


class HitcurveError(Exception):
    """Base class of all exceptions of this package."""

    def __str__(self) -> str:
        """Return the message on one line, in which values that it quotes are short."""
        return one_line(super().__str__())


class InputError(HitcurveError, ValueError):
    """Input that cannot be evaluated."""


class EmptyInputError(InputError):
    """No subject at all."""


class SingleClassError(InputError):
    """Only positives or only negatives."""


class LengthMismatchError(InputError):
    """Labels, scores and weights that do not belong to the same subjects."""


class MissingValueError(InputError):
    """A missing label or score, and no policy for it."""


class LabelError(InputError):
    """Labels that are not two classes, or of which neither is known to be positive."""


class ScoreError(InputError):
    """Scores that are not one real number per subject."""


class WeightError(InputError):
    """A weight that is negative, missing or not finite, or weights that are all 0."""


class CountError(InputError):
    """Counts that are negative or not whole."""


class RankError(InputError):
    """Ranks that repeat, are not whole or lie outside 1..n."""


class GridMismatchError(InputError):
    """Tables counted on different grids: they do not add."""


class ParameterError(InputError):
    """An argument outside its range."""


class FileNameError(ParameterError, TypeError):
    """An argument that is no name of a file, where one is needed."""


class ThresholdScoringError(ParameterError, AttributeError):
    """A metric of rankings where scikit-learn needs one of decisions, to choose a threshold."""


class MetricParseError(InputError):
    """A metric string that cannot be parsed."""

    def __str__(self) -> str:
        """Return the message; where several metrics cannot be read, each has a line."""
        return "\n".join(map(one_line, ValueError.__str__(self).split("\n")))


class UndefinedMetricError(InputError):
    """A metric that is undefined for these data, with the reason."""


class InsufficientDataError(InputError):
    """Too few subjects for a meaningful interval or test; the value itself is not affected."""


class ColumnNotFoundError(HitcurveError, KeyError):
    """A column that the data do not have."""

    def __str__(self) -> str:
        """Return the message, which a ``KeyError`` puts between quotes."""
        return one_line(Exception.__str__(self))


class ReadOnlyError(HitcurveError, TypeError):
    """An attempt to change a dictionary of a result."""


class UnreadableFileError(HitcurveError, OSError):
    """A file that cannot be read as a table."""


class EngineError(HitcurveError, RuntimeError):
    """An engine such as Spark that cannot run a pass over its rows, with the reason."""


class MissingExtraError(HitcurveError, ImportError):
    """An optional dependency that is not installed, or cannot be loaded."""


class AbsentModuleError(HitcurveError, AttributeError):
    """A module, asked for as an attribute, whose optional dependency is not there: ``hitcurve.spark`` without Spark.

    ``hasattr(hitcurve, "spark")`` is then False. ``import hitcurve.spark`` and ``from hitcurve import spark`` raise
    :class:`MissingExtraError`.
    """


class HitcurveWarning(UserWarning):
    """Base class of all warnings of this package."""

    def __str__(self) -> str:
        """Return the message on one line, in which values that it quotes are short."""
        return one_line(super().__str__())


class DirectionWarning(HitcurveWarning):
    """AUC below one half: perhaps lower scores are better."""


class TwoValuedScoreWarning(HitcurveWarning):
    """A score with two values: perhaps a thresholded decision."""


class ConstantScoreWarning(HitcurveWarning):
    """A score that is the same for every subject and ranks none."""


class CountsWarning(HitcurveWarning):
    """Counts by category with a row that is the sum of the others, or that look cumulative."""


class WeightsWarning(HitcurveWarning):
    """Weights that are whole numbers and differ within a class: perhaps numbers of subjects."""


class MissingValueWarning(HitcurveWarning):
    """Missing values were dropped or ranked last as requested; the message has their number."""


class AlignmentWarning(HitcurveWarning):
    """Columns of the same subjects were in different orders, and aligned by index; evaluations list it as a note."""


class UndefinedMetricWarning(HitcurveWarning):
    """A metric without a value, returned as nan because ``undefined="nan"`` was asked for."""


class SaturationWarning(HitcurveWarning):
    """A metric that depends on the prevalence here, because positives compete for the top ranks."""
