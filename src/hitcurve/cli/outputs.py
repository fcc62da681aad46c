"""Results -> standard output or a file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hitcurve.cli.formats import BINARY, DATA, form_of
from hitcurve.cli.streams import say, tell

if TYPE_CHECKING:
    from hitcurve.confusion import Confusion
    from hitcurve.curve import Curve
    from hitcurve.evaluation import Evaluation, GroupedEvaluation
    from hitcurve.groups import AverageCurve
    from hitcurve.inference import Band, Comparisons

REFERENCES = ("random", "perfect", "worst")
_MARKED = ("note: ", "warning: ")


@dataclass(frozen=True)
class Part:
    """A part of a result: notes, records, and a table of the records for reading."""

    name: str
    notes: Sequence[str]
    records: Sequence[Mapping[str, Any]]
    header: Sequence[str] = ()
    body: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class Writer:
    """The destination and the format of results."""

    form: str
    output: Path | None = None
    methods: bool = False

    @classmethod
    def of(
        cls,
        form: str | None,
        output: Path | None = None,
        methods: bool = False,
        *,
        default: str = "text",
        has_page: bool = False,
    ) -> Writer:
        """Return the output in the requested format, or in that of the file's suffix.

        Raises
        ------
        ParameterError
            If the two contradict each other, or there is no such format.
        """
        from hitcurve.errors import ParameterError

        if output == Path("-"):  # standard output, as - is standard input
            output = None
        chosen = form_of(form, output, default, has_page=has_page)
        if methods and chosen in (*DATA, "html"):
            raise ParameterError(f"--methods cannot be combined with the format {chosen}: use text, markdown or latex")
        return cls(chosen, output, methods)

    def refuse_tests_of_page(self, compared: Sequence[str] | None) -> None:
        """Refuse tests beside those of a page.

        Raises
        ------
        ParameterError
        """
        from hitcurve.errors import ParameterError

        if compared and self.form == "html":
            raise ParameterError("a page compares the rankers itself: leave out --compare, or write another format")

    def write(
        self,
        result: Evaluation | GroupedEvaluation,
        comparisons: Sequence[Comparisons] = (),
        below: str = "",
    ) -> None:
        """Write an evaluation, and comparisons of its rankers, and below them one more table."""
        from hitcurve.report import file_of, page, render, rows_of

        if self.form == "html":
            self.put(page(result))
            self.warn(result)
            return
        of_tests = [caution for several in comparisons for caution in several.cautions]
        if self.form in BINARY:
            self.put(file_of(rows_of(result, comparisons), self.form))
            self._warn_beside_columns(result, of_tests)
            return
        text = render(result, self.form, comparisons) + (f"\n{below}" if below else "")
        if self.methods:
            words = [result.methods_text(), *(f"{comparison.methods_text()}\n" for comparison in comparisons)]
            text += self.as_note("\n".join(words))
        self.put(text)
        if self.form == "csv":
            self._warn_beside_columns(result, of_tests)
        elif self.output is not None:
            self.warn(result)

    def _warn_beside_columns(self, result: Evaluation | GroupedEvaluation, of_tests: Sequence[str]) -> None:
        """Print cautions and warnings apart from columns, which have no place for them."""
        self.beside_columns(dict.fromkeys((*result.cautions, *of_tests)))
        self.warn(result)

    def beside_columns(self, lines: Iterable[str]) -> None:
        """Print lines apart from a result in columns, which have no place for them; other formats have them."""
        if self.form in ("csv", *BINARY):
            tell(*(line if line.startswith(_MARKED) else f"note: {line}" for line in lines))

    def text(self, text: str, result: GroupedEvaluation) -> None:
        """Write a text of an evaluation, and its notes apart from it."""
        self.put(text)
        self.warn(result)

    def as_note(self, paragraph: str) -> str:
        """Return a paragraph as it stands below a result."""
        from hitcurve import rows

        if self.form == "text":
            return f"\n{rows.visible(paragraph)}"
        escaped = rows.latex if self.form == "latex" else rows.markdown
        return "\n" + "\n".join(map(escaped, paragraph.split("\n")))

    def warn(self, result: Evaluation | GroupedEvaluation, *, notes: bool = True, compared: bool = True) -> None:
        """Print notes and warnings apart from the result; ``notes`` may be part of it, see :func:`notes_of`."""
        for note in notes_of(result, compared=compared) if notes else ():
            tell(f"note: {note}")
        for warning in result.warnings:
            tell(f"warning: {warning}")

    def points(self, curves: Mapping[str, Curve], references: Sequence[str], lower: frozenset[str]) -> None:
        """Write the vertices of curves and of their reference curves; some rankers have their scores turned round."""
        records = []
        for name, curve in curves.items():
            lines = {"observed": curve, **{kind: getattr(curve, kind) for kind in references}}
            for kind, line in lines.items():
                cuts: list[tuple[float | None, bool | None]] = [(None, None)] * line.x.size
                if line.threshold is not None and kind == "observed":
                    own = 0 - line.threshold if name in lower else line.threshold
                    cuts = list(zip(own.tolist(), line.exclusive.tolist(), strict=True))
                records += [
                    {"ranker": name, "curve": kind, "x": x, "y": y, "threshold": cut, "exclusive": exclusive}
                    for x, y, (cut, exclusive) in zip(line.x.tolist(), line.y.tolist(), cuts, strict=True)
                ]
        self._records(records)

    def averages(self, curves: Mapping[str, AverageCurve]) -> None:
        """Write the points of average curves, with the half widths of their intervals where they have some."""
        names = ("x", "y", "x_error", "y_error", "low", "high")
        records = []
        for ranker, one in curves.items():
            columns = [
                [None if math.isnan(value) else value for value in getattr(one, name).tolist()] for name in names
            ]
            records += [
                {"ranker": ranker} | dict(zip(names, point, strict=True)) for point in zip(*columns, strict=True)
            ]
        self._records(records)

    def bands(self, bands: Mapping[str, Band]) -> None:
        """Write bands, each point with the seed of what was drawn, and a description of each to standard error."""
        from hitcurve import rows

        self._records(
            [
                {"ranker": name, **record, "seed": band.seed}
                for name, band in bands.items()
                for record in band.to_records()
            ]
        )
        for name, band in bands.items():
            tell(*f"{rows.in_line(name)}: {band}".split("\n"))

    def confusions(self, found: Mapping[str, Confusion]) -> None:
        """Write confusion matrices, a line for each ranker."""
        records: list[dict[str, Any]] = []
        for name, c in found.items():
            record = {"ranker": name, "tp": c.tp, "fp": c.fp, "fn": c.fn, "tn": c.tn}
            shares = ("rate", "sensitivity", "specificity", "precision", "negative_predictive_value", "accuracy")
            ratios = ("positive_likelihood_ratio", "negative_likelihood_ratio", "lift")
            records.append(record | {key: getattr(c, key) for key in (*shares, *ratios)})
        self._records(records, turned=True)

    def parts(self, parts: Sequence[Part]) -> None:
        """Write a result of several parts: one after the other, or as one table whose first column names them.

        Notes are then told apart from it.
        """
        from hitcurve.report import render_records

        if self.form == "json":
            content: dict[str, Any] = {p.name: json.loads(render_records(p.records, "json")) for p in parts}
            content["notes"] = [line for part in parts for line in part.notes]
            self.json(content)
        elif self.form in ("csv", *BINARY):
            keys = dict.fromkeys(key for part in parts for record in part.records for key in record)
            empty = dict.fromkeys(keys)
            records = [{"part": part.name, **empty, **record} for part in parts for record in part.records]
            self._records(records)
            self.beside_columns(line for part in parts for line in part.notes)
        else:
            self.put("\n\n".join(block for part in parts for block in self._blocks(part)) + "\n")

    def json(self, content: Mapping[str, Any]) -> None:
        """Write plain values as JSON."""
        from hitcurve import rows

        self.put(rows.json_text(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)) + "\n")

    def _blocks(self, part: Part) -> Iterator[str]:
        from hitcurve import rows

        if part.notes:
            listed = {"text": rows.text_lines, "markdown": rows.markdown_list, "latex": rows.latex_comments}[self.form]
            yield listed(part.notes)
        if part.body:
            table = {"text": rows.text_table, "markdown": rows.markdown_table, "latex": rows.latex_table}[self.form]
            yield table(part.header, part.body)

    def _records(self, records: list[dict[str, Any]], *, turned: bool = False) -> None:
        from hitcurve.report import file_of, render_records

        if self.form in BINARY:
            self.put(file_of(records, self.form))
        else:
            self.put(render_records(records, self.form, turned=turned))

    def put(self, content: str | bytes) -> None:
        """Write text or bytes."""
        if self.output is None:
            say(str(content))
        else:
            from hitcurve._writing import write_whole

            write_whole(self.output, content)
            tell(f"wrote {self.output}")


def notes_of(result: Evaluation | GroupedEvaluation, *, compared: bool) -> list[str]:
    """Return the notes of a result; those on how rankers are compared only where they are."""
    from hitcurve.evaluation.passes.two_passes import UNPAIRED

    return [note for note in result.notes if compared or note not in UNPAIRED]
