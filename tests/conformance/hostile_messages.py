"""Messages at a broker that no scheduler sends: by the name of what is wrong with them, and with a seed."""

from __future__ import annotations

import base64
import json
import random
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

TASK = "gnomon.run_attempt"
TOKEN = "aaaa.bbbb.cccc"
JSON = "application/json"
_PICKLE = b"cos\nsystem\n(S'touch /tmp/never'\ntR."
Message = dict[str, Any]
"""Arguments of `kombu.Producer.publish`."""


def _message(body: object = None, headers: dict[str, Any] | None = None, **options: object) -> Message:
    data = body if isinstance(body, (bytes, str)) else json.dumps(body)
    return {
        "body": data,
        "headers": {"lang": "py", "task": TASK, "id": "x"} if headers is None else headers,
        "content_type": JSON,
        "content_encoding": "utf-8",
        **options,
    }


def _order(attempt_id: object = "x", token: object = TOKEN, **embed: object) -> list[object]:
    return [[attempt_id, token], {}, embed]


def _headers(**more: object) -> dict[str, Any]:
    return {"lang": "py", "task": TASK, "id": "x", **more}


UNREADABLE: dict[str, Message] = {
    "no body": _message(b""),
    "bad JSON": _message(b"{"),
    "no UTF-8": _message(b'[["\xff\xfe", "t"], {}, {}]'),
    "no arguments": _message([[], {}, {}]),
    "one argument": _message([["x"], {}, {}]),
    "three arguments": _message([["x", TOKEN, "z"], {}, {}]),
    "arguments of other types": _message([[1, None], {}, {}]),
    "arguments by name": _message([[], {"attempt_id": "x", "token": TOKEN}, {}]),
    "an object": _message({"task": TASK, "id": "x", "args": ["x", TOKEN], "kwargs": {}}),
    "null": _message(None),
    "a number": _message(b"1e400"),
    "deep": _message(b"[" * 15_000 + b"]" * 0),
    "a lone surrogate in the id": _message(b'[["\\ud800", "t"], {}, {}]'),
    "a lone surrogate in the token": _message(b'[["x", "\\udfff"], {}, {}]'),
    "CR LF in the token": _message(_order(token="a\r\nX-Other: 1")),
    "a NUL in the token": _message(_order(token="a\x00b")),
    "CR LF in the id": _message(_order("x\r\ny")),
    "a path in the id": _message(_order("../../workers/w/retire")),
    "a query in the id": _message(_order("x?y#z")),
    "a long id": _message(_order("x" * 65)),
    "an empty id": _message(_order("")),
    "an empty token": _message(_order(token="")),
    "a long token": _message(_order(token="t" * 5_000)),
    "a token of other letters": _message(_order(token="\u00e9\u4e2d")),
    "a huge body": _message(_order(token="t" * 3_000_000)),
    "pickle": _message(_PICKLE, content_type="application/x-python-serialize", content_encoding="binary"),
    "yaml": _message(b"!!python/object/apply:os.system ['true']", content_type="application/x-yaml"),
    "an unknown content type": _message(_order(), content_type="text/\u0000html"),
    "an empty content type": _message(_order(), content_type=""),
    "an unknown content encoding": _message(b"\xff\xff", content_encoding="utf-99"),
    "a compressed bomb": _message(
        zlib.compress(b"0" * 50_000_000), _headers(compression="application/x-gzip"), content_encoding="binary"
    ),
    "compressed without being so": _message(_order(), _headers(compression="application/x-bz2")),
    "an unknown compression": _message(_order(), _headers(compression="x-none")),
    "a compression that is a table": _message(_order(), _headers(compression={"a": 1})),
    "no headers": _message(_order(), {}),
    "protocol 1": _message({"task": TASK, "id": "x", "args": ["x", TOKEN], "kwargs": {}}, {}),
    "another task": _message(_order(), {"task": "other", "id": "x"}),
    "another task without an id": _message(b"", {"task": "other"}),
    "a task that is a list": _message(_order(), {"task": ["a"], "id": "x"}),
    "a task that is a table": _message(_order(), {"task": {"a": 1}, "id": "x"}),
    "a task of Celery that clears results": _message([[], {}, {}], {"task": "celery.backend_cleanup", "id": "x"}),
    "a task of Celery that maps another": _message(
        [[{"task": TASK}, [["x", "y"]]], {}, {}], {"task": "celery.map", "id": "x"}
    ),
    "a chord of Celery": _message([["g", None], {"interval": 0}, {}], {"task": "celery.chord_unlock", "id": "x"}),
    "a group of Celery": _message([[[], "r", "g", []], {}, {}], {"task": "celery.group", "id": "x"}),
}
"""What is acknowledged, counted, and not carried."""


