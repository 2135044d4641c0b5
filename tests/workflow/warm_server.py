"""A Python that has imported what a run of the workflow needs, and runs each program in a fork of itself.

A program so begins in a hundredth of the second that its imports take.  Nothing of textmix is imported before the fork,
so that a program has the library of its clone.  A client, ``warm_client.py``, passes its arguments, folder, environment
and streams through a socket, waits, and ends with the exit code of the program.  The server ends with its parent.

Usage: ``python warm_server.py SOCKET PYTHON``; PYTHON is the path of the client as `sys.executable` of the programs.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import select
import socket
import sys
import time
from contextlib import suppress

#: Snakemake, the modules that it imports while it reads a Snakefile, and the packages of the jobs.
IMPORTED = (
    *(
        "snakemake.cli",
        "snakemake.dag",
        "snakemake.workflow",
        "snakemake.script",
        "jsonschema",
        "yte",
        "rocrate.rocrate",
    ),
    *("numpy", "scipy.sparse", "scipy.special", "scipy.stats", "sklearn.base", "sklearn.linear_model", "numba"),
    *("pandas", "jinja2", "rocrate.rocrate", "matplotlib.figure", "matplotlib.backends.backend_svg"),
)


def become(request: dict, python: str) -> None:
    """Run the program of a request in this process."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    added = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.executable, sys.dont_write_bytecode = python, bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    sys.modules["numba"].config.reload_config()
    safe = request["arguments"][0] == "-P"  # the folder of the program is not searched for modules
    first, *sys.argv = request["arguments"][safe:]
    if first == "-c":
        sys.path[:1] = added if safe else [request["folder"], *added]
        program, sys.argv = sys.argv[0], ["-c", *sys.argv[1:]]
        exec(compile(program, "<string>", "exec"), vars(sys.modules["__main__"]))
    elif first == "-m":
        sys.path[:1] = [request["folder"], *added]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[:1] = [os.path.dirname(first), *added]
        sys.argv.insert(0, first)
        runpy.run_path(first, run_name="__main__")


def attend(connection: socket.socket, python: str) -> None:
    """Start the program of a client, and send its exit code when it has ended."""
    data, streams, *_ = socket.recv_fds(connection, 2**20, 3)
    while part := connection.recv(2**20):
        data += part
    program = os.fork()
    if program == 0:
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        become(json.loads(data), python)
        return
    for stream in streams:
        os.close(stream)
    code = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    connection.sendall(str(code).encode())
    os._exit(0)


def serve(place: str, python: str) -> None:
    """Serve each client in a fork until the parent closes the standard input of this process."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen()
        print("ready", flush=True)
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                break
            connection.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
        else:
            return
    attend(connection, python)


if __name__ == "__main__":
    for name in IMPORTED:
        importlib.import_module(name)
    importlib.import_module("snakemake.cli").get_argument_parser()  # import the plugins of Snakemake
    compiler = importlib.import_module("numba.core.registry").cpu_target
    for context in (compiler.typing_context, compiler.target_context):
        context.refresh()  # modules that Numba imports with the first kernel
    # Modules that scikit-learn imports with the first matrix, and threadpoolctl while it searches for libraries.
    importlib.import_module("sklearn.utils.validation").check_array([[0.0]])
    importlib.import_module("threadpoolctl").threadpool_info()
    gc.freeze()
    serve(*sys.argv[1:])
