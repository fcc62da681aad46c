"""How the documentation is built: `make docs`.

Every page runs its own code while it is read. A page that needs public data says which in its front matter
(``needs: roc/rocr_hiv.csv.gz``); where they are not there, its code is shown and not run, and it says so.
"""

from __future__ import annotations

import json
import os
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import examples
import notebooks
import screenshots
import warm

import hitcurve

# where each public name has its place in the reference
_PLACES = {
    **{
        name: f"hitcurve.{room}.{name}"
        for room in ("magnify", "metrics", "rates")
        for name in getattr(hitcurve, room).__all__
        if callable(getattr(getattr(hitcurve, room), name))
    },
    **{name: f"hitcurve.{name}" for name in hitcurve.__all__},
    "Difference": "hitcurve.inference.Difference",
    "GroupMean": "hitcurve.groups.GroupMean",
    "Gap": "hitcurve.inference.linear.gap.Gap",
    "Subgroup": "hitcurve.inference.linear.gap.Subgroup",
    "WaldTest": "hitcurve.inference.linear.contrasts.WaldTest",
    "Part": "hitcurve.inference.variance.covariance.Part",
    "DesignEffect": "hitcurve.inference.DesignEffect",
    "Pooled": "hitcurve.inference.random_effects.Pooled",
    "TopicCounts": "hitcurve.evaluation.TopicCounts",
    "Line": "hitcurve.survival.line.Line",
}

project = "hitcurve"
author = "The hitcurve developers"
copyright = author
release = version = hitcurve.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["_build"]
default_role = None
nitpicky = True

# ---- examples: run at every build, errors are failures, nothing is kept
nb_execution_mode = "inline"  # so that numbers in sentences are computed too
nb_execution_raise_on_error = False  # a warning with the traceback, on every page that fails
nb_execution_show_tb = True
nb_execution_timeout = 300
nb_merge_streams = True
nb_render_markdown_format = "myst"
nb_eval_name_regex = r".+"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# ---- docstrings
autodoc_typehints = "none"  # types are written in the docstrings, for people
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"  # only what is named here becomes a link
numpydoc_xref_aliases = {
    **{name: place for name, place in _PLACES.items() if name[0].isupper()},
    **{name: f"hitcurve.learn.{name}" for name in hitcurve.learn.__all__ if name[0].isupper()},
    **{name: f"hitcurve.errors.{name}" for name in vars(hitcurve.errors) if name.endswith(("Error", "Warning"))},
}

# ---- pages
html_theme = "pydata_sphinx_theme"
html_title = f"hitcurve {version}"
html_static_path = ["_static"]
html_css_files = ["hitcurve.css"]
html_js_files = [("versions.js", {"defer": "defer"})]
templates_path = ["_templates"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "navbar_end": ["versions", "theme-switcher", "navbar-icon-links"],
    "header_links_before_dropdown": 7,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"glossary": []}
# the theme logs an error where nobody has chosen
html_context = {"default_mode": "auto"}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_NEEDS = re.compile(r"^needs:\s*(.+)$", re.MULTILINE)
_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TAGS = re.compile(r":tags: \[(.*?)\]\n\n?")
_COMMAND = re.compile(r"sh\(\s*r?\"\"\"(.*?)\"\"\"", re.DOTALL)
_KERNELS = {
    "IPKernelApp": {"log_level": 40},
    "HistoryManager": {"enabled": False},
    "InlineBackend": {"figure_formats": ["svg"]},
}
_NOT_RUN = """
:::{warning}
The examples of this page were not run, and their numbers are missing: this copy of the documentation was built
without %s. Set `HITCURVE_DATA` to the folder that holds the data, and build again.
:::
"""


def _show_without_data(app: Any, name: str, source: list[str]) -> None:
    """Turn the cells of a page whose data are not there into plain code, and say so under its title."""
    front = _FRONT.match(source[0])
    needs = front and _NEEDS.search(front.group(1))
    if not needs:
        return
    missing = [file for file in needs.group(1).split() if not examples.data(file).is_file()]
    if not missing:
        return
    text = _CELL.sub(_as_code, source[0][front.end() :])
    text = re.sub(r"\{eval\}`[^`]*`", "*(not run)*", text)
    title, _, rest = text.lstrip().partition("\n")
    source[0] = f"{title}\n{_NOT_RUN % ' and '.join(f'`{file}`' for file in missing)}\n{rest}"


