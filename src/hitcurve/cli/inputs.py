"""From options to a source of subjects."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from hitcurve.cli.counts import Counts
from hitcurve.cli.files import check_one_input, open_all, readable
from hitcurve.cli.limits import Limited
from hitcurve.cli.on_spark import on_spark
from hitcurve.cli.stored import added, are_stored, stored_files
from hitcurve.cli.unused import refuse_unused
from hitcurve.cli.wrong_labels import WrongLabels

if TYPE_CHECKING:
    from hitcurve.engines.spark import SparkSource
    from hitcurve.evaluation import Evaluation, GroupedEvaluation
    from hitcurve.groups import Folds
    from hitcurve.metrics import Metric
    from hitcurve.sources import Source
    from hitcurve.sources.files import FileSource
    from hitcurve.tables import Tables


@dataclass(frozen=True)
class Subjects:
    """The options that define the subjects and their scores."""

    files: Sequence[str]
    label: str | None
    score: Sequence[str]
    positive: str | None = None
    weight: str | None = None
    no_header: bool = False
    missing: str = "raise"
    where: str | None = None
    labels: str | None = None
    on: str | None = None
    per_id: str = "refuse"
    cluster: str | None = None
    by: str | None = None
    na: tuple[str, ...] = ()
    decimal: str | None = None
    verification: str | None = None
    verified_by: tuple[str, ...] = ()
    unlabelled: bool = False
    spark: str | None = None

    def verified(self, source: FileSource | SparkSource) -> Source:
        """Return the subjects, or those whose labels are verified, with weights."""
        from hitcurve.sources import Verified

        name = self.verification
        return source if name is None else Verified(source, f"column {name}", may_drop=self.missing == "drop")

    @contextmanager
    def estimated(self) -> Iterator[Source]:
        """Give the subjects whose labels are verified, weighed by a logistic regression on columns of the files."""
        from hitcurve.errors import ParameterError
        from hitcurve.sources import verified_source
        from hitcurve.sources.files import has_column, leading, read_columns

        beside = {
            "--verification": self.verification,
            "--weight": self.weight,
            "--cluster": self.cluster,
            "--by": self.by,
            "--on": self.on,
            "--labels": self.labels,
            "--no-header": self.no_header,
            "--missing": self.missing != "raise",
        }
        refuse_unused(
            beside, "cannot be combined with --verified-by, which estimates probabilities of all rows: leave it out"
        )
        if self.label is None or not self.score:
            raise ParameterError("--verified-by needs the columns of labels and scores: name --label and --score")
        check_one_input(list(self.files))
        with ExitStack() as stack:
            paths = tuple(open_all(self.files, stack))
            names, directions = split_directions(self.score, lambda name: has_column(leading(paths), name))
            how: dict[str, Any] = {"where": self.where, "na": self.na, "decimal": self.decimal}
            found, _ = read_columns(paths, [*names, *self.verified_by], [self.label], **how)
        scores, covariates = ({name: found[name] for name in some} for some in (names, self.verified_by))
        options: dict[str, Any] = {"pos_label": self.positive, "higher_is_better": directions, "missing": "raise"}
        yield verified_source(found[self.label], scores, covariates, "", **options)

    def _check_verification(self) -> None:
        from hitcurve.errors import ParameterError

        if self.weight is not None:
            raise ParameterError(
                "--verification cannot be combined with --weight: divide the weights by the probabilities and drop the "
                "rows without a label"
            )
        if self.missing == "last":
            raise ParameterError("--missing last cannot be combined with --verification: use raise or drop")

    @contextmanager
    def source(self) -> Iterator[FileSource]:
        """Open the files; standard input is copied to a file since it is read twice."""
        from hitcurve import _checks
        from hitcurve.errors import ParameterError
        from hitcurve.sources import Reading
        from hitcurve.sources.files import PER_ID, FileSource, Join, has_column, leading

        _checks.choice("--per-id", self.per_id, PER_ID)
        if self.decimal is not None:
            _checks.choice("--decimal", self.decimal, (".", ","))
        if self.on is None and (self.labels is not None or self.per_id != "refuse"):
            raise ParameterError("--labels and --per-id need the column of subject ids: name it with --on")
        if self.verification is not None:
            self._check_verification()
        label, score = self.columns()
        if not score:
            raise ParameterError("no column of scores is named: give --score NAME, repeated for each ranker")
        check_one_input([*self.files, self.labels])
        with ExitStack() as stack:
            paths = tuple(open_all(self.files, stack))
            header = not self.no_header
            names, directions = split_directions(score, lambda name: has_column(leading(paths), name, header=header))
            missing = self.missing if self.verification is None else "drop"  # rows without a label
            reading = Reading(self.positive, directions, missing, self.unlabelled)
            join = None
            if self.on is not None:
                apart = None if self.labels is None else stack.enter_context(readable(self.labels))
                join = Join(self.on, apart, self.per_id)
            yield FileSource(
                paths,
                label,
                names,
                reading,
                self.weight if self.verification is None else self.verification,
                self.where,
                join,
                header=header,
                cluster=self.cluster,
                by=self.by,
                na=self.na,
                decimal=self.decimal,
            )

    def tables(self) -> Tables | None:
        """Return the hit tables in the files, added, of the rankers named; None if the files contain subjects."""
        if self.spark is not None or not are_stored(self.files):
            return None
        replace(self, score=()).check_only_files("a file of hit tables")
        return added(stored_files(self.files), self.score)

    def columns(self) -> tuple[str | None, Sequence[str]]:
        """Return label and scores; by default a file without header has the score first, then the label."""
        if self.no_header and self.label is None and not self.score:
            return "2", ["1"]
        return self.label, self.score

    def check_only_files(self, what: str = "--counts") -> None:
        """Raise if files of counts come with options on columns and rows of subjects."""
        from hitcurve.errors import ParameterError

        default = Subjects(self.files, None, ())
        names = [one.name for one in fields(self) if getattr(self, one.name) != getattr(default, one.name)]
        if names:
            options = ", ".join(f"--{name.replace('_', '-')}" for name in names)
            raise ParameterError(
                f"{what} cannot be combined with options on columns and rows of subjects: leave out {options}"
            )


class Groups(NamedTuple):
    """The column of the groups, and how the data were cut if they are folds."""

    by: str | None
    folds: Folds | None

    @classmethod
    def of(cls, by: str | None, folds: str | None, test_fraction: float | None) -> Groups:
        """Read --by, --folds and --test-fraction.

        Raises
        ------
        ParameterError
            If both columns are given, or a share of the data without folds.
        """
        from hitcurve.errors import ParameterError
        from hitcurve.groups import Folds

        if by is not None and folds is not None:
            raise ParameterError(
                "--by and --folds cannot be combined: give --by for independent groups, or --folds for test sets of "
                "one data set"
            )
        if folds is None:
            if test_fraction is not None:
                raise ParameterError("--test-fraction needs --folds COLUMN")
            return cls(by, None)
        return cls(folds, Folds(test_fraction))


def with_repeats(folds: Folds | None, source: FileSource | SparkSource) -> Folds | None:
    """Return folds that know from the ids of a source whether subjects were tested several times."""
    return None if folds is None else folds._replace(repeated=source.repeats)


@dataclass(frozen=True)
class Request:
    """An evaluation: subjects or tables of counts, metrics, design and confidence level."""

    subjects: Subjects
    metrics: tuple[Metric, ...]
    undefined: str
    counts: Counts
    design: str | None
    prevalence: float | tuple[float, ...] | None
    confidence_level: float
    single_class: str = "raise"
    folds: Folds | None = None
    interval_method: str = "auto"
    wrong: WrongLabels = WrongLabels()
    limited: Limited = Limited()

    def __post_init__(self) -> None:
        from hitcurve import _checks
        from hitcurve.errors import ParameterError

        check_undefined(self.undefined)
        _checks.choice("--single-class", self.single_class, ("raise", "skip", "zero"))
        if self.single_class != "raise" and self.subjects.by is None and not are_stored(self.subjects.files):
            raise ParameterError("--single-class needs --by or --folds")
        if self.interval_method != "auto" and self.subjects.by is not None:
            raise ParameterError(
                "--interval-method is for rankers of one list: means over groups have t intervals, so leave it out"
            )
        if self.counts.given:
            self.subjects.check_only_files()
        option = "--verified-by" if self.subjects.verified_by else "--verification"
        if (self.subjects.verified_by or self.subjects.verification is not None) and self.wrong.given:
            raise ParameterError(
                f"{option} cannot be combined with --contamination, --mislabelled and --unlabelled: verified labels "
                "are taken as right"
            )

    @contextmanager
    def evaluation(self) -> Iterator[Evaluation | GroupedEvaluation]:
        """Evaluate, by groups if there are any; the files stay open inside, since tests may read the subjects again.

        Warnings are part of the result, and printed with it.
        """
        from hitcurve.evaluation import SamplingDesign, evaluate_groups, evaluate_source

        sampling = SamplingDesign.of(
            self.design,
            self.prevalence,
            self.confidence_level,
            interval_method=self.interval_method,
            **self.wrong.options,
        )
        if self.counts.given:
            self.limited.refuse("tables of counts")
            yield self.counts.evaluation(
                self.subjects,
                metrics=self.metrics,
                undefined=self.undefined,
                design=self.design,
                prevalence=self.prevalence,
                confidence_level=self.confidence_level,
                interval_method=self.interval_method,
                **self.wrong.options,
            )
            return
        if not self.counts.given and (tables := self.subjects.tables()) is not None:
            self.limited.refuse("files of hit tables")
            yield self._of_tables(tables)
            return
        with warnings.catch_warnings(), self.limited.within():
            warnings.simplefilter("ignore")
            if self.subjects.verified_by and self.subjects.spark is None:
                with self.subjects.estimated() as estimated:
                    how: dict[str, Any] = {"pos_label": self.subjects.positive, "undefined": self.undefined}
                    estimated, limits = self.limited.applied(estimated, grouped=False)
                    yield evaluate_source(estimated, self.metrics, sampling=sampling, limits=limits, **how)
                return
            with self._opened() as source:
                positive, undefined = self.subjects.positive, self.undefined
                kept = self.subjects.verified(source)
                kept, limits = self.limited.applied(kept, grouped=self.subjects.by is not None)
                if self.subjects.by is None:
                    yield evaluate_source(
                        kept,
                        self.metrics,
                        pos_label=positive,
                        undefined=undefined,
                        sampling=sampling,
                        limits=limits,
                    )
                else:
                    yield evaluate_groups(
                        kept,
                        self.metrics,
                        by=self.subjects.by,
                        folds=with_repeats(self.folds, source),
                        single_class=self.single_class,
                        pos_label=positive,
                        undefined=undefined,
                        sampling=sampling,
                    )

    def _opened(self) -> AbstractContextManager[FileSource | SparkSource]:
        spark = self.subjects.spark
        return self.subjects.source() if spark is None else on_spark(self.subjects, spark)

    def _of_tables(self, tables: Tables) -> Evaluation | GroupedEvaluation:
        from hitcurve.evaluation import evaluate

        names = ("metrics", "undefined", "design", "prevalence", "confidence_level", "interval_method", "single_class")
        options: dict[str, Any] = {name: getattr(self, name) for name in names}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: Evaluation | GroupedEvaluation = evaluate(tables=tables, **options, **self.wrong.options)
        return found


def counted(subjects: Subjects, positive: str | None, counts: Counts) -> Evaluation:
    """Return the hit tables of the rankers, with the warnings of counting."""
    from hitcurve.evaluation import evaluate_source
    from hitcurve.metrics import metrics as read

    if counts.given:
        return counts.evaluation(subjects, metrics="auc")
    tables = subjects.tables()
    if tables is not None:
        return of_one_list(tables)
    with warnings.catch_warnings(), subjects.source() as source:
        warnings.simplefilter("ignore")
        return evaluate_source(source, read("auc"), pos_label=positive)


def of_one_list(tables: Tables, **inference: Any) -> Evaluation:
    """Evaluate tables without groups; warnings are part of the result."""
    from hitcurve.errors import ParameterError
    from hitcurve.evaluation import Evaluation, evaluate

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Evaluation | GroupedEvaluation = evaluate(tables=tables, metrics="auc", **inference)
    if not isinstance(found, Evaluation):
        raise ParameterError("these tables are of groups: this command takes the table of one list")
    return found


def wanted_metrics(metric: Sequence[str] | None, preset: str | None) -> tuple[Metric, ...]:
    """Return the metrics of a preset and the named metrics, or the default metrics."""
    from hitcurve.metrics import DEFAULT, metrics
    from hitcurve.metrics import preset as of_field

    chosen = () if preset is None else of_field(preset)
    return metrics([*chosen, *(metric or (() if chosen else DEFAULT))])


def check_undefined(undefined: str) -> None:
    """Raise unless the policy is known."""
    from hitcurve import _checks

    _checks.choice("--undefined", undefined, ("raise", "nan"))


def split_directions(scores: Sequence[str], is_there: Callable[[str], bool]) -> tuple[tuple[str, ...], dict[str, bool]]:
    """Split ``energy:low`` into the column and its direction, unless a column has the whole name."""
    from hitcurve.errors import ParameterError

    directions: dict[str, bool] = {}
    for text in scores:
        name, mark, direction = text.rpartition(":")
        split = mark and direction in ("low", "high") and not is_there(text)
        column, high = (name, direction == "high") if split else (text, True)
        if column in directions:
            raise ParameterError(f"--score names the column {column!r} twice: name it once")
        directions[column] = high
    return tuple(directions), directions
