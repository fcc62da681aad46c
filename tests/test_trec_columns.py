"""Large files, which are read as columns: the same as line by line, or left to that."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve import errors
from hitcurve.sources import trec, trec_lines
from hitcurve.sources.trec_columns import TopicColumns

pytest.importorskip("pyarrow")

names = st.sampled_from(["d1", "d2", "d3", "é", "d\x0b4", '"d5"', "nan", "NULL"])
blanks = st.sampled_from([" ", " ", " ", " ", " ", " ", "\t", "  "])
numbers = st.one_of(
    st.floats(allow_nan=False, width=32).map(repr),
    st.floats().map(repr),
    st.sampled_from(
        ["1", "1.0", "0", "-0.0", "1e-400", "1e400", "inf", "-inf", "Infinity", "+1", "1.", ".5", "1_0", "nan"]
    ),
    st.sampled_from(
        ["0.50000000000000001", "0.5000000000000000", "0.5", "0.49999999999999999", "high", "1e-310", "0x1"]
    ),
)


@st.composite
def files(draw: st.DrawFn) -> str:
    end = draw(st.sampled_from(["\n", "\n", "\n", "\r\n"]))
    lines = []
    for _ in range(draw(st.integers(0, 8))):
        fields = [draw(st.sampled_from(["1", "1", "2", "x"])), "Q0", draw(names), "1", draw(numbers), "tag"]
        gap = draw(blanks)
        lines.append(
            gap.join(fields[: draw(st.sampled_from([6, 6, 6, 6, 6, 6, 5]))]) + draw(st.sampled_from(["", "", "", " "]))
        )
    return end.join(lines) + draw(st.sampled_from(["", end, end, end + end]))


def read(path: Path, large: int, block: int = 1 << 20) -> Any:
    """Return a run as it is read where files from this size on are large, or what is said of it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(trec, "_LARGE", large)
        patched.setattr(trec_lines, "_BLOCK", block)
        try:
            return hc.read_trec_run(path)
        except errors.HitcurveError as error:
            return type(error), str(error)


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(files())
@example("1 Q0 d1 1 0.5 t\n2 Q0 d1 1 1 t\n1 Q0 d2 2 0.25 t\n")
@example("1 Q0 d1 1 0.50000000000000001 t\n1 Q0 d2 1 0.5 t\n")
@example("1 Q0 d1 1 1e-400 t\n1 Q0 d2 1 0 t\n")
@example("1 Q0 d1 1 1 t\n2 Q0 d1 1 1 t\n1 Q0 d1 2 0.25 t\n")
@example("1  d1 1 0.5 7 t\n1  d2 1 0.5 7 t\n")
@example("1 Q0 d1 1 2.5 \n1 Q0 d2 1 1.5 \n")
@example("1 Q0 d1 1 0.0 ")
@example(" Q0 d1 1 2.5 t\n")
@example("\ufeff1 Q0 d1 1 2.5 t\n")
@example("1 Q0 d1 1 2.5 t\r1 Q0 d2 1 2.5 t\n")
def test_large_files_are_read_as_small_ones(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("run") / "run.txt"
    path.write_bytes(text.encode())
    fast, slow = read(path, 0), read(path, 1 << 40)
    assert fast == slow == read(path, 0, block=24)
    if isinstance(slow, dict):
        assert all(
            math.copysign(1, fast[topic][name]) == math.copysign(1, score)
            for topic, of in slow.items()
            for name, score in of.items()
        )


@pytest.mark.parametrize(
    "text",
    [
        "1 Q0 d1 1 2.5 t\r\n1 Q0 d2 2 1.5 t\r\n2 Q0 d1 1 1 t\r\n",
        "\ufeff1\tQ0\td1\t1\t2.5\tt\n1 Q0 d2   2 1.5 t \n\n \n2 Q0 d1 1 1 t",
        "\n\n  1 Q0 d1 1 2.5 t\n2 Q0 d1 1 1 t\n1 Q0\x0bd2 2 1.5 t\n",
    ],
    ids=["ends of lines of Windows", "mixed blanks", "topics in turn"],
)
def test_uneven_lines_are_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(trec, "_LARGE", 0)
    path = tmp_path / "run.txt"
    path.write_bytes(text.encode())
    for block in (1 << 20, 20, 8):
        monkeypatch.setattr(trec_lines, "_BLOCK", block)
        found = trec.run_of_file(path)
        assert isinstance(found, TopicColumns)
        assert {topic: dict(found[topic]) for topic in found} == {"1": {"d1": 2.5, "d2": 1.5}, "2": {"d1": 1.0}}


def test_documents_of_one_key_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, qrels = tmp_path / "run.txt", tmp_path / "qrels.txt"
    run.write_text("1 Q0 a 1 3 t\n2 Q0 b 1 2 t\n2 Q0 a 2 1 t\n")
    qrels.write_text("1 0 a 1\n1 0 b 1\n2 0 a 1\n2 0 c 0\n")
    wanted = [hc.evaluate_trec(run, qrels, metrics=m).values("run", m).tolist() for m in ("AP", "RR")]
    monkeypatch.setattr(trec, "_LARGE", 0)
    monkeypatch.setattr(trec_lines, "joint_keys", lambda topics, documents: np.arange(topics.size, dtype=np.uint64))
    found = [hc.evaluate_trec(run, qrels, metrics=m).values("run", m).tolist() for m in ("AP", "RR")]
    assert found == wanted


REGULAR = "".join(f"{t} Q0 d{d} {d} {10 - d / 8} tag\n" for t in (3, 1, 2) for d in range(40))


@pytest.mark.parametrize("pack", [lambda raw: raw, gzip.compress], ids=["plain", "gzip"])
def test_regular_files_are_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Any) -> None:
    monkeypatch.setattr(trec, "_LARGE", 0)
    path = tmp_path / "run.txt"
    for text in (
        REGULAR,
        REGULAR.replace(" ", "\t"),
        "".join(sorted(REGULAR.splitlines(keepends=True), key=lambda x: x[5:])),
    ):
        path.write_bytes(pack(text.encode()))
        found = trec.run_of_file(path)
        assert isinstance(found, TopicColumns)
        assert set(found) == {"1", "2", "3"}
        assert "1" in found
        assert "4" not in found
        assert len(found) == 3
        assert dict(found["3"]) == {f"d{d}": 10 - d / 8 for d in range(40)}
        assert found.get("4") is None


