"""Kernels and the command `hitcurve`, forked from one process that has imported what they need.

To import it takes two seconds of every page, and most of every command. `start` starts the process that does so once
(`warm.py serve`), and leaves in the environment where Jupyter finds its kernel and a shell `hitcurve`: programs that
hand over their arguments, folder, environment and streams (`warm.py ask`) and end as the fork does. A fork is a process
of its own in which nothing was run; it is killed if the program that asked for it is. Kernels are reached by files: of
ports that are free when they are chosen, others may have one before the kernel binds it.
"""

from __future__ import annotations

import os
import sys
from typing import Any

_HERE = os.path.abspath(__file__)
# beside the modules of hitcurve
_IMPORTED = (
    "duckdb",
    "ipykernel.debugger",
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "jinja2",
    "matplotlib.backends.backend_svg",
    "matplotlib.pyplot",
    "pandas",
    "pyarrow.csv",
    "pyarrow.parquet",
    "pydantic.functional_validators",
    "pydantic.json_schema",
    "pydantic.type_adapter",
    "tornado.platform.asyncio",
)


def start() -> None:
    """Let kernels and commands of this process be forked, where the system can, from a process that ends with it."""
    import atexit
    import shlex
    import shutil
    import socket
    import subprocess
    import tempfile
    from pathlib import Path

    from ipykernel.kernelspec import write_kernel_spec
    from nbclient import NotebookClient
    from notebooks import by_files

    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):  # not Linux, or an old one
        return
    folder = Path(tempfile.mkdtemp())
    made = NotebookClient.create_kernel_manager

    def made_by_files(client: Any) -> Any:
        client.config = by_files(tempfile.mkdtemp(dir=folder))
        return made(client)

    NotebookClient.create_kernel_manager = made_by_files
    ask = [sys.executable, "-I", "-S", _HERE, "ask", str(folder / "socket")]
    write_kernel_spec(folder / "kernels" / "python3", {"argv": [*ask, "kernel", "-f", "{connection_file}"]})
    command = folder / "bin" / "hitcurve"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.join(ask)} command "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(folder / "socket"))
        door.listen(64)
        # without the folder of this file, which a fork finds if its PYTHONPATH has it; with modules as in a kernel, for
        # its debugger, and with the backend of IPython, which matplotlib reads while it is imported
        serve = [sys.executable, "-P", "-Xfrozen_modules=off", _HERE, "serve", str(door.fileno())]
        environment = {**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
        server = subprocess.Popen(serve, stdin=subprocess.PIPE, pass_fds=[door.fileno()], env=environment)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.communicate)  # its standard input ends
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(folder), os.getenv("JUPYTER_PATH")]))
    os.environ["HITCURVE_PROGRAMS"] = os.pathsep.join([str(command.parent), os.path.dirname(sys.executable)])


def _ask(path: str, *words: str) -> int:
    """Have a fork run with the arguments, folder, environment and streams of this process; return its exit code."""
    import json
    import signal
    import socket

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a kernel does that computes nothing
    said = json.dumps([words, os.getcwd(), dict(os.environ)]).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        socket.send_fds(connection, [len(said).to_bytes(4, "big")], [0, 1, 2])
        connection.sendall(said)
        return connection.recv(1)[0]


def _serve(door: int) -> list[str]:
    """Fork for all that ask until standard input ends; return, in a fork, what it was asked for."""
    import contextlib
    import json
    import selectors
    import signal
    import socket

    running = {}
    with selectors.DefaultSelector() as ready, socket.socket(fileno=door) as listener:
        for source in (0, listener):
            ready.register(source, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fileobj == 0:
                    for pid in running:
                        os.killpg(pid, signal.SIGKILL)
                    sys.exit()
                elif key.fileobj is listener:
                    connection, _ = listener.accept()
                    size, streams, *_ = socket.recv_fds(connection, 4, 3)
                    with connection.makefile("rb") as file:
                        words, folder, environment = json.loads(file.read(int.from_bytes(size, "big")))
                    pid = os.fork()
                    if pid == 0:
                        for one in (connection, *(other for others in running.values() for other in others)):
                            one.close()
                        _take_over(folder, environment, streams)
                        return words
                    os.setpgid(pid, pid)
                    for stream in streams:
                        os.close(stream)
                    running[pid] = connection, os.fdopen(os.pidfd_open(pid))
                    for one in running[pid]:
                        ready.register(one, selectors.EVENT_READ, pid)
                elif key.data in running:
                    if isinstance(key.fileobj, socket.socket):  # the program that asked was killed
                        os.killpg(key.data, signal.SIGKILL)
                    code = os.waitstatus_to_exitcode(os.waitpid(key.data, 0)[1])
                    with contextlib.suppress(OSError):
                        running[key.data][0].send(bytes([code if code >= 0 else 128 - code]))
                    for one in running.pop(key.data):
                        ready.unregister(one)
                        one.close()


def _take_over(folder: str, environment: dict[str, str], streams: list[int]) -> None:
    """Be in the folder of the process that asked, with its environment and streams."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    for name, mode, buffering in (("stdin", "r", -1), ("stdout", "w", -1), ("stderr", "w", 1)):
        number, old = ("stdin", "stdout", "stderr").index(name), getattr(sys, name)
        new = os.fdopen(number, mode, buffering, old.encoding, old.errors, closefd=False)
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    paths = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [path for path in paths if path not in sys.path]


def _run(what: str, *words: str) -> None:
    if what == "kernel":
        from ipykernel.kernelapp import IPKernelApp

        IPKernelApp.launch_instance(list(words), parent_handle=os.getppid())
    else:
        import warnings

        from hitcurve.cli import main

        if action := os.environ.get("PYTHONWARNINGS"):
            warnings.simplefilter(action)
        sys.argv = ["hitcurve", *words]
        main()


def _main(role: str, *words: str) -> None:
    if role == "ask":
        sys.exit(_ask(*words))
    import atexit
    import gc
    from importlib import import_module
    from pkgutil import walk_packages

    code = 1

    def leave() -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

    # what is registered first is called last: to take all modules apart would copy the memory that forks share
    atexit.register(leave)
    import hitcurve

    for name in (*_IMPORTED, *(module.name for module in walk_packages(hitcurve.__path__, "hitcurve."))):
        if not name.endswith((".__main__", ".spark")):
            import_module(name)
    gc.freeze()
    try:
        _run(*_serve(int(words[0])))
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise


if __name__ == "__main__":
    _main(*sys.argv[1:])
