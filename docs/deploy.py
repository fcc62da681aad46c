"""Put the built documentation into a site of static files: ``python docs/deploy.py SITE``.

The site has a folder for each version, ``versions.js`` with their pages, from which all of them fill their choice of
versions, and ``index.html``, which leads to the latest.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

BUILT = Path(__file__).parent / "_build" / "html"
_SWITCH = re.compile(r'class="versions".*?<option>(.*?)</option>', re.DOTALL)
# a template of the theme, which its folder of static files brings along
_NO_PAGE = "webpack-macros.html"
_VERSION = re.compile(r"\d+(\.\d+)*")
_LATEST = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>hitcurve</title>
<meta http-equiv="refresh" content="0; url={0}/index.html">
<a href="{0}/index.html">hitcurve {0}</a>
</html>
"""


def deploy(built: Path, site: Path, version: str) -> None:
    """Put one version into a site, in place of what is there of it.

    Parameters
    ----------
    built, site : Path
    version : str

    Raises
    ------
    ValueError
        If the version is no number, or the pages that were built have no choice of versions or are of another one.
    """
    if not _VERSION.fullmatch(version):
        raise ValueError(f"a version is numbers with points between them, and this is {version!r}")
    switch = _SWITCH.search((built / "index.html").read_text(encoding="utf-8"))
    if switch is None:
        raise ValueError(f"the pages in {built} have no choice of versions: build them with make docs")
    if switch[1] != version:
        raise ValueError(f"the pages in {built} are of {switch[1]}, not of {version}: build them again with make docs")
    shutil.rmtree(site / version, ignore_errors=True)
    shutil.copytree(built, site / version, ignore=shutil.ignore_patterns(_NO_PAGE))
    folders = [folder for folder in site.iterdir() if _VERSION.fullmatch(folder.name)]
    folders.sort(key=lambda folder: [int(part) for part in folder.name.split(".")], reverse=True)
    pages = {
        folder.name: sorted(file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*.html"))
        for folder in folders
    }
    (site / "versions.js").write_text(f"window.versionsOfHitcurve = {json.dumps(pages)};\n", encoding="utf-8")
    (site / "index.html").write_text(_LATEST.format(folders[0].name), encoding="utf-8")


if __name__ == "__main__":
    import hitcurve

    if len(sys.argv) != 2:
        sys.exit("usage: python docs/deploy.py SITE")

    deploy(BUILT, Path(sys.argv[1]), hitcurve.__version__)
