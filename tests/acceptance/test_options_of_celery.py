"""Options of the CeleryExecutor: what the scheduler gives to the broker, and what `gnomon celery worker` takes from it and whom it asks.

The broker is kombu's in memory: the tests of whole deployments are in test_celery_executor.py.
"""

from __future__ import annotations

import json
import socket
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.effects import effect_of, options
from tests.conformance.storeworld import AT, World, raw, task
from tests.databases import create_schema
from tests.patience import PATIENCE_S

from gnomon.entry.app import services
from gnomon.entry.app.celery_settings import find_execution_api, read_celery_settings
from gnomon.entry.app.executor_wiring import create_executor
from gnomon.ground.clock import SystemClock, VirtualClock
from gnomon.ground.config import Config
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.errors.product import ConfigurationError
from gnomon.model.records import Changes
from gnomon.services.executors.celery_broker import create_celery_app
from gnomon.services.executors.combined import CombinedExecutor
from gnomon.services.executors.interface import Executor
from gnomon.services.executors.local import LocalExecutor
from gnomon.services.executors.remote import RemoteExecutor
from gnomon.services.worker.remote import service
from gnomon.services.worker.remote.celery_consumer import ConsumerSettings
from gnomon.services.worker.remote.execution_client import ApiAway, ExecutionClient
from gnomon.storage.store import Database, load_cipher, open_database


class OfferedAttempt:
    """A home with the CeleryExecutor, whose database has the attempt `a`."""

    def __init__(self, home: Path, **values: object) -> None:
        self.queue = f"q-{uuid.uuid4().hex}"
        self.cfg = options(home, **{"core__executor": "CeleryExecutor", "celery__broker_url": "memory://", **values})
        create_schema(self.cfg.database_url)
        self.clock = VirtualClock(AT)
        self.db: Database = open_database(
            self.cfg.database_url, synchronous="OFF", clock=self.clock, cipher=load_cipher(self.cfg)
        )
        world = World(self.db)
        world.dag()
        run = world.run()
        world.apply(Changes(tasks=[task(run, attempt="a", worker="CeleryExecutor")]))
        facts = RunFacts(run_pk=run.run_pk, dag_id="d", run_id="m", run_type="manual", run_after=AT)
        self.attempt = Attempt(
            attempt_id="a", group_no=1, epoch=1, run=facts, task_id="a", task_no=0, file="/d.py", queue=self.queue
        )
        self.executor: Executor = create_executor(self.cfg, "s", "h", self.db, self.clock)

    def submit(self) -> None:
        self.executor.submit("CeleryExecutor", [self.attempt])

    def receive(self) -> dict[str, Any]:
        """The next message of the broker."""
        app = create_celery_app(read_celery_settings(self.cfg))
        with app.connection_for_read() as connection:
            taken = connection.SimpleQueue(self.queue)
            message = taken.get(timeout=PATIENCE_S)
            message.ack()
            taken.close()
        return {"task": message.headers["task"], "args": message.payload[0]}

    def is_recorded(self) -> bool:
        """Whether the store knows of the message that the broker has accepted; a round of the scheduler writes it."""
        self.executor.refresh([])
        with self.db.read() as tx:
            return raw(tx, "SELECT published_at FROM remote_attempt") != [(None,)]

    def close(self) -> None:
        self.executor.close()
        self.db.close()


@pytest.fixture
def offered(tmp_path: Path) -> Iterator[Callable[..., OfferedAttempt]]:
    made: list[OfferedAttempt] = []

    def make(**values: object) -> OfferedAttempt:
        made.append(OfferedAttempt(tmp_path, **values))
        return made[-1]

    yield make
    for one in made:
        one.close()


@effect_of("core.executor")
def test_several_executors_are_one_to_the_scheduler(offered: Callable[..., OfferedAttempt]) -> None:
    world = offered(
        core__executor="LocalExecutor,big:airflow.providers.celery.executors.celery_executor.CeleryExecutor"
    )
    assert isinstance(world.executor, CombinedExecutor)
    world.submit()
    assert world.receive()["args"][0] == "a"


