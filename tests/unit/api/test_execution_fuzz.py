"""Every field of every message of a remote worker with hostile values, doubled and left out: never a server error, and no mail that the owner cannot apply."""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from tests.conformance.hostileworld import soak_until
from tests.conformance.test_report_fuzz import QUESTION, TEMPLATES, WAIT
from tests.hostile_messages import double_field, encode_json, vary_struct
from tests.unit.api.test_execution_api import LOG_PIECE, ExecutionServer, secret_of, server

from gnomon.model.attempts import Attempt, AttemptResult, RunFacts
from gnomon.model.execution_messages import (
    BeatNotice,
    ClaimRequest,
    EntryNotice,
    Question,
    ReportedClaim,
    ReportedEntry,
    ReportedResult,
    RunningLogPiece,
)
from gnomon.model.result_checks import check_result
from gnomon.model.task_api_requests import AnyTaskApiRequest
from gnomon.queries.accounts.attempt_tokens import ATTEMPT, CLAIM, WORKER
from gnomon.storage.store.coordination import mailbox, remote_attempts

__all__ = ["server"]
SHORT = 350
"""Requests of the short form on each database."""
RESULT = AttemptResult(
    attempt_id="a0",
    group_no=3,
    run_pk=1,
    task_no=0,
    outcome="success",
    started_at=1,
    ended_at=2,
    reason="r",
    exit_code=0,
    **TEMPLATES["success"],
    wait=msgspec.structs.replace(WAIT, hitl=QUESTION),
)
REFUSED = range(400, 500)


def build_requests() -> list[msgspec.Struct]:
    """One request of each kind of the task API, with a value in each of its fields."""
    texts: dict[Any, Any] = {"str": "x", "int": 1, "float": 1.0, "bool": False}
    found = []
    for kind in get_args(AnyTaskApiRequest):
        fields = {}
        for field in msgspec.structs.fields(kind):
            name = str(field.type if not isinstance(field.type, type) else field.type.__name__)
            fields[field.name] = next((value for word, value in texts.items() if name.startswith(word)), None)
            if "tuple" in name:
                fields[field.name] = ("x",) if "str" in name else (1,)
            elif "dict" in name:
                fields[field.name] = {"a": 1}
        found.append(kind(**fields))
    return found


