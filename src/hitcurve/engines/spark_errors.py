"""What Spark raises, in one sentence."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager

from hitcurve.engines import partial

# workers of one machine run the python3 of PATH, whichever Python the driver runs
THERE = "install hitcurve[spark] there, or set PYSPARK_PYTHON to a Python that has it before Spark starts"
# what Spark says -> what it means and what to do
_KNOWN = {
    r"PYTHON_VERSION_MISMATCH|Python in worker has different version.*?(\d\.\d+)\D.*?(\d\.\d+)": "the workers have "
    "another version of Python than the driver: set PYSPARK_PYTHON to the same version on both",
    r"No module named 'pyarrow'|PACKAGE_NOT_INSTALLED|PyArrow >= ": f"the workers lack pyarrow: {THERE}",
    r"No module named '(hitcurve[^']*)'": f"the workers lack hitcurve: {THERE}",
    # pyspark asserts that there is a session
    r"stopped SparkContext|SparkContext was shut down|^AssertionError$": "its session was stopped: start one, make the "
    "frame again, and evaluate it",
    r"JAVA_GATEWAY_EXITED|JAVA_HOME is not set": "Java 17 or newer is missing, or does not start: install it (in "
    "Debian openjdk-17-jre-headless) or set JAVA_HOME",
}


def in_one_sentence() -> AbstractContextManager[None]:
    """Raise what fails in Spark as an `EngineError`."""
    return partial.in_one_sentence(_sentence)


def _sentence(error: Exception) -> str:
    text = str(error) or type(error).__name__
    for pattern, meaning in _KNOWN.items():
        if re.search(pattern, text, re.DOTALL):
            return f"Spark cannot run: {meaning}"
    return f"Spark failed: {_reason(text) or type(error).__name__}"


def _reason(text: str) -> str:
    """Return the last error of Python or Java in a report of Spark, or its first line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = (re.match(r"(?:Caused by)?:? ?([\w.$]*(?:Error|Exception|Interrupt)\b: .*)", line) for line in lines)
    errors = [one[1] for one in found if one]
    return (errors[-1] if errors else lines[0] if lines else "")[:300]
