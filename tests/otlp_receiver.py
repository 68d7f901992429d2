"""A collector of OpenTelemetry for tests: a real HTTP server that reads the messages of OTLP."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class OtlpReceiver:
    """What has arrived. `status`: the answer to each message; `released`: messages are answered once it is set."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.services: set[str] = set()
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.status = 200
        self.released = threading.Event()
        self.released.set()
        self.arrived = threading.Event()
        self.port = 0

    def receive(self, path: str, headers: dict[str, str], body: bytes) -> None:
        """Keep the spans of a message."""
        self.paths.append(path)
        self.headers.append(headers)
        self.arrived.set()
        self.released.wait(60.0)
        if self.status != 200:
            return
        message = ExportTraceServiceRequest()
        message.ParseFromString(gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body)
        for resource in message.resource_spans:
            self.services |= {
                one.value.string_value for one in resource.resource.attributes if one.key == "service.name"
            }
            for scope in resource.scope_spans:
                self.spans += scope.spans


@contextmanager
def receiving() -> Iterator[OtlpReceiver]:
    """A receiver on a free port of this machine."""
    receiver = OtlpReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.receive(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(receiver.status)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
