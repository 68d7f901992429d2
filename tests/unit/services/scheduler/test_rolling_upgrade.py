"""A scheduler whose database gets a newer schema while it runs: it ends with a sentence, and gives its groups up at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.storeworld import raw
from tests.databases import BOTH, new_database

from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.ids import GROUPS
from gnomon.model.instants import SECOND
from gnomon.services.scheduler.lease import SCHEMA_CHECK_S
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.scheduler.settings import build_scheduler_settings
from gnomon.storage.store import Database, SchemaTooNew, SchemaTooOld, open_database
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.schema_revision import HEAD
from gnomon.testing import Play, ScriptedExecutor, ScriptedWorker

START = 1_767_225_600 * SECOND


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(START)


@pytest.fixture(params=BOTH)
def db(request: pytest.FixtureRequest, tmp_path: Path, clock: VirtualClock) -> Iterator[Database]:
    with new_database(request.param, tmp_path) as url:
        database = open_database(url, clock=clock, lease_clock=clock.now)
        yield database
        database.close()


@pytest.fixture
def service(db: Database, clock: VirtualClock, tmp_path: Path) -> SchedulerService:
    worker = ScriptedWorker("worker-1", clock, lambda attempt: Play(run_s=1))
    ids = (f"00000000-0000-0000-0000-{number:012d}" for number in itertools.count())
    return SchedulerService(
        settings=build_scheduler_settings(load_config({}, tmp_path)),
        db=db,
        executor=ScriptedExecutor(lambda: [worker]),
        clock=clock,
        listener=None,
        new_id=lambda: next(ids),
        scheduler_id="one",
        host="here",
    )


def forge_revision(db: Database, revision: str) -> None:
    with db.write() as tx:
        assert raw(tx, f"UPDATE alembic_version SET version_num = '{revision}' RETURNING version_num") == [(revision,)]


@pytest.mark.parametrize(
    ("revision", "expected", "sentence"),
    [
        ("9999", SchemaTooNew, f"has schema 9999, which this Gnomon \\(schema {HEAD}\\) does not know"),
        ("0034", SchemaTooOld, "run `gnomon db migrate`"),
    ],
)
def test_a_running_scheduler_ends_when_the_schema_is_no_longer_its_own(
    db: Database,
    clock: VirtualClock,
    service: SchedulerService,
    revision: str,
    expected: type[Exception],
    sentence: str,
) -> None:
    service.tick()
    assert len(service.lease.epochs) == GROUPS
    rounds = itertools.count()

    def stop() -> bool:
        if next(rounds) == 0:
            forge_revision(db, revision)
        clock.advance(SCHEMA_CHECK_S)
        return next(rounds) > 20

    with pytest.raises(expected, match=sentence):
        service.run(stop)
    with db.read() as tx:
        assert leases.list_owned_groups(tx, "one") == {}
        assert [row.fenced for row in leases.list_schedulers(tx)] == [True]


def test_the_schema_is_not_read_with_every_heartbeat(
    db: Database, clock: VirtualClock, service: SchedulerService
) -> None:
    service.tick()
    forge_revision(db, "9999")
    clock.advance(SCHEMA_CHECK_S - 1)
    service.tick()
    clock.advance(1)
    with pytest.raises(SchemaTooNew):
        service.tick()
