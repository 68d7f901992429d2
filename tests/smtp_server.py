"""An SMTP server for tests: a thread that speaks enough of RFC 5321 for smtplib, and keeps what it received."""

from __future__ import annotations

import base64
import email
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from typing import Any


@dataclass
class Received:
    """One mail."""

    sender: str
    recipients: list[str]
    message: Message

    @property
    def html(self) -> str:
        """The first part of the message as text."""
        payload = self.message.get_payload()
        part = payload[0] if isinstance(payload, list) else self.message
        content = part.get_payload(decode=True)  # type: ignore[union-attr]
        assert isinstance(content, bytes)
        return content.decode()


@dataclass
class SmtpServer:
    """The mails that arrived, and the logins that were used."""

    port: int = 0
    mails: list[Received] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    drops: int = 0
    """So many connections are closed at once."""


@contextmanager
def smtp_server(tls: ssl.SSLContext | None = None) -> Iterator[SmtpServer]:
    """Run the server on a free port of this machine; `tls`: every connection is encrypted from its start."""
    state = SmtpServer()

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            if state.drops:
                state.drops -= 1
                return
            self.say("220 test")
            sender, recipients = "", []
            for raw in self.rfile:
                line = raw.decode().rstrip("\r\n")
                verb = line.partition(" ")[0].upper()
                if verb == "EHLO":
                    self.say("250-test\r\n250 AUTH PLAIN")
                elif verb == "AUTH":
                    state.logins.append(base64.b64decode(line.split(" ")[2]).decode().replace("\0", "|"))
                    self.say("235 ok")
                elif verb in ("MAIL", "RCPT"):
                    address = line.partition(":")[2].strip().split(" ")[0].strip("<>")
                    if verb == "MAIL":
                        sender, recipients = address, []
                    else:
                        recipients.append(address)
                    self.say("250 ok")
                elif verb == "DATA":
                    self.say("354 go on")
                    lines = []
                    while (data := self.rfile.readline()) != b".\r\n":
                        lines.append(data[1:] if data.startswith(b"..") else data)
                    state.mails.append(Received(sender, recipients, email.message_from_bytes(b"".join(lines))))
                    self.say("250 ok")
                elif verb == "QUIT":
                    self.say("221 bye")
                    return
                else:
                    self.say("250 ok")

        def say(self, text: str) -> None:
            self.wfile.write(text.encode() + b"\r\n")

    class Server(socketserver.ThreadingTCPServer):
        def get_request(self) -> tuple[Any, Any]:
            connection, address = super().get_request()
            return (connection if tls is None else tls.wrap_socket(connection, server_side=True)), address

        def handle_error(self, *_: object) -> None:
            """A client that gave up is no error of the test."""

    with Server(("127.0.0.1", 0), Session) as server:
        server.daemon_threads = True
        state.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
