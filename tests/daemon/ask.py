# SPDX-License-Identifier: MIT
# ask.py SOCKET REQUEST|many|noise|silent: a client of thpd, well-behaved or not.
import socket
import sys
import time


def connect():
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(5)
    s.connect(sys.argv[1])
    return s


def read(s):
    data = b""
    while True:
        part = s.recv(65536)
        if not part:
            return data.decode()
        data += part


what = sys.argv[2]
if what == "many":
    held = [connect() for _ in range(40)]
    time.sleep(0.3)
    gone = 0
    for s in held:
        s.setblocking(False)
        try:
            gone += s.recv(1) == b""
        except ConnectionResetError:
            gone += 1
        except BlockingIOError:
            pass
    print("refused", gone, flush=True)
    time.sleep(1)
elif what == "noise":
    s = connect()
    try:
        s.sendall(bytes(range(14, 31)) + b"x" * 100000)
        print("answer", repr(read(s)))
    except (BrokenPipeError, ConnectionResetError):
        print("closed")
elif what == "silent":
    s = connect()
    s.settimeout(30)
    print("closed" if s.recv(1) == b"" else "answer")
else:
    s = connect()
    s.sendall(what.encode() + b"\n")
    print(read(s), end="")
