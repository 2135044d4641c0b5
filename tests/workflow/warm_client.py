"""Run a program in a fork of ``warm_server.py``: ``python -I -S warm_client.py SOCKET ARGUMENT ...``."""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    request = {"arguments": sys.argv[2:], "folder": os.getcwd(), "environment": dict(os.environ)}
    data = json.dumps(request).encode()
    server.sendall(data[socket.send_fds(server, [data], [0, 1, 2]) :])
    server.shutdown(socket.SHUT_WR)
    code = int(server.makefile().read())
if code < 0:
    os.kill(os.getpid(), -code)
sys.exit(code)