class Fuzz:
    """Posts variants of each message with valid tokens; each attempt of a result is offered and claimed anew."""

    def __init__(self, server: ExecutionServer) -> None:
        self.server = server
        self.count = 0
        self.outcomes: Counter[str] = Counter()
        """Of the results that became mail."""
        self.run_pk = server.run.run_pk
        assert server.claim("a0").status == 200 and server.claim("a1").status == 200

    def list_bodies(self) -> Iterator[tuple[str, str, str, bytes]]:
        """(path, use of the token, its subject, body) of each variant."""
        worker = ("workers/w1", WORKER, "w1")
        claim = ClaimRequest(worker_id="w1", secret=secret_of("w1"), host="host-1", slots=4)
        messages: list[tuple[str, str, str, msgspec.Struct]] = [
            ("attempts/a1/claim", CLAIM, "a1", claim),
            ("attempts/a1/entered", ATTEMPT, "a1", EntryNotice(at=1)),
            ("attempts/a1/log", ATTEMPT, "a1", RunningLogPiece(**LOG_PIECE)),  # type: ignore[arg-type]
            (f"{worker[0]}/beat", *worker[1:], BeatNotice(held=("a0", "a1"), figures=(("gnomon_x", ("a",), 1.0),))),
            *(("attempts/a1/ask", ATTEMPT, "a1", Question(request=request)) for request in build_requests()),  # type: ignore[arg-type]
            *((f"{worker[0]}/ask", *worker[1:], Question(request=request)) for request in build_requests()[:6]),  # type: ignore[arg-type]
            ("attempts/a0/result", ATTEMPT, "a0", msgspec.structs.replace(RESULT, run_pk=self.run_pk)),
        ]
        for path, use, subject, message in messages:
            for field, plain in vary_struct(message, is_json=True):
                yield path, use, subject, encode_json(plain)
                if field.count(".") == 0:
                    yield path, use, subject, double_field(encode_json(msgspec.to_builtins(message)), field, "\0")
        token = self.server.sign(ATTEMPT, "a0")
        reports = [
            ReportedClaim(attempt_id="a1", token=self.server.sign(CLAIM, "a1")),
            ReportedEntry(attempt_id="a0", token=token, at=1),
            ReportedResult(token=token, result=msgspec.structs.replace(RESULT, run_pk=self.run_pk)),
        ]
        for report in reports:
            for _, plain in vary_struct(report, is_json=True):
                yield f"{worker[0]}/reports", *worker[1:], b'{"reports":[' + encode_json(plain) + b"]}"
        for broken in (
            b"",
            b"\xff",
            b"[",
            b'{"reports":[\xff]}',
            b'{"reports":1}',
            b'{"reports":[{"type":"result"}]}',
            b"[" * 100_000,
            b'{"a":"' + b"\xed\xa0\x80" + b'"}',
        ):
            for path, use, subject, _ in messages:
                yield path, use, subject, broken
            yield f"{worker[0]}/reports", *worker[1:], broken

    def post(self, path: str, use: str, subject: str, body: bytes) -> None:
        self.count += 1
        self._offer(("a0", "a1"))
        reply = self.server.post(path, self.server.sign(use, subject), body)
        assert reply.status < 300 or reply.status in REFUSED, (path, body[:600], reply.status, reply.body[:500])
        if path.endswith("/reports") and reply.status == 200:
            (answer,) = msgspec.json.decode(reply.body)["answers"]
            assert answer.get("status", 204) < 500, (path, body[:600], answer)
        if path.endswith(("/reports", "/result")):
            self._read_mail(body)

    def _offer(self, attempt_ids: tuple[str, ...]) -> None:
        """Each of these attempts is stored and claimed by the worker w1, as if it had no result yet."""
        facts = RunFacts(run_pk=self.run_pk, dag_id="d", run_id="m", run_type="manual", run_after=0)
        attempts = [
            Attempt(
                attempt_id=name,
                group_no=3,
                epoch=1,
                run=facts,
                task_id="ab"[int(name[1])],
                task_no=int(name[1]),
                file="/d.py",
            )
            for name in attempt_ids
        ]
        with self.server.world.db.write() as tx:
            remote_attempts.offer_attempts(tx, "CeleryExecutor", attempts, 0)
            remote_attempts.claim_attempts(tx, attempt_ids, "w1", 0)

    def _read_mail(self, sent: bytes) -> None:
        """Take what the report has left in the mailbox: the owner can apply it."""
        with self.server.world.db.write() as tx:
            cipher = tx.cipher
            messages = mailbox.read_messages(tx, range(64), 100)
            tx.send_many("mailbox.remove", [(message.mail_pk,) for message in messages])
        for message in messages:
            body = json.loads(message.body)
            if message.kind != "result":
                continue
            text = cipher.decrypt(body["sealed"]) if "sealed" in body else None
            result = (
                msgspec.convert(body["result"], AttemptResult)
                if text is None
                else msgspec.json.decode(text, type=AttemptResult)
            )
            assert check_result(result, reads_values=True) == result, sent[:600]
            self.outcomes[result.outcome] += 1


def test_no_field_of_a_message_of_a_worker_is_a_server_error(server: ExecutionServer) -> None:
    fuzz = Fuzz(server)
    bodies = list(fuzz.list_bodies())
    assert len(bodies) > 3000
    for one in random.Random(1).sample(bodies, SHORT):
        fuzz.post(*one)
    assert fuzz.outcomes["success"] and fuzz.outcomes["failed"], fuzz.outcomes


@pytest.mark.soak
def test_whatever_a_worker_sends_is_no_server_error(server: ExecutionServer) -> None:
    until = soak_until(os.environ.get("FUZZ_S"))
    seed = int(os.environ.get("FUZZ_SEED") or time.time_ns() % 2**32)
    print(f"seed {seed}")
    fuzz = Fuzz(server)
    bodies = list(fuzz.list_bodies())
    random.Random(seed).shuffle(bodies)
    for one in bodies:
        fuzz.post(*one)
        if time.monotonic() > until:
            break
    print(f"{fuzz.count} requests, results: {dict(fuzz.outcomes)}")
