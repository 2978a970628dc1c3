"""Opens a port of 127.0.0.1 and keeps it, as a service manager does: hold-port.py PORT COMMAND [ARGUMENT ...]

For each line of its input it runs the command, to which it passes the port (sd_listen_fds(3)), and writes its process id and
its exit code.
"""

import os
import socket
import subprocess
import sys

PASS = 'echo "process $$"; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'

held = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=511)
os.dup2(held.fileno(), 3)
for _ in sys.stdin:
    ended = subprocess.run(["sh", "-c", PASS, "sh", *sys.argv[2:]], stdin=subprocess.DEVNULL, pass_fds=[3])
    print("exit", ended.returncode, flush=True)
