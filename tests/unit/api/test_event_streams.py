"""Streams of changes over HTTP, on both databases."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from tests.patience import PATIENCE_S
from tests.unit.api.refusal_bodies import build_hidden_dag
from tests.unit.api.served import Client, served
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.api.policies import AccessRefused, ApiResource, Credential, Permission, User
from gnomon.api.streams import change_watcher, event_hub, stream_connection
from gnomon.model.accounts import Grant, GrantKind, Identity, Role
from gnomon.model.sentences import quote
from gnomon.queries.report.activity.change_feed import find_present_place
from gnomon.storage.store import change_journal
from gnomon.storage.store.admin import pools
from gnomon.storage.store.dag_records import dags


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database of the test wakes nobody: look often. Heartbeats and checks of logins come each second."""
    monkeypatch.setattr(change_watcher, "SWEEP_S", 0.02)
    monkeypatch.setattr(event_hub, "HEARTBEAT_S", 1)


class Guest(OpenAccess):
    """The user of every request sees the DAGs with the tag shown, until the test changes it."""

    identity: Identity | None = Identity("guest", Role.NONE, grants=(Grant(GrantKind.TAG, "shown", Role.VIEWER),))

    def authorize(self, request: object, permission: Permission, resource: ApiResource, dag_id: str | None) -> User:
        if self.identity is None:
            raise AccessRefused(401, quote("no"))
        return User(self.identity)

    def find_credential(self, request: object) -> Credential:
        return Credential(("guest", None), lambda: self.identity)


@pytest.fixture
def guest(deployment: Deployment) -> Iterator[tuple[Client, Guest]]:
    policy = Guest()
    home = deployment.home
    with served(
        ApiContext(home.cfg, home.clock, policy, lambda: HealthSnapshot(NOW, ()), database=deployment.db)
    ) as client:
        yield client, policy


def pause(deployment: Deployment, dag_id: str, paused: bool = True) -> None:
    with deployment.db.write() as tx:
        assert dags.set_paused(tx, dag_id, paused, "me", deployment.clock.now())


def test_a_stream_tells_a_run_from_its_creation_to_its_end(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", {"first": (), "last": ("first",)}), spec_of("b"))
    deployment.start()
    with api.stream("?dag_id=a&kind=dag_run&kind=task_instance") as stream:
        assert (stream.answer.getheader("Content-Type"), stream.answer.getheader("Cache-Control")) == (
            "text/event-stream",
            "no-store",
        )
        assert stream.next()[0] == "ready"
        for dag_id in ("b", "a"):
            api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None, "dag_run_id": "r"})
        deployment.move(10)
        seen = []
        while not seen or seen[-1][:2] != ("dag_run", "success"):
            kind, _, data = stream.next()
            assert (data["dag_id"], data["run_id"]) == ("a", "r")
            seen.append((kind, data["state"], data.get("task_id")))
    assert [state for kind, state, _ in seen if kind == "dag_run"] == ["queued", "running", "success"]
    for task_id in ("first", "last"):
        states = [state for _, state, told in seen if told == task_id]
        assert (states[0], states[-1]) == ("queued", "success")
    assert seen.index(("task_instance", "success", "first")) < seen.index(("task_instance", "queued", "last"))


