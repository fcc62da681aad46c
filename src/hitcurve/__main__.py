"""``python -m hitcurve`` is the command line."""

from hitcurve.cli import main

main()
