"""When a worker process that stands still is ended by the process beside it."""

from __future__ import annotations

import os

from gnomon.services.worker.remote.lease_watch import GAP_MAX_S, LOOKS, LeaseWatch, SharedLease

STEP_S = 0.25


def _look(watch: LeaseWatch, at: float, looks: int) -> tuple[bool, float]:
    """The last answer, and when the next look is."""
    found = False
    for _ in range(looks):
        found = watch.is_over(at)
        at += STEP_S
    return found, at


def test_a_lease_without_an_end_is_never_over() -> None:
    assert _look(LeaseWatch(SharedLease()), 1e9, 100)[0] is False


def test_a_lease_is_over_when_several_looks_in_a_row_have_found_it_so() -> None:
    lease = SharedLease()
    lease.put(100.0)
    watch = LeaseWatch(lease)
    found, at = _look(watch, 99.0, 5)
    assert not found and at > 100.0
    assert not _look(watch, at, LOOKS - 1)[0]
    assert watch.is_over(at + STEP_S * (LOOKS - 1))


def test_a_lease_that_is_renewed_after_a_machine_stood_still_is_not_over() -> None:
    lease = SharedLease()
    lease.put(100.0)
    watch = LeaseWatch(lease)
    _look(watch, 99.0, 4)
    found, at = _look(watch, 99.75 + GAP_MAX_S + 20.0, LOOKS)
    assert not found, "the first look after the gap does not count"
    lease.put(at + 10.0)
    assert not _look(watch, at, LOOKS)[0]


def test_the_lease_is_shared_with_a_fork() -> None:
    lease = SharedLease()
    pid = os.fork()
    if pid == 0:
        lease.put(5.0)
        os._exit(0)
    os.waitpid(pid, 0)
    assert lease.get() == 5.0