@effect_of("core.executor", "celery.broker_url")
def test_the_celery_executor_gives_names_of_attempts_to_the_broker(
    offered: Callable[..., OfferedAttempt], tmp_path: Path
) -> None:
    world = offered()
    assert isinstance(world.executor, RemoteExecutor)
    world.submit()
    message = world.receive()
    assert (message["task"], message["args"][0], len(message["args"])) == ("gnomon.run_attempt", "a", 2)
    assert "/d.py" not in json.dumps(message)
    local = options(tmp_path / "local")
    assert isinstance(create_executor(local, "s", "h", world.db, world.clock), LocalExecutor)


@effect_of("scheduler.task_queued_timeout")
def test_an_attempt_that_no_worker_claims_gets_another_message_after_the_timeout(
    offered: Callable[..., OfferedAttempt],
) -> None:
    world = offered(scheduler__task_queued_timeout=30)
    world.submit()
    first = world.receive()
    _until(world.is_recorded)
    world.clock.advance(29.0)
    world.executor.refresh([])
    world.clock.advance(2.0)
    world.executor.refresh([])
    second = world.receive()
    assert second["args"][0] == "a"
    assert second["args"][1] != first["args"][1]  # a token that is valid from now on


@effect_of("celery.worker_concurrency", "celery.worker_prefetch_multiplier", "core.execution_api_server_url")
def test_a_worker_consumes_as_its_options_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[ConsumerSettings, str]] = []
    monkeypatch.setattr(service, "main", lambda cfg, broker, consumer, api_url: told.append((consumer, api_url)) or 0)
    monkeypatch.setattr(services, "name_service", lambda *_: None)
    monkeypatch.setattr(services, "configure_log", lambda *_: None)

    def start(**values: object) -> tuple[ConsumerSettings, str]:
        services.serve_celery_worker(options(tmp_path, **values))
        return told[-1]

    consumer, api_url = start()
    assert (consumer.concurrency, consumer.prefetch, consumer.queues, api_url) == (
        16,
        1,
        ("default",),
        "http://127.0.0.1:8080/execution",
    )
    consumer, api_url = start(
        celery__worker_concurrency=3,
        celery__worker_prefetch_multiplier=5,
        operators__default_queue="mine",
        core__execution_api_server_url="https://gnomon.example.com/execution/",
    )
    assert (consumer.concurrency, consumer.prefetch, consumer.queues, api_url) == (
        3,
        5,
        ("mine",),
        "https://gnomon.example.com/execution",
    )
    services.serve_celery_worker(options(tmp_path, celery__worker_concurrency=3), ("q",), 7, "me@%h")
    assert (told[-1][0].concurrency, told[-1][0].queues, told[-1][0].hostname) == (7, ("q",), "me@%h")


@effect_of("core.execution_api_server_url")
def test_a_worker_asks_the_api_server_at_the_address(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        cfg = options(
            tmp_path,
            core__execution_api_server_url=f"http://127.0.0.1:{listener.getsockname()[1]}/behind/proxy/execution",
        )
        seen: list[bytes] = []

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                seen.append(connection.recv(65536))

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(ApiAway, match=r"the api-server at 127\.0\.0\.1:[0-9]+ does not answer"):
            ExecutionClient(find_execution_api(cfg), SystemClock()).claim("a", "token", "w1", "h", 1)
        thread.join(PATIENCE_S)
    assert seen[0].startswith(b"POST /behind/proxy/execution/attempts/a/claim HTTP/1.1")


@pytest.mark.parametrize(
    "wrong", ["gnomon.example.com:8080", "ftp://gnomon.example.com/execution", "http:///execution"]
)
def test_an_address_of_another_form_is_refused(tmp_path: Path, wrong: str) -> None:
    cfg: Config = options(tmp_path, core__execution_api_server_url=wrong)
    with pytest.raises(ConfigurationError, match=r"\[core\] execution_api_server_url is no address of http or https"):
        ExecutionClient(find_execution_api(cfg), SystemClock())


def _until(holds: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(int(PATIENCE_S / 0.02)):
        if holds():
            return
        waiting.wait(0.02)
    raise AssertionError("never")
