"""What the page says is what it said."""

from __future__ import annotations

import pytest

from tests.golden import FOLDER, PAGES, RENEW, said

pytest.importorskip("vl_convert")


@pytest.mark.parametrize("name", PAGES)
def test_the_page_says_what_it_said(name: str) -> None:
    kept = (FOLDER / f"page-{name}.txt").read_text(encoding="utf-8")
    assert said(name) == kept, f"if this is meant, write the files anew with `{RENEW}` and read what git shows"


def test_no_file_is_left_over() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(f"page-{name}" for name in PAGES)
