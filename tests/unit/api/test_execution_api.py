"""The execution API as workers without a database ask it, and as somebody asks who has a token for something else, or none."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jwt
import msgspec
import pytest
from tests.conformance.storeworld import AT, World, raw, task
from tests.databases import BOTH, new_database
from tests.unit.api.served import Client, Reply, served
from tests.unit.entry.cli.deployment import NOW

from gnomon.api.access.accounts_policy import COOKIE
from gnomon.api.access.choose_policy import create_context
from gnomon.api.context import ApiContext
from gnomon.api.execution import execution_routes, report_batch
from gnomon.api.health import HealthSnapshot
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.accounts import Author, Role
from gnomon.model.attempts import XCOM_MAX_BYTES, Attempt, AttemptResult, RunFacts, XComItem
from gnomon.model.execution_messages import EXECUTION_PREFIX, EXECUTION_VERSION, KNOWN_VERSIONS, VERSION_HEADER
from gnomon.model.records import Changes, RunRecord, WorkerRecord
from gnomon.model.task_api_requests import GetCachedSecret
from gnomon.queries.accounts import account_changes
from gnomon.queries.accounts.attempt_tokens import ATTEMPT, CLAIM, WORKER
from gnomon.queries.accounts.sessions import begin_session
from gnomon.queries.report.listings.service_list import list_services
from gnomon.queries.taskapi import execution, report_batches, secret_cache
from gnomon.storage.remote_logs import live_copies
from gnomon.storage.store.admin import variables
from gnomon.storage.store.coordination import leases, remote_attempts, service_figures
from gnomon.storage.store.errors import DatabaseUnavailable
from gnomon.storage.store.ownership import commit

LOG = "dag_id=d/run_id=m/task_id=c/attempt=1.log"
OF_ATTEMPTS = ("claim", "entered", "result", "ask", "log")
OF_WORKERS = ("ask", "beat", "reports", "retire")
ROUTES = [*(("attempts", "a0", verb) for verb in OF_ATTEMPTS), *(("workers", "w1", verb) for verb in OF_WORKERS)]
GET_VARIABLE = {"request": {"type": "GetVariable", "key": "color"}}


@dataclass
class ExecutionServer:
    """A server with the attempts a0 and a1, which wait for a claim."""

    client: Client
    context: ApiContext
    world: World
    run: RunRecord
    clock: VirtualClock

    def sign(self, use: str, subject: str, worker_id: str = "w1", lifetime_s: float = 60.0) -> str:
        return self.context.attempt_tokens.sign(
            use, subject, "" if use == CLAIM else worker_id, self.clock.now(), lifetime_s
        )

    def post(
        self, path: str, token: str | None, body: object = None, version: str | None = EXECUTION_VERSION, **headers: str
    ) -> Reply:
        sent = {} if token is None else {"Authorization": f"Bearer {token}"}
        if version is not None:
            sent[VERSION_HEADER] = version
        encoded = body if body is None or isinstance(body, bytes) else msgspec.json.encode(body)
        return self.client.request("POST", f"{EXECUTION_PREFIX}/{path}", encoded, {**sent, **headers})

    def claim(self, attempt_id: str = "a0", worker_id: str = "w1", **fields: object) -> Reply:
        body = {"worker_id": worker_id, "secret": secret_of(worker_id), "host": "host-1", "slots": 4, **fields}
        return self.post(f"attempts/{attempt_id}/claim", self.sign(CLAIM, attempt_id), body)

    def result(self, attempt_id: str = "a0", **fields: Any) -> AttemptResult:
        facts = {
            "attempt_id": attempt_id,
            "group_no": 3,
            "run_pk": self.run.run_pk,
            "task_no": 1 if attempt_id == "a1" else 0,
            "outcome": "success",
        }
        return AttemptResult(**{**facts, **fields})

    def mail(self) -> list[tuple[str, dict[str, Any]]]:
        with self.world.db.read() as tx:
            return [
                (str(kind), json.loads(str(body)))
                for kind, body in raw(
                    tx, "SELECT kind, body FROM mail WHERE kind IN ('result', 'attempt_entered') ORDER BY mail_pk"
                )
            ]

    def workers(self) -> list[str]:
        with self.world.db.read() as tx:
            return [worker.worker_id for worker in leases.list_workers(tx, live_only=False)]


def secret_of(worker_id: str) -> str:
    return worker_id.ljust(32, "0").replace("-", "0")


@pytest.fixture(params=BOTH)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ExecutionServer]:
    clock = VirtualClock(NOW)
    with new_database(request.param, tmp_path) as url:
        cfg = load_config(
            {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url, "GNOMON__CORE__DAGS_FOLDER": "/dags"}, tmp_path / "home"
        )
        context = create_context(cfg, clock, "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
        world = World(context.database)
        world.dag()
        run = world.run()
        facts = RunFacts(run_pk=run.run_pk, dag_id="d", run_id="m", run_type="manual", run_after=AT)
        with world.db.write() as tx:
            commit_tasks(tx, run)
            remote_attempts.offer_attempts(
                tx,
                "CeleryExecutor",
                [
                    Attempt(
                        attempt_id=f"a{n}",
                        group_no=3,
                        epoch=1,
                        run=facts,
                        task_id="ab"[n],
                        task_no=n,
                        file="/dags/d.py",
                    )
                    for n in (0, 1)
                ],
                AT,
            )
            remote_attempts.offer_attempts(
                tx,
                "CeleryExecutor",
                [
                    Attempt(
                        attempt_id="a2",
                        group_no=3,
                        epoch=1,
                        run=facts,
                        task_id="c",
                        task_no=2,
                        file="/dags/d.py",
                        log=LOG,
                    )
                ],
                AT,
            )
            variables.set_variable(tx, "color", "red", None)
        with served(context) as client:
            yield ExecutionServer(client, context, world, run, clock)
        context.close()


def commit_tasks(tx: Any, run: RunRecord) -> None:
    commit.apply_changes(
        tx, Changes(tasks=[task(run, number, attempt=f"a{number}", worker="CeleryExecutor") for number in (0, 1, 2)])
    )


HELD = {"held": ["a0", "a1"]}
LOG_PIECE = {"offset": 0, "piece": b"line 1\n"}


def fitting_body(server: ExecutionServer, kind: str, verb: str) -> object:
    """A body that the route would accept."""
    if verb == "claim":
        return {"worker_id": "w1", "secret": secret_of("w1"), "host": "h", "slots": 1}
    if verb == "result":
        return server.result()
    return {
        "entered": {"at": NOW},
        "ask": GET_VARIABLE,
        "beat": HELD,
        "log": LOG_PIECE,
        "reports": {"reports": []},
    }.get(verb)


def right_use(kind: str, verb: str) -> str:
    return CLAIM if verb == "claim" else ATTEMPT if kind == "attempts" else WORKER


def test_a_worker_claims_asks_and_reports(server: ExecutionServer) -> None:
    claimed = server.claim().json()
    assert (claimed["attempt"]["attempt_id"], claimed["dags_folder"], server.workers()) == ("a0", "/dags", ["w1"])
    token, worker_token = claimed["attempt_token"], claimed["worker_token"]
    assert server.post("attempts/a0/ask", token, GET_VARIABLE).json() == {"value": "red"}
    assert server.post("workers/w1/ask", worker_token, GET_VARIABLE).json() == {"value": "red"}
    assert [server.post("attempts/a0/entered", token, {"at": NOW}).status for _ in range(2)] == [204, 204]
    beat = server.post("workers/w1/beat", worker_token, HELD).json()
    assert (list(beat["attempt_tokens"]), beat["cancellations"]) == (["a0"], [])
    assert server.post("attempts/a0/result", beat["attempt_tokens"]["a0"], server.result()).status == 204
    assert [(kind, body.get("attempt_id") or body["result"]["attempt_id"]) for kind, body in server.mail()] == [
        ("attempt_entered", "a0"),
        ("result", "a0"),
    ]
    assert server.post("attempts/a0/result", token, server.result()).status == 409
    assert server.post("attempts/a0/ask", token, GET_VARIABLE).status == 409
    assert server.claim().status == 409
    assert server.post("workers/w1/retire", beat["worker_token"]).status == 204
    assert server.post("workers/w1/beat", beat["worker_token"], HELD).status == 410


def test_no_route_answers_without_the_token_of_its_use_and_subject(server: ExecutionServer) -> None:
    server.claim("a0", "w1")
    server.claim("a1", "w2")
    key = server.context.attempt_tokens.keys[0]
    claims = {"iss": "gnomon-execution", "worker": "w1", "exp": int(NOW / 1e6) + 60}
    for kind, subject, verb in ROUTES:
        use, body = right_use(kind, verb), fitting_body(server, kind, verb)
        right = server.sign(use, subject)
        named = {**claims, "sub": subject, "use": use}
        wrong = {
            "none": None,
            "empty": "",
            "no token": "x.y.z",
            "cut": right[:-6],
            "of another subject": server.sign(use, {"a0": "a1", "w1": "w2"}[subject], "w2"),
            "of a prefix": server.sign(use, subject[:-1]),
            "expired": server.sign(use, subject, lifetime_s=-60.0),
            "forged": jwt.encode(named, b"another key".ljust(64, b"-"), algorithm="HS512"),
            "unsigned": jwt.encode(named, None, algorithm="none"),
            "another algorithm": jwt.encode(named, key, algorithm="HS256"),
            "another issuer": jwt.encode({**named, "iss": "gnomon"}, key, algorithm="HS512"),
            "without an end": jwt.encode(
                {name: value for name, value in named.items() if name != "exp"}, key, algorithm="HS512"
            ),
            "an end that is no number": jwt.encode({**named, "exp": "never"}, key, algorithm="HS512"),
            "a worker that is no text": jwt.encode({**named, "worker": None}, key, algorithm="HS512"),
            **{f"for {other}": server.sign(other, subject) for other in {CLAIM, ATTEMPT, WORKER} - {use}},
        }
        path = f"{kind}/{subject}/{verb}"
        for name, token in wrong.items():
            reply = server.post(path, token, body)
            assert reply.status == 401, (path, name, reply)
            assert "no valid token" in reply.json()["detail"]
        assert server.post(path, None, body, Authorization=f"Basic {right}").status == 401
    assert (server.mail(), sorted(server.workers())) == ([], ["w1", "w2"])
    for kind, subject, verb in sorted(ROUTES, key=lambda route: route[2] in ("result", "retire")):
        assert server.post(
            f"{kind}/{subject}/{verb}", server.sign(right_use(kind, verb), subject), fitting_body(server, kind, verb)
        ).status in (200, 204)


def claim_of(server: ExecutionServer, attempt_id: str, **token: Any) -> dict[str, object]:
    return {"type": "claim", "attempt_id": attempt_id, "token": server.sign(CLAIM, attempt_id, **token)}


def entry_of(server: ExecutionServer, attempt_id: str, **token: Any) -> dict[str, object]:
    return {"type": "entry", "attempt_id": attempt_id, "token": server.sign(ATTEMPT, attempt_id, **token), "at": NOW}


def result_of(server: ExecutionServer, attempt_id: str, token: str | None = None, **fields: Any) -> dict[str, object]:
    return {
        "type": "result",
        "token": token or server.sign(ATTEMPT, attempt_id),
        "result": server.result(attempt_id, **fields),
    }


def report(
    server: ExecutionServer, *reports: object, worker_id: str = "w1", version: str = EXECUTION_VERSION
) -> list[dict[str, Any]]:
    """The answers to a batch of the worker."""
    reply = server.post(
        f"workers/{worker_id}/reports", server.sign(WORKER, worker_id, worker_id), {"reports": reports}, version
    )
    assert reply.status == 200, reply
    answers: list[dict[str, Any]] = reply.json()["answers"]
    return [{"status": 204, **answer} for answer in answers]


def statuses(answers: list[dict[str, Any]]) -> list[int]:
    return [answer["status"] for answer in answers]


def test_a_batch_claims_enters_and_ends_as_single_requests_do(server: ExecutionServer) -> None:
    server.claim("a2")
    [first, second] = report(server, claim_of(server, "a0"), claim_of(server, "a1"))
    assert [one["claimed"]["attempt"]["task_id"] for one in (first, second)] == ["a", "b"]
    assert first["claimed"]["dags_folder"] == "/dags"
    token = first["claimed"]["attempt_token"]
    assert server.post("attempts/a0/ask", token, GET_VARIABLE).json() == {"value": "red"}
    assert server.post("workers/w1/beat", first["claimed"]["worker_token"], HELD).status == 200
    assert statuses(report(server, entry_of(server, "a0"), result_of(server, "a1"), entry_of(server, "a0"))) == [
        204,
        204,
        409,
    ]
    assert statuses(report(server, result_of(server, "a0", token))) == [204]
    assert sorted((kind, body.get("attempt_id") or body["result"]["attempt_id"]) for kind, body in server.mail()) == [
        ("attempt_entered", "a0"),
        ("result", "a0"),
        ("result", "a1"),
    ]
    assert [row.attempt_id for row in claims_of(server)] == ["a2"]


def claims_of(server: ExecutionServer) -> list[remote_attempts.ClaimedRow]:
    with server.world.db.read() as tx:
        return remote_attempts.list_claims(tx, "w1")


def test_each_report_of_a_batch_is_answered_by_itself(server: ExecutionServer) -> None:
    server.claim("a0")
    server.claim("a1", "w2")
    answers = report(
        server,
        {"type": "rumour"},
        None,
        {"type": "entry", "attempt_id": "a0", "token": server.sign(ATTEMPT, "a0"), "at": -1},
        claim_of(server, "a2", lifetime_s=-60.0),
        claim_of(server, "a1"),
        entry_of(server, "a0", worker_id="w2"),
        result_of(server, "a0", server.sign(CLAIM, "a0")),
        result_of(server, "a1"),
        result_of(server, "a0"),
        result_of(server, "a0", outcome="failed"),
        claim_of(server, "a2"),
        claim_of(server, "a2"),
        claim_of(server, "nothing"),
    )
    assert statuses(answers) == [400, 400, 400, 401, 409, 401, 401, 409, 204, 409, 200, 409, 409]
    assert "another worker has it" in answers[4]["detail"]
    assert [body["result"]["outcome"] for _kind, body in server.mail()] == ["success"]


def test_a_result_of_another_task_instance_does_not_hold_the_other_reports(server: ExecutionServer) -> None:
    server.claim("a0")
    server.claim("a1")
    assert statuses(
        report(server, result_of(server, "a0", task_no=1), result_of(server, "a1"), claim_of(server, "a2"))
    ) == [400, 204, 200]
    assert [body["result"]["attempt_id"] for _kind, body in server.mail()] == ["a1"]
    assert statuses(report(server, result_of(server, "a0"))) == [204]


def test_a_report_that_cannot_be_stored_does_not_hold_the_others(
    server: ExecutionServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.claim("a0")
    server.claim("a1")
    build = report_batches.build_result_mail

    def fail_for_one(tx: Any, worker_id: str, result: AttemptResult) -> Any:
        if result.attempt_id == "a0":
            raise RuntimeError("a fault")
        return build(tx, worker_id, result)

    monkeypatch.setattr(report_batches, "build_result_mail", fail_for_one)
    assert statuses(report(server, result_of(server, "a0"), result_of(server, "a1"), claim_of(server, "a2"))) == [
        500,
        204,
        200,
    ]
    assert [body["result"]["attempt_id"] for _kind, body in server.mail()] == ["a1"]
    monkeypatch.undo()
    assert statuses(report(server, result_of(server, "a0"))) == [204]


def test_a_batch_while_the_database_is_away_stores_nothing_and_can_be_repeated(
    server: ExecutionServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.claim("a0")

    def fail(*_: object) -> None:
        raise DatabaseUnavailable("it is away")

    monkeypatch.setattr(report_batch, "record_reports", fail)
    body = {"reports": [result_of(server, "a0"), claim_of(server, "a1")]}
    assert server.post("workers/w1/reports", server.sign(WORKER, "w1"), body).status == 503
    monkeypatch.undo()
    assert server.mail() == []
    assert statuses(report(server, *body["reports"])) == [204, 200]


def test_a_batch_of_a_lost_worker_ends_attempts_that_it_still_has_and_claims_nothing(server: ExecutionServer) -> None:
    server.claim("a0")
    server.post("workers/w1/retire", server.sign(WORKER, "w1"))
    assert statuses(report(server, claim_of(server, "a1"), result_of(server, "a0"))) == [410, 204]


def test_a_batch_claims_no_attempt_that_its_owner_no_longer_waits_for(server: ExecutionServer) -> None:
    server.claim("a2")
    with server.world.db.write() as tx:
        commit.apply_changes(
            tx, Changes(tasks=[task(server.run, 0, seq=2, attempt="another", worker="CeleryExecutor")])
        )
    assert statuses(report(server, claim_of(server, "a0"), claim_of(server, "a1"))) == [409, 200]
    with server.world.db.read() as tx:
        assert sorted(remote_attempts.list_attempt_ids(tx, "CeleryExecutor")) == ["a1", "a2"]


def test_reports_that_go_past_the_routers_are_answered_as_by_a_route(
    server: ExecutionServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, token = "workers/w1/reports", server.sign(WORKER, "w1")
    assert server.client.request("GET", f"{EXECUTION_PREFIX}/{path}", None, {}).status == 405
    slash = server.post(f"workers/{quote('w/1', safe='')}/reports", server.sign(WORKER, "w/1", "w/1"), {"reports": []})
    assert (slash.status, slash.json()) == (200, {"answers": []})
    statuses_of_faults = {
        server.post(path, token, {"reports": []}).status,
        server.post(path, None, {"reports": []}).status,
        server.post(path, token, b"{").status,
        server.post(path, token, {"reports": []}, version="1").status,
    }
    assert statuses_of_faults == {200, 401, 400}

    def fail(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(execution_routes, "answer_reports", fail)
    crash = server.post(path, token, {"reports": []})
    assert (crash.status, crash.json()["detail"]) == (
        500,
        "an internal error; the log of the api-server has the details",
    )


def test_a_worker_of_the_release_before_claims_and_reports(server: ExecutionServer) -> None:
    [before] = [version for version in KNOWN_VERSIONS if version != EXECUTION_VERSION]
    body = {"worker_id": "w1", "secret": secret_of("w1"), "host": "host-1", "slots": 4}
    assert server.post("attempts/a0/claim", server.sign(CLAIM, "a0"), body, before).status == 200
    assert server.post("attempts/a0/entered", server.sign(ATTEMPT, "a0"), {"at": NOW}, before).status == 204
    assert server.post("attempts/a0/result", server.sign(ATTEMPT, "a0"), server.result(), before).status == 204
    assert [kind for kind, _body in server.mail()] == ["attempt_entered", "result"]


def test_logins_of_people_do_not_count(server: ExecutionServer) -> None:
    with server.world.db.write() as tx:
        account_changes.create_account(tx, Author("cli:root", NOW), "admin", Role.ADMIN, None)
        account = account_changes.get_account(tx, "admin")
        user_token = server.context.authenticator.signer.sign(account, NOW, 3600)
        session = begin_session(tx, account, "127.0.0.1", NOW, server.context.authenticator.rules)
    for kind, subject, verb in ROUTES:
        body = fitting_body(server, kind, verb)
        assert server.post(f"{kind}/{subject}/{verb}", user_token, body).status == 401
        assert server.post(f"{kind}/{subject}/{verb}", None, body, Cookie=f"{COOKIE}={session}").status == 401
    for token in (
        server.sign(WORKER, "w1"),
        server.sign(ATTEMPT, "a0"),
        server.sign(CLAIM, "a0"),
        server.sign(ATTEMPT, "admin", "admin"),
    ):
        assert server.client.request("GET", "/api/v2/dags", None, {"Authorization": f"Bearer {token}"}).status == 401


def test_a_worker_that_speaks_another_version_is_told_what_to_install(server: ExecutionServer) -> None:
    for kind, subject, verb in ROUTES:
        token, body = server.sign(right_use(kind, verb), subject), fitting_body(server, kind, verb)
        for version in (None, "2020-01-01", "x" * 1000):
            reply = server.post(f"{kind}/{subject}/{verb}", token, body, version)
            assert reply.status == 400
            assert "install the release of the api-server on the worker" in reply.json()["detail"]
    assert server.client.request("GET", f"{EXECUTION_PREFIX}/version").json() == {"value": EXECUTION_VERSION}


BAD_BODIES = (
    b"",
    b"{",
    b"null",
    b"[]",
    b"{}",
    b"\xff\xfe",
    b"\x00",
    b'"text"',
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"1e999",
    b'{"request": {"type": "DropTables"}}',
    b'{"request": {"type": "GetVariable", "key": ' + b"[" * 100_000,
    b'{"at": 1e400}',
    b'{"at": -1}',
    b'{"at": 99999999999999999999999999}',
    b'{"at": "now"}',
    b'{"worker_id": 1}',
)


def test_a_body_that_cannot_be_read_is_refused(server: ExecutionServer) -> None:
    server.claim()
    for kind, subject, verb in ROUTES:
        if verb in ("beat", "retire"):
            continue
        for body in BAD_BODIES:
            reply = server.post(f"{kind}/{subject}/{verb}", server.sign(right_use(kind, verb), subject), body)
            assert reply.status == 400, (verb, body[:60], reply)
            assert len(reply.body) < 1000
    assert server.mail() == []


@pytest.mark.parametrize(
    "fields",
    [
        {"worker_id": ""},
        {"worker_id": "w\x00"},
        {"worker_id": "../w"},
        {"worker_id": "w" * 65},
        {"worker_id": "w1\n"},
        {"host": "h\x00"},
        {"host": "h" * 256},
        {"slots": -1},
        {"slots": 2**40},
        {"slots": 10**30},
        {"secret": ""},
        {"secret": "short"},
        {"secret": "x" * 1000},
    ],
)
def test_a_hostile_claim_is_refused(server: ExecutionServer, fields: dict[str, object]) -> None:
    assert server.claim(**fields).status == 400  # type: ignore[arg-type]
    assert server.workers() == []


def test_hostile_ids_are_refused(server: ExecutionServer) -> None:
    server.claim()
    for hostile in (
        "..",
        "%2e%2e",
        "a0%2F..%2Fa1",
        "a0%00",
        "%00",
        "a0%0a",
        "A0",
        "a0%20",
        "%C3%A4",
        "a" * 5000,
        "a0'--",
        "%25",
        "~",
        "*",
    ):
        for verb in OF_ATTEMPTS:
            reply = server.post(
                f"attempts/{hostile}/{verb}",
                server.sign(right_use("attempts", verb), "a0"),
                fitting_body(server, "attempts", verb),
            )
            assert reply.status in (400, 401, 404), (hostile, verb, reply)
    # With the right signature even such an id only finds nothing.
    for odd in ("a/b", "ä", "a b", "'; DROP TABLE remote_attempt"):
        body = {"worker_id": "w1", "secret": secret_of("w1"), "host": "h", "slots": 1}
        assert server.post(f"attempts/{quote(odd, safe='')}/claim", server.sign(CLAIM, odd), body).status == 409
    assert server.mail() == []


def test_nul_in_a_question_is_no_error_of_the_server(server: ExecutionServer) -> None:
    token = server.claim().json()["attempt_token"]
    for question in (
        {"type": "GetVariable", "key": "a\x00"},
        {"type": "SetVariable", "key": "a\x00", "value": "\x00", "description": None},
    ):
        assert server.post("attempts/a0/ask", token, {"request": question}).status in (200, 400, 422), question


def test_a_result_must_be_that_of_the_attempt(server: ExecutionServer) -> None:
    token = server.claim().json()["attempt_token"]
    server.claim("a1", "w2")
    for wrong in (
        server.result("a1"),
        server.result(group_no=4),
        server.result(run_pk=99),
        server.result(task_no=1),
        server.result(map_index=0),
        server.result(group_no=10**30),
        server.result(attempt_id=""),
    ):
        assert server.post("attempts/a0/result", token, wrong).status == 400
    assert server.mail() == []
    assert server.post("attempts/a0/result", token, server.result()).status == 204


def test_an_xcom_of_the_largest_size_passes(server: ExecutionServer) -> None:
    token = server.claim().json()["attempt_token"]
    value = json.dumps("x" * (XCOM_MAX_BYTES - 2))
    reply = server.post("attempts/a0/result", token, server.result(xcoms=(XComItem(key="return_value", value=value),)))
    assert reply.status == 204
    [(_, body)] = server.mail()
    assert body["result"]["xcoms"][0]["value"] == value


def test_a_body_that_is_too_large_is_not_read(server: ExecutionServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution_routes, "_BODY_MAX", 1000)
    token = server.claim().json()["attempt_token"]
    reply = server.post("attempts/a0/result", token, b" " * 1001)
    assert (reply.status, reply.json()["detail"]) == (413, "the body has more than 1000 bytes")
    assert server.post("attempts/a0/result", "no token", b" " * 100_000).status == 401


def test_a_worker_that_lost_its_claim_does_nothing_more(server: ExecutionServer) -> None:
    token = server.claim().json()["attempt_token"]
    with server.world.db.write() as tx:  # the owner gave the attempt up, and has its result
        remote_attempts.remove_attempts(tx, ["a0"])
    assert server.post("attempts/a0/entered", token, {"at": NOW}).status == 204
    assert (
        server.post(
            "attempts/a0/ask",
            token,
            {"request": {"type": "SetVariable", "key": "color", "value": "blue", "description": None}},
        ).status
        == 409
    )
    assert server.post("attempts/a0/result", token, server.result()).status == 409
    assert server.mail() == []
    with server.world.db.read() as tx:
        assert variables.get_variable(tx, "color") == "red"


def test_a_claim_that_is_refused_does_not_register_the_worker(server: ExecutionServer) -> None:
    """It would get no token for heartbeats, and would soon be declared lost."""
    assert server.claim("unknown").status == 409
    assert server.claim("a0", "w2").status == 200
    assert server.claim("a0", "w1").status == 409
    assert server.workers() == ["w2"]


def test_a_lost_worker_claims_nothing(server: ExecutionServer) -> None:
    server.claim("a0")
    with server.world.db.write() as tx:
        leases.retire_worker(tx, "w1")
    assert server.claim("a1").status == 410
    assert server.claim("a1", "w2").status == 200


def test_a_claim_in_the_name_of_another_worker_gives_nothing(server: ExecutionServer) -> None:
    """The ids of workers are no secret, and whoever reads the broker has tokens for claims. The token of a worker brings those of its attempts."""
    assert server.claim("a0", "w1").status == 200
    reply = server.claim("a1", "w1", secret="x" * 32)
    assert (reply.status, "token" in reply.json()) == (409, False)
    assert server.claim("a0", "w1", secret="x" * 32).status == 409
    with server.world.db.write() as tx:  # a worker with a database
        leases.register_worker(tx, WorkerRecord("local", "host-1", "/run/worker-local.sock", 4, 0, False))
    assert server.claim("a1", "local").status == 409
    assert list(server.post("workers/w1/beat", server.sign(WORKER, "w1"), HELD).json()["attempt_tokens"]) == ["a0"]
    assert server.claim("a1", "w1").status == 200


def test_the_answers_of_an_attempt_are_those_of_its_own_task_instance(server: ExecutionServer) -> None:
    """What an attempt keeps for itself is found by its token, not by what it says of itself."""
    first, second = (server.claim(one, "w1").json()["attempt_token"] for one in ("a0", "a1"))
    keep = {"request": {"type": "SetTaskState", "key": "k", "value": '"mine"', "retention": None}}
    assert server.post("attempts/a0/ask", first, keep).status == 200
    read = {"request": {"type": "GetTaskState", "key": "k"}}
    assert server.post("attempts/a0/ask", first, read).json() == {"value": '"mine"'}
    assert server.post("attempts/a1/ask", second, read).json() == {"value": None}
    assert server.post("attempts/a0/ask", second, read).status == 401


def test_a_worker_that_was_lost_or_has_ended_reads_nothing_with_its_token(server: ExecutionServer) -> None:
    token, other = server.claim("a0").json()["worker_token"], server.claim("a1", "w2").json()["worker_token"]
    assert server.post("workers/w1/retire", token).status == 204
    assert server.post("workers/w1/ask", token, GET_VARIABLE).status == 410
    assert server.post("workers/w2/ask", other, GET_VARIABLE).json() == {"value": "red"}
    assert server.post("workers/w9/ask", server.sign(WORKER, "w9", "w9"), GET_VARIABLE).status == 410


@pytest.mark.parametrize("door", ["workers/w1/ask", "attempts/a0/ask"])
@pytest.mark.parametrize("ttl_s", [60.0, 1e9, 1e308])
def test_no_worker_writes_what_the_api_server_keeps_of_secrets(
    server: ExecutionServer, door: str, ttl_s: float
) -> None:
    claimed = server.claim().json()
    token = claimed["worker_token" if "workers" in door else "attempt_token"]
    name = {"kind": "connection", "name": "db"}
    assert server.post(
        door, token, {"request": {"type": "SetCachedSecret", **name, "text": "http://evil", "ttl_s": ttl_s}}
    ).json() == {"value": None}
    assert server.post(door, token, {"request": {"type": "GetCachedSecret", **name}}).json() == {"value": None}
    assert secret_cache.answer_secret_cache(GetCachedSecret(**name)) is None


def test_a_dag_file_may_not_ask_what_is_for_tasks(server: ExecutionServer) -> None:
    token = server.claim().json()["worker_token"]
    reply = server.post(
        "workers/w1/ask", token, {"request": {"type": "GetXComCount", "dag_id": "d", "run_id": "r", "task_id": "a"}}
    )
    assert reply.status == 422
    assert "is for tasks only" in reply.json()["detail"]


def test_a_dag_file_that_a_worker_imports_writes_variables(server: ExecutionServer) -> None:
    token = server.claim().json()["worker_token"]
    written = server.post(
        "workers/w1/ask",
        token,
        {"request": {"type": "SetVariable", "key": "color", "value": "blue", "description": None}},
    )
    assert written.status == 200
    assert server.post("workers/w1/ask", token, GET_VARIABLE).json() == {"value": "blue"}


def test_heartbeats_bring_the_cancellations_of_the_worker(server: ExecutionServer) -> None:
    token = server.claim("a0").json()["worker_token"]
    server.claim("a1", "w2")
    with server.world.db.write() as tx:
        remote_attempts.cancel_attempt(tx, "a0", "marked failed by ann", 2.5)
        remote_attempts.cancel_attempt(tx, "a1", "not for w1", 2.5)
    assert server.post("workers/w1/beat", token, HELD).json()["cancellations"] == [["a0", "marked failed by ann", 2.5]]


def test_heartbeats_bring_the_figures_of_the_worker_and_the_clock_of_the_database(server: ExecutionServer) -> None:
    server.claim()
    token = server.sign(WORKER, "w1")
    figures = [
        ["gnomon_build_info", ["9.9"], 1.0],
        ["gnomon_worker_attempts", [], 2.0],
        ["unknown", [], 1.0],
        ["gnomon_worker_attempts", ["too", "many"], 1.0],
    ]
    answer = server.post("workers/w1/beat", token, {"held": ["a0"], "figures": figures})
    assert answer.status == 200 and answer.json()["now"] > 0
    with server.context.database.read() as tx:
        [row] = [one for one in list_services(tx, 5.0) if one.service == "worker"]
        assert (row.id, row.host, row.version, row.slots) == ("w1", "host-1", "9.9", 4)
    for wrong in ([["x" * 101, [], 1.0]], [["x", [], 1.0]] * 201, [["x", [], "1"]], "figures"):
        assert server.post("workers/w1/beat", token, {"held": [], "figures": wrong}).status == 400
    assert server.post("workers/w1/retire", token).status == 204
    with server.context.database.read() as tx:
        assert [one.process_id for one in service_figures.list_figures(tx)] == []


def test_lines_of_a_running_attempt_are_read_before_its_end(server: ExecutionServer) -> None:
    token = server.claim("a2").json()["attempt_token"]
    logs = server.context.task_logs
    assert not logs.look_up().has(LOG)
    send = lambda offset, piece: server.post("attempts/a2/log", token, {"offset": offset, "piece": piece}).json()[
        "value"
    ]
    assert [send(0, b"line 1\n"), send(0, b"line 1\n"), send(3, b"e 1\nline 2\n"), send(99, b"a gap")] == [7, 7, 14, 14]
    assert logs.look_up().has(LOG) and logs.fetch(LOG).path.read_bytes() == b"line 1\nline 2\n"
    full = send(14, b"x" * 100_000)
    while full >= 0:
        full = send(full, b"x" * 100_000)
    assert logs.fetch(LOG).path.read_bytes().endswith(live_copies.ENDS_HERE.encode())
    assert logs.fetch(LOG).stat().st_size == live_copies.LIVE_MAX_BYTES + len(live_copies.ENDS_HERE)
    assert send(live_copies.LIVE_MAX_BYTES, b"more") == live_copies.HERE
    # The worker shares the folder of logs: no copy is needed, and the log itself is read.
    (logs.folder / LOG).parent.mkdir(parents=True)
    (logs.folder / LOG).write_bytes(b"the log")
    assert send(0, b"line 1\n") == live_copies.HERE
    assert logs.fetch(LOG).path.read_bytes() == b"the log"
    for wrong in ({"offset": -1, "piece": b""}, {"offset": 0, "piece": b"x" * 131_073}, {"offset": 0}):
        assert server.post("attempts/a2/log", token, wrong).status == 400
    assert server.post("attempts/a0/log", server.sign(ATTEMPT, "a0"), LOG_PIECE).status == 409, "it is not claimed"


def test_tokens_end_and_heartbeats_renew_them(server: ExecutionServer) -> None:
    claimed = server.claim().json()
    server.clock.advance(report_batch.TOKEN_LIFETIME_S - 1)
    beat = server.post("workers/w1/beat", claimed["worker_token"], HELD).json()
    server.clock.advance(60)
    assert server.post("attempts/a0/ask", claimed["attempt_token"], GET_VARIABLE).status == 401
    assert server.post("workers/w1/beat", claimed["worker_token"], HELD).status == 401
    assert server.post("attempts/a0/ask", beat["attempt_tokens"]["a0"], GET_VARIABLE).status == 200
    assert server.post("workers/w1/beat", beat["worker_token"], HELD).status == 200


def test_of_workers_that_claim_at_the_same_time_one_gets_the_attempt(server: ExecutionServer) -> None:
    statuses: list[int] = []
    ready = threading.Barrier(4)

    def try_to_claim(worker_id: str) -> None:
        ready.wait()
        statuses.append(server.claim("a0", worker_id).status)

    threads = [threading.Thread(target=try_to_claim, args=(f"w{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, 409, 409, 409]


def test_other_methods_and_paths_are_not_there(server: ExecutionServer) -> None:
    for kind, subject, verb in ROUTES:
        for method in ("GET", "PUT", "DELETE", "PATCH"):
            assert server.client.request(method, f"{EXECUTION_PREFIX}/{kind}/{subject}/{verb}").status in (404, 405)
    assert server.post("attempts", server.sign(WORKER, "w1")).status in (404, 405)
    assert server.post("attempts/a0/body", server.sign(ATTEMPT, "a0")).status in (404, 405)


def test_a_claim_whose_answer_was_lost_is_undone_by_a_later_heartbeat(server: ExecutionServer) -> None:
    claimed = server.claim("a0", "w1").json()
    server.claim("a1", "w1")
    assert server.post("attempts/a1/entered", server.sign(ATTEMPT, "a1"), {"at": NOW}).status in (204, 401)
    token = claimed["worker_token"]
    assert list(server.post("workers/w1/beat", token, {"held": []}).json()["attempt_tokens"]) == ["a0", "a1"], (
        "an answer may be on its way"
    )
    server.clock.advance(execution.UNHELD_S + 1)
    assert list(server.post("workers/w1/beat", token, {"held": ["a1"]}).json()["attempt_tokens"]) == ["a1"]
    assert server.claim("a0", "w2").status == 200
