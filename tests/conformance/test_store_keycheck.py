"""The key check: the first key that a host starts with is the database's, and every other host is told at its start."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from threading import Barrier
from typing import Protocol
from urllib.parse import quote

import pytest
from tests.conformance.storeworld import raw
from tests.patience import PATIENCE_S

from gnomon.model.instants import SECOND
from gnomon.model.records import WorkerRecord
from gnomon.storage.store import (
    Cipher,
    Database,
    DatabaseReadOnly,
    InvalidKey,
    ResourceInUse,
    Transaction,
    WrongKey,
    key_check,
    open_database,
)
from gnomon.storage.store.admin import variables
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.trigger_queue import triggerer_leases

OLD, NEW = (base64.urlsafe_b64encode(letter * 32).decode() for letter in (b"o", b"n"))
VALUE = "SELECT sealed FROM key_check"


class Hosts(Protocol):
    """Opens the database as a host with these keys does."""

    def __call__(self, *keys: str) -> Database: ...


@pytest.fixture
def host(url: str) -> Iterator[Hosts]:
    with ExitStack() as stack:
        yield lambda *keys: stack.enter_context(
            closing(open_database(url, cipher=Cipher(lambda: keys, f"the key {keys}")))
        )


def value(db: Database) -> list[str]:
    with db.read() as tx:
        return [sealed for (sealed,) in raw(tx, VALUE)]


def adopt(db: Database) -> None:
    with db.write() as tx:
        key_check.adopt_key(tx)


def test_the_first_hosts_key_counts_before_anything_else_is_sealed(host: Hosts) -> None:
    first, second = host(OLD), host(NEW)
    second.check_key()
    first.bind_key()
    for ask in (second.check_key, second.bind_key):
        with pytest.raises(
            WrongKey, match=r"the key .* does not open: every host needs the same key.*gnomon db adopt-key"
        ):
            ask()
    first.check_key()


def test_a_start_that_finds_its_key_writes_nothing(host: Hosts) -> None:
    host(OLD).bind_key()
    found = value(host(OLD))
    host(OLD).bind_key()
    host(NEW, OLD).check_key()
    assert value(host(OLD)) == found
    assert len(found) == 1
    assert "gnomon" not in found[0]


def test_hosts_that_found_no_value_and_come_one_after_the_other_do_not_overwrite_it(host: Hosts) -> None:
    first, second = host(OLD), host(NEW)
    for db in (first, second):
        with db.read() as tx:
            assert not key_check.verify_key(tx)
    with first.write() as tx:
        key_check.bind_key(tx)
    with pytest.raises(WrongKey), second.write() as tx:
        key_check.bind_key(tx)
    first.check_key()


def test_of_hosts_that_come_at_once_all_of_one_key_are_accepted(host: Hosts) -> None:
    hosts = [host(key) for key in (OLD, NEW, OLD, NEW)]
    together = Barrier(len(hosts), timeout=PATIENCE_S)

    def accepted(db: Database) -> bool:
        together.wait()
        try:
            db.bind_key()
        except WrongKey:
            return False
        return True

    with ThreadPoolExecutor(len(hosts)) as pool:
        found = list(pool.map(accepted, hosts))
    assert found in ([True, False, True, False], [False, True, False, True])
    assert len(value(hosts[0])) == 1


def test_a_new_key_in_front_of_the_old_one_takes_its_place(host: Hosts) -> None:
    host(OLD).bind_key()
    host(OLD, NEW).bind_key()
    host(OLD).check_key()
    host(NEW, OLD).bind_key()
    host(NEW).bind_key()
    with pytest.raises(WrongKey):
        host(OLD).bind_key()
    host(OLD, NEW).check_key()


def test_the_old_key_is_needed_while_it_has_sealed_something(host: Hosts) -> None:
    old = host(OLD)
    old.bind_key()
    with old.write() as tx:
        variables.set_variable(tx, "k", "v")
    host(NEW, OLD).bind_key()
    with pytest.raises(WrongKey, match="the old key behind the new one"):
        host(NEW).bind_key()
    with host(NEW, OLD).write() as tx:
        variables.set_variable(tx, "k", "v")
    host(NEW).bind_key()


def test_a_database_with_values_and_no_check_yet_takes_the_key_that_opens_them(host: Hosts) -> None:
    right, wrong = host(OLD), host(NEW)
    with right.write() as tx:
        variables.set_variable(tx, "k", "v")
    with pytest.raises(WrongKey):
        wrong.bind_key()
    assert value(right) == []
    right.bind_key()
    assert len(value(right)) == 1


def test_a_value_that_came_between_look_and_write_is_seen(host: Hosts) -> None:
    right, wrong = host(OLD), host(NEW)
    with wrong.read() as tx:
        assert not key_check.verify_key(tx)
    with right.write() as tx:
        variables.set_variable(tx, "k", "v")
    with pytest.raises(WrongKey), wrong.write() as tx:
        key_check.bind_key(tx)
    assert value(right) == []


def test_who_has_no_key_can_neither_check_nor_bind(url: str) -> None:
    with closing(open_database(url)) as db:
        for ask in (db.check_key, db.bind_key):
            with pytest.raises(InvalidKey, match="without the key"):
                ask()


def test_who_may_only_read_is_refused_where_a_value_must_be_written_and_there_alone(host: Hosts, url: str) -> None:
    if not url.startswith("postgresql"):
        pytest.skip("a SQLite file that cannot be written is not opened at all")
    only_reads = url + quote(" -cdefault_transaction_read_only=on", safe="")
    with closing(open_database(only_reads, cipher=Cipher(lambda: [OLD]))) as reader:
        reader.check_key()
        with pytest.raises(DatabaseReadOnly, match="check the user's rights"):
            reader.bind_key()
        host(OLD).bind_key()
        reader.bind_key()


def test_a_lost_key_that_has_sealed_nothing_is_replaced(host: Hosts) -> None:
    old, new = host(OLD), host(NEW)
    old.bind_key()
    adopt(new)
    new.bind_key()
    with pytest.raises(WrongKey):
        old.bind_key()


@dataclass(frozen=True)
class Service:
    """How a service comes and goes."""

    name: str
    come: Callable[[Transaction], object]
    go: Callable[[Transaction], object]


SERVICES = (
    Service(
        "scheduler",
        lambda tx: leases.register_scheduler(tx, "one", "elsewhere"),
        lambda tx: leases.retire_scheduler(tx, "one"),
    ),
    Service(
        "worker",
        lambda tx: leases.register_worker(tx, WorkerRecord("one", "elsewhere", "/socket", 4, tx.lease_now(), False)),
        lambda tx: leases.retire_worker(tx, "one"),
    ),
    Service(
        "triggerer",
        lambda tx: triggerer_leases.register_triggerer(tx, "one", "elsewhere", 10),
        lambda tx: triggerer_leases.retire_triggerer(tx, "one"),
    ),
    Service(
        "dag-processor",
        lambda tx: leases.beat_dag_processor(tx, "one", "elsewhere"),
        lambda tx: leases.retire_dag_processor(tx, "one"),
    ),
)


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_no_key_is_adopted_beside_a_service_that_may_hold_the_right_one(host: Hosts, service: Service) -> None:
    old = host(OLD)
    old.bind_key()
    with old.write() as tx:
        service.come(tx)
    with pytest.raises(ResourceInUse, match=f"{service.name} on elsewhere.*copy fernet.key from there"):
        adopt(host(NEW))
    old.check_key()
    with old.write() as tx:
        service.go(tx)
    adopt(host(NEW))


def test_a_service_that_was_killed_is_waited_for_no_longer_than_it_takes(url: str) -> None:
    now = 1_700_000_000_000_000
    with closing(open_database(url, cipher=Cipher(lambda: [NEW]), lease_clock=lambda: now)) as db:
        with db.write() as tx:
            leases.register_scheduler(tx, "killed", "elsewhere")
        now += round(key_check.SILENCE_S * SECOND)
        with pytest.raises(ResourceInUse, match="wait 20 s"):
            adopt(db)
        now += 1
        adopt(db)
