"""What the page says, kept as text: `python -m tests.golden` writes the files anew, and git shows what changed."""

from __future__ import annotations

import html
import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import hitcurve as hc
from hitcurve.errors import HitcurveWarning
from hitcurve.report import page

_LINES = r"p|li|h\d|tr|dt|dd|section|summary|figcaption|label|legend|button|option|span|br"
FOLDER = Path(__file__).parent / "golden"
RENEW = "python -m tests.golden"


def two_rankers(**options: Any) -> hc.Evaluation:
    """Evaluate whole numbers that every machine computes alike."""
    i = np.arange(300)
    y = (i * 37 % 300 < 36).astype(int)
    noise = i * 61 % 149
    scores = {"model": noise + 90 * y, "rule <b>": (noise * 7 % 149 + 60 * y) // 10}
    metrics = ["ap", "auc", "croc(exp, alpha=7)", "ef@5%", "wss@100%"]
    ev: hc.Evaluation = hc.evaluate(y, scores, metrics=metrics, **options)
    return ev


def few_and_one() -> hc.Evaluation:
    """Evaluate one ranker of four positives, two of its scores missing."""
    scores = [9.0, 8, np.nan, 7, 6, 5, 5, np.nan, 4, 3, 2, 1]
    return hc.evaluate([1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0], scores, metrics=["ap", "recall@25%"], missing="drop")


PAGES: dict[str, Callable[[], str]] = {
    "counts": lambda: page(hc.evaluate(tables=hc.datasets.mammography(), metrics=["ap", "auc", "recall@1%"])),
    "subjects": lambda: page(two_rankers(), "Two rankers", date="1 May"),
    "case-control": lambda: page(two_rankers(prevalence=0.02, higher_is_better={"rule <b>": True})),
    "clusters": lambda: page(two_rankers(clusters=np.arange(300) % 75), baseline="model"),
    "few": lambda: page(few_and_one()),
}


def said(name: str) -> str:
    """Return what one page says: its text, line by line, and what its controls answer to begin with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        text = PAGES[name]()
    data = json.loads(re.findall(r'<script type="application/json" id="hitcurve">(.*?)</script>', text, re.DOTALL)[0])
    lines = [*_text(text), "", *_answers(data)]
    version = f"hitcurve {hc.__version__}"
    return "\n".join(line.replace(version, "hitcurve VERSION") for line in lines) + "\n"


def _text(text: str) -> list[str]:
    text = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    text = text.replace("<wbr>", "")
    text = re.sub(r'<div class="plot"[^>]*aria-label="([^"]*)"', r"<p>\1<br", text)
    text = " ".join(text.split())
    text = re.sub(rf"</?({_LINES})\b[^>]*>", "\n", text)
    lines = (" ".join(html.unescape(re.sub(r"<[^>]+>", " ", line)).split()) for line in text.split("\n"))
    return [line for line in lines if line]


def _answers(data: dict[str, Any]) -> list[str]:
    level, out = data["level"], []
    starts = {name: data[name]["start"] for name in ("alpha", "precision", "budget")}
    starts["rate"] = data["rate"]["pairs"][12][20]
    for name, at in starts.items():
        block = data[name]
        if name == "rate":
            where = f"{block['shown'][12]} to {block['shown'][20]}"
        else:
            grid = block["grid"] if name == "precision" else block["grid"].split()
            where = f"{grid[at]}: {block['says'][at]}"
        out.append(f"[{name}] {where}")
        if "here" in block:  # the first answer is that of the evaluation itself
            block, at = block["here"], 0
        for metric, lines in block["lines"].items():
            for ranker, line in zip(data["rankers"], lines, strict=True):
                shown = (line["value"], line["low"][level], line["high"][level])
                value, low, high = (numbers.split()[at] for numbers in shown)
                why = block["reasons"][int(line["why"].split()[at])] if line["why"] else ""
                out.append(f"  {metric} of {ranker}: {value} [{low}, {high}] {why}".rstrip())
    for kind, bands in data["bands"].items():
        out += [
            f"[band of {kind}] {ranker}: {band.get('why') or '; '.join(band['cautions']) or 'there'}"
            for ranker, band in zip(data["rankers"], bands, strict=True)
        ]
    return out


def main() -> None:
    """Write every file."""
    FOLDER.mkdir(exist_ok=True)
    for name in PAGES:
        (FOLDER / f"page-{name}.txt").write_text(said(name), encoding="utf-8")


if __name__ == "__main__":
    main()
