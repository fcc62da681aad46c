"""Evaluations as files of JSON: written whole, read back to the same numbers."""

from __future__ import annotations

import hashlib
import json
import os
import re
from abc import ABC, abstractmethod
from importlib.metadata import version
from typing import IO, TYPE_CHECKING, Any, overload

from hitcurve import rows
from hitcurve._file_names import path_of
from hitcurve._writing import check_folder, write_whole
from hitcurve.errors import HitcurveError, ParameterError, UnreadableFileError
from hitcurve.sources import engine_of
from hitcurve.sources.files.paths import check_no_pipe

if TYPE_CHECKING:
    from hitcurve.evaluation.grouped import GroupedEvaluation
    from hitcurve.evaluation.result import Evaluation
    from hitcurve.sources import Source

FORMAT, VERSION = "hitcurve evaluation", 4
MOST_SUBJECTS = 100_000  # written unless it is said


class Kept(ABC):
    """An evaluation that can be written to a file and read again."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain lists and dictionaries."""

    @overload
    def to_json(self, path: None = ..., *, subjects: bool | None = ...) -> str: ...
    @overload
    def to_json(self, path: str | os.PathLike[str], *, subjects: bool | None = ...) -> None: ...
    def to_json(self, path: str | os.PathLike[str] | None = None, *, subjects: bool | None = None) -> str | None:
        """Return the evaluation as JSON, or write it to a file; :func:`hitcurve.from_json` reads it.

        What is read back has the same values, standard errors, intervals at any level, comparisons and methods text,
        bit for bit. For other programs the file has the keys of :meth:`to_dict`.

        Parameters
        ----------
        path : str or path, optional
            The file, written atomically. Without it the text is returned.
        subjects : bool, optional
            Whether to write the label and the scores of every subject. Comparisons by ``swap-permutation``,
            ``bootstrap`` and rearranged positives, difference bands, gaps, and with clusters bands and sensitivity need
            them. If absent, subjects are written if there are at most 100,000 and at least two rankers to compare.
            Without subjects a comparison uses the delta test where the default would be swaps, with a caution. The file
            always contains the scores of the positives. Names of clusters are not written.

        Returns
        -------
        str, or None if there is a path

        Raises
        ------
        ParameterError
            If a metric has no metric string (one of your own), or subjects are asked for that the evaluation does not
            hold.
        UnreadableFileError
            If the file cannot be written.

        Examples
        --------
        >>> import hitcurve as hc
        >>> ev = hc.evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="ap")
        >>> hc.from_json(text=ev.to_json())["score", "ap"].value == ev["score", "ap"].value
        True
        """
        if path is not None:
            check_folder(path_of(path))
        from hitcurve.evaluation.state import subjects_out
        from hitcurve.evaluation.state_of_groups import state_out

        state, source, compares = state_out(self)
        if subjects and source is None:
            raise ParameterError(
                "subjects=True: this evaluation does not hold its subjects, evaluate labels and scores"
            )
        wanted = subjects if subjects is not None else compares and source is not None and _are_few(source)
        content = {
            "format": FORMAT,
            "version": VERSION,
            "hitcurve": version("hitcurve"),
            **self.to_dict(),
            "state": state,
            "subjects": subjects_out(source) if wanted and source is not None else None,
        }
        content["digests"] = {key: digest(part) for key, part in content.items()}
        text = rows.json_text(json.dumps(content, ensure_ascii=False, allow_nan=False)) + "\n"
        if path is None:
            return text
        write_whole(path_of(path), text)
        return None


def _are_few(source: Source) -> bool:
    return (
        engine_of(source) is None
        and source.reduce(lambda block: int(block.positive.size), int.__add__) <= MOST_SUBJECTS
    )


