"""Several TCP servers behind one address: each connection goes to the next target, and a target without an answer is passed over for some seconds.

The balancer is a process of its own, so that a busy test does not slow it down: `python -m tests.chaos.balancer FILENO HOST:PORT...`
"""

from __future__ import annotations

import asyncio
import itertools
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

CONNECT_S = 1.0
PASSED_OVER_S = 3.0
Target = tuple[str, int]


class Balancer:
    """Listens on a port of its own at `address`."""

    def __init__(self, address: str, targets: Sequence[Target]) -> None:
        self.address, self.port = address, 0
        self._targets = tuple(targets)
        self._start()

    def freeze(self) -> None:
        """Nothing passes from now on, and nobody is told."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def restart(self) -> None:
        """End every connection, and accept new ones at the same address."""
        self.close()
        self._start()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def _start(self) -> None:
        with socket.create_server((self.address, self.port)) as listener:
            self.port = int(listener.getsockname()[1])
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.chaos.balancer",
                    str(listener.fileno()),
                    *(f"{host}:{port}" for host, port in self._targets),
                ],
                pass_fds=[listener.fileno()],
                cwd=Path(__file__).parents[2],
            )


async def balance(listener: socket.socket, targets: Sequence[Target]) -> None:
    """Serve until the process ends."""
    away_until: dict[Target, float] = {}
    turns = itertools.count()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = next(turns)
        in_turn = [targets[(first + n) % len(targets)] for n in range(len(targets))]
        for target in sorted(in_turn, key=lambda one: away_until.get(one, 0.0) > time.monotonic()):
            try:
                answers, requests = await asyncio.wait_for(asyncio.open_connection(*target), CONNECT_S)
            except (OSError, TimeoutError):
                away_until[target] = time.monotonic() + PASSED_OVER_S
                continue
            await asyncio.gather(_pass_on(reader, requests), _pass_on(answers, writer))
            return
        writer.close()

    await (await asyncio.start_server(serve, sock=listener)).serve_forever()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()


if __name__ == "__main__":
    from gnomon.author_code.processes.kernel import die_with_parent

    die_with_parent(signal.SIGKILL)
    asyncio.run(
        balance(
            socket.socket(fileno=int(sys.argv[1])),
            [(host, int(port)) for host, _, port in (word.rpartition(":") for word in sys.argv[2:])],
        )
    )
