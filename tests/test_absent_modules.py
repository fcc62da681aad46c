"""Modules whose extra is not installed: what they say when they are used, and that looking around does no harm."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pydoc
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hitcurve as hc
from hitcurve import _checks
from hitcurve.errors import AbsentModuleError, MissingExtraError

NEEDS = {"learn": "sklearn", "spark": "pyspark"}


@pytest.fixture(params=list(NEEDS))
def absent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a module whose package is hidden."""
    name = str(request.param)
    monkeypatch.setitem(sys.modules, NEEDS[name], None)
    monkeypatch.delitem(sys.modules, f"hitcurve.{name}", raising=False)
    monkeypatch.delattr(hc, name, raising=False)
    return name


def test_what_is_absent_names_its_extra(absent: str) -> None:
    sentence = f"hitcurve.{absent} needs {NEEDS[absent]}: pip install 'hitcurve[{absent}]'"
    with pytest.raises(AbsentModuleError) as attribute:
        getattr(hc, absent)
    assert str(attribute.value) == sentence
    assert isinstance(attribute.value, AttributeError)
    assert isinstance(attribute.value.__cause__, MissingExtraError)
    with pytest.raises(MissingExtraError) as imported:
        importlib.import_module(f"hitcurve.{absent}")
    with pytest.raises(MissingExtraError) as taken:
        exec(f"from hitcurve import {absent}", {})
    assert str(imported.value) == str(taken.value) == sentence


def test_what_is_absent_can_be_asked_for(absent: str) -> None:
    here: Any = object()
    assert not hasattr(hc, absent)
    assert getattr(hc, absent, here) is here
    assert absent not in dir(hc)


def test_the_package_can_be_looked_through(absent: str) -> None:
    names = {name for name, _ in inspect.getmembers(hc)}
    assert set(hc.__all__) <= names
    assert absent not in names
    assert "evaluate" in pydoc.plain(pydoc.render_doc(hc))
    assert doctest.DocTestFinder(exclude_empty=False).find(hc)


def test_models_that_need_scikit_learn_to_be_told_apart_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    from hitcurve.plot import CurveDisplay

    y = [0, 1, 1, 0]
    folds = {"estimator": [object()], "indices": {"test": [range(4)], "train": [range(4)]}}
    of_class = type("Model", (), {"classes_": [0, 1], "decision_function": lambda self, X: [row[0] for row in X]})()
    X = [[0], [2], [1], [1]]
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    calls: list[Callable[[], object]] = [
        lambda: hc.evaluate_cv_results(folds, X, y),
        lambda: CurveDisplay.from_cv_results(folds, X, y),
        lambda: CurveDisplay.from_estimator(object(), X, y),
    ]
    for call in calls:
        with pytest.raises(MissingExtraError, match=r"needs sklearn: pip install 'hitcurve\[sklearn\]'$"):
            call()
    # what says its classes is evaluated without
    found = hc.evaluate_cv_results(folds | {"estimator": [of_class]}, X, y, metrics="auc")
    assert found.values("score", "auc").tolist() == [0.875]


def test_what_breaks_otherwise_is_not_called_absent(absent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ImportError("libx.so: failed to map segment")

    monkeypatch.setattr("hitcurve._checks.extra", broken)
    with pytest.raises(ImportError, match=r"^libx"):
        hasattr(hc, absent)


@pytest.mark.parametrize("name", ["no.such", "learn.no_such", "../errors", "", "no such"])
def test_names_that_are_none_are_not_there(name: str) -> None:
    assert not hasattr(hc, name)


def test_versions_of_extras_are_those_of_the_project() -> None:
    told = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {}
    for requirement in (one for extra in told["optional-dependencies"].values() for one in extra):
        if match := re.match(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)$", requirement):
            asked[match[1]] = match[2]
    names = {"sklearn": "scikit-learn", "vl_convert": "vl-convert-python"}
    for package, oldest in _checks.OLDEST.items():
        assert asked[names.get(package, package.replace("_", "-"))] == oldest


@pytest.mark.parametrize("package", sorted(_checks.OLDEST))
def test_a_package_that_is_too_old_is_named_with_its_version(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = pytest.importorskip(package)
    oldest = _checks.OLDEST[package]
    for fits in (oldest, f"{oldest}.1rc2", f"{int(oldest.partition('.')[0]) + 1}"):
        monkeypatch.setattr(module, "__version__", fits)
        assert _checks.extra(package, "files", "this") is module
    first, _, last = oldest.rpartition(".")
    before = f"{first}.{int(last) - 1}".lstrip(".") if int(last) else f"{int(first) - 1}.9"
    for old in (before, f"{before}.9", "0.3"):
        monkeypatch.setattr(module, "__version__", old)
        with pytest.raises(MissingExtraError) as refused:
            _checks.extra(package, "files", "this")
        said = f"this needs {package} {oldest} or newer, and {old} is installed: pip install 'hitcurve[files]'"
        assert str(refused.value) == said