def from_json(
    path: str | os.PathLike[str] | IO[str] | IO[bytes] | None = None, *, text: str | bytes | None = None
) -> Evaluation | GroupedEvaluation:
    """Read an evaluation that :meth:`hitcurve.Evaluation.to_json` wrote.

    Parameters
    ----------
    path : str, path or open file
    text : str or bytes, optional
        The JSON itself, instead of a file.

    Returns
    -------
    Evaluation, GroupedEvaluation or TrecEvaluation
        As it was written.

    Raises
    ------
    ParameterError
        If it is not such JSON, is of another version, or any value in it was changed after it was written. The file
        has a digest of each part, which is checked; spaces, line breaks and the order of keys do not matter.
    UnreadableFileError
        If the file cannot be read.

    Examples
    --------
    >>> import hitcurve as hc
    >>> text = hc.evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="ap").to_json()
    >>> hc.from_json(text=text)["score", "ap"].value
    0.8333333333333333
    """
    return _evaluation(*content_given(path, text))


def content_given(
    path: str | os.PathLike[str] | IO[str] | IO[bytes] | None, text: str | bytes | None
) -> tuple[str | bytes, str]:
    """Return JSON that was given as a path or as text, and what it is called.

    Raises
    ------
    ParameterError, UnreadableFileError
    """
    if (path is None) == (text is None):
        raise ParameterError("give the path of a file, or text=, the JSON itself")
    if isinstance(text, (str, bytes)):
        return text, "text"
    if text is not None:
        raise ParameterError(f"text must be str or bytes, got {type(text).__name__}")
    if isinstance(path, str) and path.lstrip().startswith("{"):
        raise ParameterError("path must be the name of a file, and this is JSON: give it as text=")
    read = getattr(path, "read", None)
    if read is not None:
        return read(), str(getattr(path, "name", "the file"))
    where = path_of(path)
    check_no_pipe(where)
    try:
        content = where.read_bytes()
    except OSError as error:
        raise UnreadableFileError(f"cannot read {where}: {error.strerror}") from None
    return content, str(where)


def _evaluation(text: str | bytes, name: str) -> Evaluation | GroupedEvaluation:
    from hitcurve.evaluation.state import subjects_in
    from hitcurve.evaluation.state_of_groups import state_in

    content = parsed(text, name)
    if isinstance(content, dict) and content.get("format") == "hitcurve survival evaluation":
        raise ParameterError(f"{name} is an evaluation of censored subjects: SurvivalEvaluation.from_json reads it")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        numbers = isinstance(content, dict) and "schema" in content and "metrics" in content
        what = "holds numbers to read (to_dict, --format json), without the tables" if numbers else "is other JSON"
        raise ParameterError(f"{name} is not an evaluation written by to_json: it {what}")
    if content.get("version") != VERSION:
        raise ParameterError(
            f"{name} is of version {content.get('version')!r} of the format, written by hitcurve "
            f"{content.get('hitcurve')}, and this is hitcurve {version('hitcurve')}, which reads version {VERSION}"
        )
    check_unchanged(content, name)
    try:
        return state_in(content["state"], subjects_in(content["subjects"]))
    except (HitcurveError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise ParameterError(f"{name} is damaged: {type(error).__name__}: {error}") from None


def parsed(text: str | bytes, name: str) -> Any:
    """Return the content of JSON.

    Raises
    ------
    ParameterError
        If it is not JSON.
    """
    try:
        return json.loads(text)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} is not JSON: {error}") from None
    except RecursionError:
        raise ParameterError(f"{name} is not JSON that can be read: it is nested too deeply") from None


def check_unchanged(content: dict[str, Any], name: str) -> None:
    """Raise unless every part is as it was written: numbers, tables and covariances then agree with each other."""
    digests = content.pop("digests", None)
    again = "write the evaluation again with to_json"
    if not isinstance(digests, dict):
        raise ParameterError(f"{name} is damaged: it lacks the digests of its parts; {again}")
    if absent := [key for key in digests if key not in content]:
        raise ParameterError(f"{name} is damaged: it lacks {', '.join(map(repr, absent))}; {again}")
    if changed := [key for key, part in content.items() if digests.get(key) != digest(part)]:
        raise ParameterError(
            f"{name} was changed after it was written, in {', '.join(map(repr, changed))}, so its numbers may "
            f"disagree; {again}"
        )


def digest(part: Any) -> str:
    """Return the SHA-256 of a part of the file, the same for 1 and 1.0, and for any spaces and order of keys."""
    text = json.dumps(part, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(re.sub(r"\.0(?=[],}]|$)", "", text).encode()).hexdigest()