def test_large_judgements_are_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("".join(f"{t} 0 d{d} {d % 4 - 1}\n" for t in (3, 1) for d in range(40)))
    slow = hc.read_qrels(path)
    monkeypatch.setattr(trec, "_LARGE", 0)
    assert isinstance(trec.qrels_of_file(path), TopicColumns)
    assert hc.read_qrels(path) == slow
    path.write_text("1 0 d1 0.5\n")
    with pytest.raises(errors.LabelError, match=r"line 1: the relevance '0.5' is not a whole number"):
        hc.read_qrels(path)


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("options", [{}, {"ties": "group"}, {"depth": 3}, {"unjudged": "drop"}, {"complete": True}])
def test_evaluations_of_columns_are_those_of_mappings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    rng = np.random.default_rng(1)
    run, qrels = tmp_path / "run.txt", tmp_path / "qrels.txt"
    topics = rng.permutation(np.repeat(range(9), 30))
    run.write_text(
        "".join(
            f"{t} Q0 d{d} 0 {s / 4} x\n" for d, (t, s) in enumerate(zip(topics, rng.integers(0, 40, 270), strict=True))
        )
    )
    qrels.write_text("".join(f"{t} 0 d{d} {int(rng.random() < 0.4)}\n" for t in range(1, 11) for d in range(0, 300, 3)))
    slow = hc.evaluate_trec(run, qrels, metrics=["ap", "P@5"], **options)
    monkeypatch.setattr(trec, "_LARGE", 0)
    fast = hc.evaluate_trec(run, qrels, metrics=["ap", "P@5"], **options)
    assert str(fast) == str(slow)
    assert fast.topics == slow.topics
    for metric in ("ap", "P@5"):
        assert fast.values("run", metric).tolist() == slow.values("run", metric).tolist()
