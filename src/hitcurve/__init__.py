"""Threshold-free evaluation of binary rankers with the weight on early retrieval.

The public names are loaded when the first of them is asked for: ``import hitcurve`` alone, and with it
``hitcurve --help``, does not wait for numpy.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

TYPE_CHECKING = False  # as that of typing, which takes longer to load than this module
if TYPE_CHECKING:
    # loaded when they are asked for, and not with *: they need scikit-learn and Spark
    from hitcurve import learn as learn
    from hitcurve import spark as spark
    from hitcurve._face import *  # noqa: F403
    from hitcurve._face import __all__ as __all__
else:

    def __getattr__(name: str) -> object:
        """Return a submodule, or load the public names, once."""
        from importlib.util import find_spec

        if name.startswith("_") and name != "__all__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name.isidentifier() and find_spec(f"{__name__}.{name}"):
            try:
                return import_module(f"{__name__}.{name}")
            except ImportError as error:
                from hitcurve.errors import AbsentModuleError, MissingExtraError

                if not isinstance(error, MissingExtraError):
                    raise
                # so that hasattr is False; no class can be an ImportError and an AttributeError
                raise AbsentModuleError(str(error)) from error
        face = import_module(f"{__name__}._face")
        loaded = {public: vars(face)[public] for public in face.__all__ if public in vars(face)}
        globals().update(loaded, __all__=face.__all__)
        if name not in globals() and name in face.__all__:
            globals()[name] = getattr(face, name)
        if name not in globals():
            rooms = ("magnify", "metrics", "rates")
            found = [room for room in rooms if name in import_module(f"{__name__}.{room}").__all__]
            where = f": it is {__name__}.{found[0]}.{name}" if found else ""
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{where}")
        return globals()[name]

    def __dir__() -> list[str]:
        """List the public names."""
        return sorted([*__getattr__("__all__"), "__version__"])