def _take_pictures(app: Any) -> None:
    """Take the pictures of the HTML report, unless they are newer than all that they show."""
    sources = [*Path(hitcurve.__file__).parent.rglob("*.*"), Path(screenshots.__file__)]
    newest = max(file.stat().st_mtime for file in sources if file.suffix != ".pyc")
    there = list(screenshots.FOLDER.glob("*.png"))
    if not there or min(file.stat().st_mtime for file in there) < newest:
        screenshots.take_all()


def _show_without_pictures(app: Any, name: str, source: list[str]) -> None:
    """Say in place of each picture of the HTML report that it is missing."""
    source[0] = screenshots.without(source[0])


def _link_notebook(app: Any, name: str, source: list[str]) -> None:
    """Offer a tutorial as a notebook, below its title."""
    if name in notebooks.pages(Path(app.srcdir)) and app.builder.format == "html":
        link = f'<p><a href="{name.rpartition("/")[2]}.ipynb" download>Download this tutorial as a notebook</a></p>'
        source[0] = re.sub(r"^# .+$", lambda title: f"{title[0]}\n\n{link}", source[0], count=1, flags=re.MULTILINE)


def _write_notebooks(app: Any, error: Exception | None) -> None:
    """Run the notebooks of the tutorials, and put them beside their pages."""
    if error is None and app.builder.format == "html":
        made = [(page, Path(app.outdir, f"{name}.ipynb")) for name, page in notebooks.pages(Path(app.srcdir)).items()]
        # each sets the environment that its kernel starts with
        with ProcessPoolExecutor(app.parallel, mp_context=get_context("spawn")) as processes:
            for _ in processes.map(notebooks.write, *zip(*made, strict=True)):
                pass


def _as_code(cell: re.Match[str]) -> str:
    body = cell.group(1)
    tags = _TAGS.match(body)
    code = body[tags.end() :] if tags else body
    if tags and "unseen" in tags.group(1):
        return ""
    commands = _COMMAND.findall(code)
    if commands:
        return "\n".join(f"```console\n{examples.with_prompt(command)}\n```\n" for command in commands)
    return f"```python\n{code}```"


def _public_name(app: Any, env: Any, node: Any, contents: Any) -> Any:
    """Let a docstring name an object by the module that defines it: the page is that of its public name."""
    target = node.get("reftarget", "")
    place = _PLACES.get(target.rpartition(".")[2])
    if node.get("refdomain") != "py" or place is None or target == place:
        return None
    return env.domains["py"].resolve_xref(env, node["refdoc"], app.builder, node["reftype"], place, node, contents)


def _check_complete(app: Any, env: Any) -> None:
    """Warn, which fails the build, about public names without a place in the reference."""
    from sphinx.util.logging import getLogger

    there = set(env.domains["py"].objects)
    wanted = set(_PLACES.values())
    wanted |= {f"hitcurve.plot.{name}" for name in hitcurve.plot.__all__}
    wanted |= {f"hitcurve.learn.{name}" for name in hitcurve.learn.__all__}
    wanted |= {"hitcurve.spark.Evaluator"}  # not imported: it needs Spark
    wanted |= {alias for alias in numpydoc_xref_aliases.values() if alias.startswith("hitcurve.errors.")}
    for name in sorted(wanted - there):
        getLogger(__name__).warning("%s has no place in the reference", name)


def setup(app: Any) -> None:
    """Connect the above; kernels find the helpers of the examples beside this file."""
    warm.start()
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.getenv("PYTHONPATH")]))
    os.environ["IPYTHONDIR"] = str(Path(app.doctreedir, "ipython"))  # nobody's own settings
    profile = Path(os.environ["IPYTHONDIR"], "profile_default")
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.json").write_text(json.dumps(_KERNELS), encoding="utf-8")
    from numpydoc import xref

    xref.DEFAULT_LINKS.clear()  # links into the manuals of Python and numpy would need the network
    if screenshots.browser():
        app.connect("builder-inited", _take_pictures)
    else:
        app.connect("source-read", _show_without_pictures)
    app.connect("source-read", _show_without_data)
    app.connect("source-read", _link_notebook)
    app.connect("build-finished", _write_notebooks)
    app.connect("missing-reference", _public_name)
    app.connect("env-check-consistency", _check_complete)
