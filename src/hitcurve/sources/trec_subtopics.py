"""Judgements by subtopic: which document is relevant to which intent of a topic."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from hitcurve.errors import InputError
from hitcurve.sources.trec import Qrels, judgements_of_file
from hitcurve.sources.trec_given import grade_of

Subtopics: TypeAlias = dict[str, dict[str, dict[str, int]]]


def read_subtopics(path: str | Path) -> Subtopics:
    r"""Read judgements by subtopic, as of TREC's diversity tasks: ``topic subtopic document relevance``.

    Parameters
    ----------
    path : str or Path
        Plain, or compressed by gzip, bzip2, xz or zstd.

    Returns
    -------
    dict of str to dict of str to dict of str to int
        The relevance of each document of each topic to each subtopic for which it was judged; what
        :func:`hitcurve.evaluate_trec` takes as qrels.

    Raises
    ------
    UnreadableFileError, EmptyInputError
        If the file cannot be read, or holds nothing.
    InputError, LabelError
        With the line, if one does not have four fields, its relevance is not a whole number, or its document was judged
        before for the subtopic.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     qrels = Path(folder) / "qrels.txt"
    ...     _ = qrels.write_text("1 a d3 1\n1 b d3 0\n1 b d9 1\n")
    ...     read_subtopics(qrels)
    {'1': {'d3': {'a': 1, 'b': 0}, 'd9': {'b': 1}}}
    """
    found: Subtopics = {}
    for where, topic, subtopic, document, relevance in judgements_of_file(path):
        of_document = found.setdefault(topic, {}).setdefault(document, {})
        if subtopic in of_document:
            raise InputError(f"{where}: document {document!r} of subtopic {subtopic!r} of topic {topic!r} occurs twice")
        of_document[subtopic] = relevance
    return found


def subtopics_of(given: Any) -> Subtopics | None:
    """Return judgements by subtopic that were passed as mappings, None if these are others.

    Raises
    ------
    LabelError
        If a relevance is not a whole number.
    """
    if not isinstance(given, Mapping):
        return None
    first = next((document for topic in given.values() if isinstance(topic, Mapping) for document in topic.values()), 0)
    if not isinstance(first, Mapping):
        return None
    found: Subtopics = {}
    for topic, of_topic in given.items():
        for document, of_document in of_topic.items():
            if not isinstance(of_document, Mapping):
                raise InputError(
                    f"qrels, topic {str(topic)!r}: relevance by subtopic is a mapping for every document, got "
                    f"{of_document!r} for {str(document)!r}"
                )
            own = {str(subtopic): grade_of(grade, topic, document) for subtopic, grade in of_document.items()}
            found.setdefault(str(topic), {})[str(document)] = own
    return found


def flattened(subtopics: Subtopics) -> Qrels:
    """Return the largest relevance of each document to any subtopic."""
    return {
        topic: {document: max(own.values(), default=0) for document, own in of_topic.items()}
        for topic, of_topic in subtopics.items()
    }