def list_readable(name: str) -> dict[str, Message]:
    """Messages that name attempts, with every header with which Celery would hold them, drop them, or send others. The ids begin with `name`."""
    far = (datetime.now(UTC) + timedelta(days=36_500)).isoformat()
    signature = {
        "task": TASK,
        "args": ["evil", TOKEN],
        "kwargs": {},
        "options": {},
        "subtask_type": None,
        "immutable": True,
    }
    headers: dict[str, dict[str, object]] = {
        "eta": {"eta": far},
        "eta-wrong": {"eta": "tomorrow"},
        "eta-number": {"eta": 10**18},
        "expires": {"expires": "2001-01-01T00:00:00+00:00"},
        "expires-number": {"expires": -1},
        "retries": {"retries": 10**6, "timelimit": [0.001, 0.001]},
        "group": {"group": "g", "root_id": "r", "parent_id": "p"},
        "ignore": {
            "ignore_result": False,
            "replaced_task_nesting": 10**9,
            "stamps": {"a": 1},
            "stamped_headers": ["a"],
        },
        "lang": {"lang": None, "shadow": "x" * 1000},
    }
    found = {f"{name}-{key}": _message(_order(f"{name}-{key}"), _headers(**more)) for key, more in headers.items()}
    embeds: dict[str, dict[str, object]] = {
        "callbacks": {"callbacks": [signature], "errbacks": [signature]},
        "chain": {"chain": [signature] * 5},
        "chord": {"chord": signature},
    }
    found |= {f"{name}-{key}": _message(_order(f"{name}-{key}", **embed)) for key, embed in embeds.items()}
    found[f"{name}-properties"] = _message(
        _order(f"{name}-properties"),
        _headers(),
        priority=0,
        reply_to="celery.pidbox",
        correlation_id="\u00fc" * 50,
        expiration=3600,
        delivery_mode=1,
    )
    return found


COMMANDS: tuple[tuple[str, dict[str, object]], ...] = (
    ("shutdown", {}),
    ("pool_restart", {}),
    ("pool_shrink", {"n": 1000}),
    ("cancel_consumer", {"queue": "*"}),
    ("rate_limit", {"task_name": TASK, "rate_limit": "1/h"}),
    ("time_limit", {"task_name": TASK, "soft": 0.001, "hard": 0.001}),
    ("autoscale", {"max": 0, "min": 0}),
    ("revoke", {"task_id": "x", "terminate": True}),
    ("revoke_by_stamped_headers", {"headers": {"a": "b"}}),
    ("terminate", {"task_id": "x", "signal": "KILL"}),
    ("disable_events", {}),
)
"""Remote control of Celery."""

RAW_REDIS: tuple[bytes, ...] = (
    b"",
    b"{",
    b"null",
    b"[]",
    b"1",
    b'"text"',
    b"\xff\xfe\x00",
    b"{}",
    b'{"body": "x"}',
    b'{"properties": null, "body": "x"}',
    b'{"properties": {}, "body": "e30="}',
    b'{"properties": {"delivery_tag": [1]}, "body": ""}',
    b'{"properties": {"delivery_tag": {"a": 1}}}',
    b'{"properties": {"delivery_tag": null, "body_encoding": "base64"}, "body": "!"}',
    b'{"headers": [], "properties": {"delivery_tag": "t", "delivery_info": "x"}, "body": "e30="}',
    b'{"headers": "x", "properties": {"delivery_tag": "t"}}',
    b'{"headers": {"compression": "gzip"}, "body": 17, "properties": {"delivery_tag": "t"}}',
    b"[" * 50_000,
    b'{"body": "e30=", "headers": {"task": "gnomon.run_attempt"}, "properties": {"body_encoding": ["x"], "delivery_tag": "t"}}',
)
"""What is no message at all, in the list of a queue."""

AMQP_HEADERS: tuple[dict[str, Any], ...] = (
    {"task": TASK, "d": Decimal("0.00000001")},
    {"task": TASK, "b": b"\xff\xfe"},
    {"t": None},
    {"task": TASK, "deep": {"a": {"b": {"c": [1, [2, [3]]]}}}},
    {"x-death": [{"count": -1}]},
    {"BCC": ["other"]},
    {"x" * 255: 1},
)
"""Tables of AMQP."""


def raw_redis_order(attempt_id: str, **properties: object) -> bytes:
    """A message of Redis that names an attempt, with these properties and no others."""
    body = base64.b64encode(json.dumps(_order(attempt_id)).encode()).decode()
    return json.dumps(
        {
            "body": body,
            "headers": _headers(),
            "content-type": JSON,
            "content-encoding": "utf-8",
            "properties": {"body_encoding": "base64", **properties},
        }
    ).encode()


def mutate(rng: random.Random) -> Iterator[Message]:
    """Messages without end: one of the above, or a right one, with bytes, headers and properties changed."""
    known = [*UNREADABLE.values(), _message(_order("fuzz"))]
    while True:
        found = dict(rng.choice(known))
        body = found["body"].encode("utf-8", "surrogatepass") if isinstance(found["body"], str) else found["body"]
        changed = bytearray(body[:20_000])
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(changed) + 1)
            changed[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(4))
        found["body"] = bytes(changed)
        found["headers"] = {key: value for key, value in found["headers"].items() if rng.random() < 0.9}
        if rng.random() < 0.3:
            found["headers"][rng.choice(("task", "id", "compression", "eta", "expires", "lang", "argsrepr"))] = (
                rng.choice((None, 0, -1, 2**62, "", "x", [], {}, True, "\x00"))
            )
        if rng.random() < 0.3:
            found["content_type"] = rng.choice(
                (JSON, "json", "", "application/x-python-serialize", "application/data", "text/plain")
            )
        if rng.random() < 0.3:
            found["content_encoding"] = rng.choice(("utf-8", "binary", "", "us-ascii", "rot13", "utf-16"))
        yield found