def test_a_client_continues_where_it_was(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a"), spec_of("b"))
    with api.stream("?dag_id=a") as stream:
        _, ready, _ = stream.next()
        pause(deployment, "a")
        _, last, data = stream.next()
        assert data["change"] == "paused"
    pause(deployment, "a", False)
    pause(deployment, "b")
    pause(deployment, "a")
    for place, expected in ((last, ["unpaused", "paused"]), (ready, ["paused", "unpaused", "paused"])):
        with api.stream("?dag_id=a", last=place) as stream:
            assert stream.next()[:2] == ("ready", place)
            assert [stream.next()[2]["change"] for _ in expected] == expected
            pause(deployment, "b", place != last)
    with api.stream("?dag_id=b", last=ready) as stream:
        assert [stream.next()[0] for _ in range(4)] == ["ready", "dag", "dag", "dag"]


def test_a_stream_begins_after_the_place_in_the_document_of_the_page(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    pause(deployment, "a")
    with deployment.db.read() as tx:
        place = find_present_place(tx)
    pause(deployment, "a", False)
    with api.stream(f"?dag_id=a&after={place}") as stream:
        assert stream.next()[:2] == ("ready", place)
        _, unpaused, data = stream.next()
        assert data["change"] == "unpaused"
    pause(deployment, "a")
    with api.stream(f"?dag_id=a&after={place}", last=unpaused) as stream:  # a browser that connects again
        assert [stream.next()[2].get("change") for _ in range(2)] == [None, "paused"]


@pytest.mark.parametrize("last", ["0.0", "999999999.0", "yesterday", "1.1.1", "-1.0", "9" * 60 + ".0"])
def test_a_client_that_is_too_late_or_lost_is_told_to_read_anew(
    api: Client, deployment: Deployment, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_watcher, "ROWS_BACK", 1)
    deployment.add(spec_of("a"))
    pause(deployment, "a")
    pause(deployment, "a", False)
    with api.stream(last=last) as stream:
        kind, _, data = stream.next()
        assert (kind, data["reason"]) == ("reset", "the changes since the last event are not kept any more")
        pause(deployment, "a")
        assert stream.next()[2]["change"] == "paused"


def test_only_events_of_visible_dags_are_told(guest: tuple[Client, Guest], deployment: Deployment) -> None:
    client, _ = guest
    deployment.add(spec_of("open", tags=("shown",)), spec_of("hidden"))
    assert (
        client.own("/events?dag_id=hidden", 404)
        == client.own("/events?dag_id=hidden", 404)
        == build_hidden_dag("hidden")
    )
    with client.stream(last="0.0") as stream:
        with deployment.db.write() as tx:
            pools.set_pool(tx, "hidden_pool", 1)
        pause(deployment, "hidden")
        pause(deployment, "open")
        seen = [stream.next() for _ in range(3)]
    assert [(kind, data.get("dag_id")) for kind, _, data in seen] == [("ready", None), ("dag", "open"), ("dag", "open")]


def test_a_stream_ends_with_its_login_and_follows_its_roles(
    guest: tuple[Client, Guest], deployment: Deployment
) -> None:
    client, policy = guest
    deployment.add(spec_of("open", tags=("shown",)), spec_of("hidden"))
    with client.stream() as stream:
        stream.next()
        policy.identity = Identity("guest", Role.VIEWER)
        kind, _, data = stream.next()
        assert (kind, data["reason"]) == ("reset", "the roles of the account have changed")
        pause(deployment, "hidden")
        assert stream.next()[2]["dag_id"] == "hidden"
        policy.identity = None
        with pytest.raises(EOFError):
            stream.next()


def test_a_client_that_does_not_read_is_cut_off_and_may_continue(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_connection, "BUFFER_BYTES_MAX", 200_000)
    home = deployment.home
    context = ApiContext(home.cfg, home.clock, OpenAccess(), lambda: HealthSnapshot(NOW, ()), database=deployment.db)
    with served(context) as api:
        _overrun_slow_client(api, deployment, context.event_hub)


def _overrun_slow_client(api: Client, deployment: Deployment, hub: event_hub.EventHub) -> None:
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.settimeout(PATIENCE_S)
    slow.connect(("127.0.0.1", api.port))
    slow.sendall(b"GET /api/gnomon/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    begun = b""
    while b"ready" not in begun:
        begun += slow.recv(100)
    last = begun.partition(b"id: ")[2].partition(b"\n")[0].decode()
    for number in range(1000):
        with deployment.db.write() as tx:
            for other in range(20):
                pools.set_pool(tx, f"{number} {other} {'x' * 5000}", 1)
        if hub.stream_count == 0:
            break
    assert hub.stream_count == 0
    with pytest.raises((ConnectionError, EOFError)):
        _read_to_end(slow)
    slow.close()
    with api.stream(last=last) as again:
        assert again.next()[:2] == ("ready", last)
        assert again.next()[2]["pool"].startswith("0 0 x")


def _read_to_end(slow: socket.socket) -> None:
    while slow.recv(65536):
        pass
    raise EOFError


def test_streams_end_when_the_server_stops_and_leave_nothing_behind(deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    home = deployment.home
    context = ApiContext(home.cfg, home.clock, OpenAccess(), lambda: HealthSnapshot(NOW, ()), database=deployment.db)
    with served(context) as client:
        readers = [client.stream() for _ in range(3)]
        streams = [reader.__enter__() for reader in readers]
        for stream in streams:
            assert stream.next()[0] == "ready"
    for stream in streams:
        with pytest.raises(EOFError):
            stream.next()
    context.event_hub.join(PATIENCE_S)
    assert context.event_hub.stream_count == 0


def test_no_more_streams_than_the_limit_are_open_and_one_that_ends_makes_room(
    api: Client, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_hub, "STREAMS_MAX", 1)
    with api.stream() as stream:
        assert stream.next()[0] == "ready"
        reply = api.request("GET", "/api/gnomon/v1/events")
        assert (reply.status, reply.headers["Retry-After".lower()]) == (503, "5")
    assert any(api.request("GET", "/api/gnomon/v1/events").status == 200 for _ in range(1000))


def test_a_row_that_cannot_be_read_resets_the_streams_and_does_not_stop_them(
    api: Client, deployment: Deployment
) -> None:
    deployment.add(spec_of("a"))
    with api.stream() as stream:
        assert stream.next()[0] == "ready"
        with deployment.db.write() as tx:
            tx.run("change_journal.add", at=NOW, body='[["nonsense"]]')
        kind, _, data = stream.next()
        assert (kind, data["reason"]) == ("reset", "changes were lost before they were read")
        pause(deployment, "a")
        assert stream.next()[2]["change"] == "paused"


def test_a_stream_that_falls_behind_the_journal_is_reset(
    api: Client, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_watcher, "SWEEP_S", 0.5)
    monkeypatch.setattr(change_journal, "ROWS_KEPT", 2)
    monkeypatch.setattr(change_journal, "TRIMMED_EVERY", 1)
    deployment.add(spec_of("a"))
    with api.stream() as stream:
        assert stream.next()[0] == "ready"
        kinds: list[str] = []
        while "reset" not in kinds:
            for paused in (True, False) * 5:
                pause(deployment, "a", paused)
            kinds.append(stream.next()[0])
        pause(deployment, "a")
        while stream.next()[2].get("change") != "paused":
            pass


def test_a_client_of_http_1_0_gets_the_text_without_chunks(api: Client, deployment: Deployment) -> None:
    with socket.create_connection(("127.0.0.1", api.port), PATIENCE_S) as connection:
        connection.sendall(b"GET /api/gnomon/v1/events HTTP/1.0\r\n\r\n")
        received = b""
        while b"data: {}\n\n" not in received:
            received += connection.recv(4096)
        head, _, body = received.partition(b"\r\n\r\n")
    assert b"chunked" not in head.lower()
    assert body.startswith(b"retry: 2000\n\nid: ")


def test_an_open_stream_sends_heartbeats_again_and_again(api: Client, deployment: Deployment) -> None:
    with api.stream() as stream:
        stream.next()
        assert [stream.answer.readline() for _ in range(4)] == [
            b"event: heartbeat\n",
            b"data: {}\n",
            b"\n",
            b"event: heartbeat\n",
        ]


@pytest.mark.parametrize(
    ("query", "status"), [("?kind=nonsense", 422), ("?dag_id=absent", 404), ("?" + "&".join(["dag_id=a"] * 101), 422)]
)
def test_a_bad_question_is_refused(api: Client, deployment: Deployment, query: str, status: int) -> None:
    assert "detail" in api.own(f"/events{query}", status)
