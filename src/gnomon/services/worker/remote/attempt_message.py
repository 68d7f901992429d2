"""The messages of the broker: what one may hold, and what happens to one that holds anything else.

Whoever can write to the broker can send any bytes. A message that does not name an attempt in the form of `CeleryPublisher` is logged, acknowledged and counted,
so that it neither ends a worker nor comes again. Celery's own handling is not used: it would run its built-in tasks, call back, unpack compressed bodies, and
end the worker at an exception.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import msgspec

from gnomon.ground import log
from gnomon.services.executors.celery_broker import TASK_NAME
from gnomon.services.worker.remote.shared_numbers import SharedCount

events = log.get_logger("worker")

BODY_MAX = 16_384
"""Bytes of a body. One of `CeleryPublisher` has less than a thousand."""
SHOWN_MAX = 200
"""Characters of a message that is logged."""
_ATTEMPT_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
_TOKEN = re.compile(r"[0-9A-Za-z_.-]{1,4096}")
_JSON = ("application/json", "json")
_BODY = msgspec.json.Decoder(tuple[tuple[str, str], msgspec.Raw, msgspec.Raw])


class UnreadableMessage(Exception):
    """The message names no attempt."""


def read_message(message: Any) -> tuple[str, str]:
    """The id of the attempt and the token to claim it. Raises UnreadableMessage with the reason. Other headers and properties of Celery mean nothing here."""
    headers = message.headers
    if not isinstance(headers, dict) or headers.get("task") != TASK_NAME:
        raise UnreadableMessage(f"its task is not {TASK_NAME}")
    if headers.get("compression"):
        raise UnreadableMessage("it is compressed")
    if message.content_type not in _JSON:
        raise UnreadableMessage("its content type is not application/json")
    body = message.body
    if not isinstance(body, (bytes, bytearray, memoryview, str)) or len(body) > BODY_MAX:
        raise UnreadableMessage(f"its body is no text of at most {BODY_MAX} bytes")
    try:
        (attempt_id, token), _, _ = _BODY.decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise UnreadableMessage(f"its body is not that of a message of Gnomon: {error}") from None
    if _ATTEMPT_ID.fullmatch(attempt_id) is None:
        raise UnreadableMessage("the id of its attempt has another form")
    if _TOKEN.fullmatch(token) is None:
        raise UnreadableMessage("its token has another form")
    return attempt_id, token


class RefusedMessages:
    """Logs, acknowledges and counts messages that cannot be read."""

    def __init__(self, count: SharedCount) -> None:
        self._count = count

    def refuse(self, message: Any, reason: object) -> None:
        """Acknowledge the message."""
        self.record(reason, getattr(message, "body", None), headers=_show(getattr(message, "headers", None)))
        try:
            message.ack()
        except Exception as error:  # a connection that has ended, which the loop of the consumer notices by itself, or a delivery tag of another form
            events.warning(
                "message_not_acknowledged",
                error=f"{type(error).__name__}: {error}",
                next="if the broker has it, it comes again and is refused again",
            )

    def record(self, reason: object, body: object, **context: object) -> None:
        """Log and count a message that the broker does not keep."""
        self._count.add_one()
        events.warning(
            "message_refused",
            reason=_show_text(str(reason)),
            body=_show(body),
            next="it is acknowledged, and nothing runs",
            **context,
        )

    def guard(self, read: Callable[[], object], errors: tuple[type[Exception], ...]) -> Callable[[], object]:
        """The same function, which refuses the message that it has taken from the broker and cannot read. `errors` are raised as they are."""

        def read_guarded() -> object:
            try:
                return read()
            except errors:
                raise
            except Exception as error:
                self.record(f"{type(error).__name__}: {error}", None)
                return None

        return read_guarded


def refuse_compression() -> None:
    """Unpack no message in this process: kombu would before anybody looks at it, without a bound."""
    compression: Any = import_module("kombu.compression")  # an extra; its functions have no types

    def refuse(_body: object) -> bytes:
        raise UnreadableMessage("it is compressed")

    for name in compression.encoders():
        compression.register(compression.get_encoder(name)[0], refuse, name)


def read_properties_leniently() -> None:
    """Let AMQP's properties of a message that cannot be read be none: py-amqp would raise in the loop of the consumer, before the message can be acknowledged."""
    try:
        content_class: Any = import_module("amqp.serialization").GenericContent
    except ImportError:  # another broker's client alone is installed
        return
    load = content_class._load_properties
    if getattr(load, "is_lenient", False):
        return

    def load_leniently(content: Any, class_id: int, buf: Any, offset: int) -> Any:
        try:
            return load(content, class_id, buf, offset)
        except Exception:  # a date past the year 9999, a decimal with 255 places, text that is no UTF-8
            content.properties = {}
            return offset

    load_leniently.is_lenient = True  # type: ignore[attr-defined]
    content_class._load_properties = load_leniently


def _show(value: object) -> str:
    if isinstance(value, (bytes, bytearray, memoryview, str)):
        return _show_text(repr(bytes(value[:SHOWN_MAX]) if isinstance(value, memoryview) else value[:SHOWN_MAX]))
    if isinstance(value, dict):
        value = {
            str(name)[:SHOWN_MAX]: str(item)[:SHOWN_MAX] if isinstance(item, (str, int, bytes)) else type(item).__name__
            for name, item in list(value.items())[:8]
        }
    return _show_text(repr(value))


def _show_text(text: str) -> str:
    shown = text[:SHOWN_MAX] + ("..." if len(text) > SHOWN_MAX else "")
    return shown.encode("utf-8", "backslashreplace").decode()
