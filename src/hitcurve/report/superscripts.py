"""Rankers by metrics in a table, each value with the letters of the rankers that it beats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from hitcurve import _checks, rows
from hitcurve.errors import ParameterError
from hitcurve.inference import Comparisons
from hitcurve.inference.comparing.letters import letter
from hitcurve.inference.comparing.wording import adjustment

FORMATS = ("text", "markdown", "latex", "html")


def superscripts(comparisons: Comparisons | Sequence[Comparisons], form: str = "text") -> str:
    r"""Return a table of rankers by metrics, each value with the letters of the rankers that are significantly lower.

    Every ranker has a letter. ``0.312 a`` says that the ranker beats the ranker of letter a: the difference is
    significant by the adjusted p value; its level is one minus the confidence level.

    Parameters
    ----------
    comparisons : Comparisons or sequence of Comparisons
        Of the same rankers, one for each metric, without a side (:meth:`hitcurve.GroupedEvaluation.compare_all`).
    form : {"text", "markdown", "latex", "html"}
        In ``latex`` the table is for booktabs, with notes as comments.

    Returns
    -------
    str

    Raises
    ------
    ParameterError
        If there are no comparisons, they are not of the same rankers, or have a side.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve import evaluate, superscripts
    >>> rng = np.random.default_rng(0)
    >>> y, topic = np.tile([1, 0, 0, 0], 100), np.repeat(np.arange(20), 20)
    >>> s = {name: rng.normal(size=400) + shift * y for name, shift in (("bm25", 0.2), ("dense", 1.5), ("both", 2))}
    >>> ev = evaluate(y, s, by=topic, metrics=["ap", "auc"])
    >>> table = superscripts([ev.compare_all(m, adjust="tukey") for m in ("ap", "auc")])
    >>> print(table.partition("\n\n")[0])
       ranker        ap       auc
    -  ------  --------  --------
    a  both    0.8682 c  0.9333 c
    b  dense   0.7407 c  0.8640 c
    c  bm25      0.4041    0.5613
    """
    _checks.choice("form", form, FORMATS)
    several = isinstance(comparisons, Iterable) and not isinstance(comparisons, Comparisons)
    sentence = "superscripts are of what compare_all returns, one for each metric"
    given: list[Any] = _checks.listed(sentence, comparisons) if several else [comparisons]
    found = [one for one in given if isinstance(one, Comparisons)]
    if len(found) < len(given):
        raise ParameterError(f"{sentence}, got {type(comparisons).__name__}")
    if not found:
        raise ParameterError("superscripts need comparisons of at least one metric")
    names = found[0].rankers
    for one in found:
        if set(one.rankers) != set(names):
            raise ParameterError(
                f"superscripts are of the same rankers, got {rows.some(names)} by {found[0].metric} and "
                f"{rows.some(one.rankers)} by {one.metric}"
            )
        if any(test.alternative != "two-sided" or test.null for test in one):
            raise ParameterError(f"superscripts are of two-sided tests of no difference, got others of {one.metric}")
    letters = {name: letter(place) for place, name in enumerate(names)}
    header = ["", "ranker", *(str(one.metric) for one in found)]
    lines = [[letters[name], name, *(_cell(one, name, letters) for one in found)] for name in names]
    notes = _notes(found)
    if form == "latex":
        return f"{rows.latex_comments(notes)}\n{rows.latex_table(header, lines, left=(0, 1))}\n"
    if form == "html":
        return rows.html_block([rows.html_table(header, lines), rows.html_paragraphs(notes)])
    if form == "markdown":
        return f"{rows.markdown_table(header, lines, left=(0, 1))}\n\n{rows.markdown_list(notes)}\n"
    return f"{rows.text_table(header, lines, left=(0, 1))}\n\n{rows.text_lines(notes)}\n"


def _cell(found: Comparisons, name: str, letters: dict[str, str]) -> rows.Raised:
    level = 1 - found.confidence_level
    beaten = []
    for test in found:
        if name in (test.first, test.second) and test.decisive_pvalue <= level:
            ahead = test.first if test.difference.value > 0 else test.second
            if ahead == name and not math.isnan(test.difference.value):
                beaten.append(letters[test.second if ahead == test.first else test.first])
    return rows.Raised(rows.number(found.values[name]), ",".join(sorted(beaten, key=list(letters.values()).index)))


def _notes(found: Sequence[Comparisons]) -> list[str]:
    """Return what letters mean, and by which tests."""
    levels = dict.fromkeys(f"{100 * (1 - one.confidence_level):.3g}%" for one in found)
    notes = [f"letters name the rankers that are significantly lower, at the {rows.listed(list(levels))} level"]
    for one in found:
        test = one[0]
        over = f", over {test.n_groups:,} {test.unit}" if test.over_groups else ""
        with_all = "" if one.baseline is None else f", each with {one.baseline}"
        by = f"{test.title}{over}{with_all}"
        if test.adjustment == "Tukey":  # whose p values are not those of the pairs
            by = f"{adjustment('Tukey')}{over}"
        elif test.adjusted is not None:
            by += f", adjusted by {adjustment(test.adjustment)}"
        notes.append(f"{one.metric}: {by}")
    return notes
