"""Clients of a served API in one thread: connections that send requests at a fixed rate, whatever the answers do, and note how long each took."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """A request of the mix; `body` None: a GET."""

    path: str
    body: Callable[[], object] | None = None
    label: str = "read"


@dataclass(slots=True)
class LoadResult:
    """What the clients saw."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    """By label, the time from the sending of a request, or with `counts_wait` from the instant at which it began to wait for a connection, to its complete answer. Without refusals."""
    failures: int = 0
    """Requests without an answer, and answers with another status than 2xx and 503."""
    refused: int = 0
    """Answers with 503: the server has too much to do."""
    sent: int = 0
    elapsed_s: float = 0.0
    cpu_s: float = 0.0
    """Processor seconds of the clients."""


def run_load(
    port: int,
    token: str,
    mix: Sequence[LoadRequest],
    rate: float,
    duration_s: float,
    connections: int,
    *,
    counts_wait: bool = True,
) -> LoadResult:
    """Send requests of the mix in turns, so many a second over so many connections. A request that is late does not delay those after it."""
    return asyncio.run(_run(port, token, mix, rate, duration_s, connections, counts_wait=counts_wait))


async def _run(
    port: int,
    token: str,
    mix: Sequence[LoadRequest],
    rate: float,
    duration_s: float,
    connections: int,
    *,
    counts_wait: bool,
) -> LoadResult:
    result = LoadResult()
    due: asyncio.Queue[tuple[float, LoadRequest]] = asyncio.Queue()
    cpu, began = time.process_time(), time.perf_counter()
    clients = [
        asyncio.create_task(_send_all(port, token, due, result, counts_wait=counts_wait)) for _ in range(connections)
    ]
    for number in range(int(rate * duration_s)):
        at = began + number / rate
        if (wait := at - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        due.put_nowait(
            (time.perf_counter(), mix[number % len(mix)])
        )  # a timer of the clients that is late says nothing of the server
    left = began + duration_s - time.perf_counter()
    if left > 0:
        await asyncio.sleep(left)
    for client in clients:
        client.cancel()
    await asyncio.gather(*clients, return_exceptions=True)
    result.elapsed_s, result.cpu_s = time.perf_counter() - began, time.process_time() - cpu
    return result


async def _send_all(
    port: int, token: str, due: asyncio.Queue[tuple[float, LoadRequest]], result: LoadResult, *, counts_wait: bool
) -> None:
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    while True:
        waits_since, request = await due.get()
        began = waits_since if counts_wait else time.perf_counter()
        try:
            if streams is None:
                streams = await asyncio.open_connection("127.0.0.1", port)
            status = await _send(*streams, token, request)
        except (OSError, asyncio.IncompleteReadError):
            streams, status = None, 0
        result.sent += 1
        result.refused += status == 503
        result.failures += not 200 <= status < 300 and status != 503
        if 200 <= status < 300:
            result.seconds.setdefault(request.label, []).append(time.perf_counter() - began)


async def _send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str, request: LoadRequest) -> int:
    body = b"" if request.body is None else json.dumps(request.body()).encode()
    method = "GET" if request.body is None else "POST"
    head = f"{method} {request.path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    answer = await reader.readuntil(b"\r\n\r\n")
    lines = answer.decode("latin-1").lower().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    if "content-length" in headers:
        await reader.readexactly(int(headers["content-length"]))
    else:
        while (size := int(await reader.readline(), 16)) > 0:
            await reader.readexactly(size + 2)
        await reader.readline()
    return int(lines[0].split()[1])
