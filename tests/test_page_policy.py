"""Pages of each kind under a strict Content-Security-Policy, with names that mean harm, in a browser."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import HitcurveWarning
from tests.pages import Opened, opened
from tests.sampled import censored_sample
from tests.test_readers import simulated, study

pytest.importorskip("jinja2")

HARM = (
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(2)>',
    "'><style>*{display:none}</style>",
    '=cmd|"/C calc"!A0',
    "a\N{RIGHT-TO-LEFT OVERRIDE}b",
    "__proto__",
    "constructor",
    "${alert(3)}{{7*7}}{% raw %}",
    "]]>--><!--<script>",
    "javascript:alert(4)//",
    "datum.x, alert(5)",
)
_TITLE = f"{HARM[0]}{HARM[2]}"


def _labels(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(6)
    return np.arange(n) % 4 == 0, rng


def _one() -> Any:
    y, rng = _labels(200)
    scores = {name: np.round(rng.normal(size=200) + y, 1) for name in HARM}
    return hc.evaluate(y, scores, metrics=["ap", "auc", "croc(exp, alpha=7)", "recall@10%"])


def _groups(many: int) -> Any:
    y, rng = _labels(60 * many)
    scores = {name: np.round(rng.normal(size=y.size) + y, 1) for name in HARM[:2]}
    groups = np.asarray(HARM, object)[np.arange(many)] if many <= len(HARM) else np.arange(many)
    return hc.evaluate(y, scores, by=np.repeat(groups, 60), metrics=["ap", "auc"])


def _trec() -> Any:
    rng = np.random.default_rng(7)
    documents = [f"d{i}" for i in range(30)]
    qrels = {topic: {d: int(i < 6) for i, d in enumerate(documents)} for topic in HARM[:3]}
    runs = {
        run: {topic: dict(zip(documents, rng.normal(size=30).tolist(), strict=True)) for topic in HARM[:3]}
        for run in HARM[5:7]
    }
    return hc.evaluate_trec(runs, qrels, metrics=["AP", "nDCG@10"])


def _corrected() -> Any:
    y, rng = _labels(400)
    scores = {name: np.round(rng.normal(size=400) + y, 1) for name in HARM[:3]}
    return hc.evaluate(y, scores, metrics=["auc"], contamination=0.02, mislabelled=0.01)


def _gap() -> Any:
    y, rng = _labels(300)
    groups = np.repeat(np.asarray(HARM[:3], object), 100)
    return hc.evaluate(y, {HARM[3]: rng.normal(size=300) + y}, metrics="auc").gap("auc", by=groups)


def _tables(names: tuple[str, ...]) -> dict[str, Any]:
    y, rng = _labels(100)
    return {name: hc.HitTable.from_scores(y, np.round(rng.normal(size=100) + y, 1)) for name in names}


def _readers() -> Any:
    data = simulated(readers=5, modalities=2, ordinal=True)
    reader = np.asarray(HARM, object)[data["reader"]]
    modality = np.where(data["modality"] == "m1", HARM[5], HARM[0]).astype(object)
    return study(data | {"reader": reader, "modality": modality}, ["auc", "sensitivity@rating>=3"])


def _screen() -> Any:
    y, rng = _labels(120)
    return hc.screen(y=y, X=rng.normal(size=(120, len(HARM))) + y[:, None], names=list(HARM), n_resamples=99)


def _survival() -> Any:
    s, time, event = censored_sample()
    scores = {HARM[0]: s, HARM[5]: np.round(s)}
    return hc.evaluate_survival(time, event, scores, horizons=[1.0, 6.0], metrics=["auc"])


def _slid(seen: Opened, slider: str, shown: str) -> None:
    """Move a slider: what is shown for it is another text."""
    before = seen.page.text_content(shown)
    seen.page.locator(slider).fill("1")
    first = seen.page.text_content(shown)
    seen.page.locator(slider).fill("4")
    assert len({before, first, seen.page.text_content(shown)}) >= 2


def _chosen(seen: Opened, selector: str, drawn: str) -> None:
    """Choose another curve: another one is drawn."""
    before = seen.page.get_attribute(drawn, "d")
    seen.page.select_option(selector, index=1)
    assert seen.page.get_attribute(drawn, "d") != before


def _controls(seen: Opened) -> None:
    _slid(seen, "#budget-slider", "#answers-budget")
    _slid(seen, "#alpha-slider", "#answers-alpha")
    lines = seen.path_of("roc")
    assert lines
    with seen.page.expect_download() as saved:
        seen.page.locator(".files button", has_text="PNG").first.click()
    assert saved.value.suggested_filename.endswith(".png")


def _sorted(seen: Opened) -> None:
    button = seen.page.locator("#table-groups thead button").nth(1)
    button.click()
    assert button.locator("..").get_attribute("aria-sort") in ("ascending", "descending")


def _nothing(seen: Opened) -> None:
    """Look: the page has no controls."""
    assert seen.page.locator("figure.chart svg").first.is_visible()


PAGES: dict[str, tuple[Callable[[], Any], Callable[[Opened], None]]] = {
    "evaluation": (_one, _controls),
    "groups": (lambda: _groups(4), _controls),
    "many groups": (lambda: _groups(30), _sorted),
    "topics": (_trec, _sorted),
    "wrong labels": (_corrected, _nothing),
    "gap": (_gap, _nothing),
    "studies": (lambda: hc.meta_analysis(_tables(HARM[:5]), "auc"), _nothing),
    "days": (lambda: hc.drift(_tables(HARM[:5]), "auc"), _nothing),
    "readers": (_readers, lambda seen: _chosen(seen, "#curve", "#lines .of-reader >> nth=0")),
    "screen": (_screen, lambda seen: _chosen(seen, "#curve", "#line .curve")),
    "survival": (_survival, lambda seen: _slid(seen, "#time-slider", "#at-time")),
}


class _Strict(SimpleHTTPRequestHandler):
    """Serve files with the policy that stands in them as a header too."""

    def end_headers(self) -> None:
        text = Path(self.translate_path(self.path)).read_text(encoding="utf-8")
        found = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
        assert found
        self.send_header("Content-Security-Policy", f"{found[1]}; frame-ancestors 'none'")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    folder = tmp_path_factory.mktemp("site")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Strict, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_needs_nothing_unsafe(browser: Any, site: tuple[Path, str], kind: str) -> None:
    make, use = PAGES[kind]
    folder, address = site
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        text = hc.report(make(), folder / f"{kind}.html", _TITLE).read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert "unsafe" not in policy
    assert ("script-src 'sha256-" in policy) == ("<script>" in text)
    ready = "html[data-ready=yes]" if "dataset.ready" in text else "footer"
    with opened(browser, f"{address}/{kind}.html", ready=ready) as seen:
        use(seen)
        assert (seen.said, seen.dialogs) == ([], [])
        assert all(url.startswith((f"{address}/", "data:", "blob:")) for url in seen.asked)
        assert seen.text("h1") == _TITLE
        # nothing that a name says has become an element
        assert seen.page.locator("img, [onload], [onerror], main style, main script").count() == 0
