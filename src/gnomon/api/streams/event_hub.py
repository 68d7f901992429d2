"""`EventHub`: gives the changes that the watcher has read to all streams of the process. Everything here runs in the event loop of the server.

The encoded text of an event exists once. Streams with equal interests share one piece of data for each read of the journal, so that
a thousand streams of one DAG cost a thousand references. The newest EVENTS_KEPT events stay in memory: a client that
continues an earlier stream gets what it missed from there, or is told to read anew.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec
from anyio import to_thread

from gnomon.api.common.account_places import AccountPlaces, NoPlace
from gnomon.api.policies import Credential
from gnomon.api.streams.change_watcher import ChangeWatcher
from gnomon.api.streams.stream_connection import StreamConnection, StreamData, build_data
from gnomon.api.streams.stream_interest import StreamInterest
from gnomon.model.errors.product import GnomonError
from gnomon.model.sentences import say
from gnomon.queries.report.activity.change_feed import ChangeEvent, ChangeFeed, format_place
from gnomon.queries.report.listings.dag_facts import VersionFactsCache
from gnomon.storage.store import Database

EVENTS_KEPT = 20_000
"""Events in memory, for clients that continue an earlier stream: a few megabytes."""
HEARTBEAT_S = 5
"""Each stream sends the event `heartbeat` once in so many seconds, so that proxies and clients see that it is open, and its login is checked: one that has expired
ends its streams within this time. One that was ended is in the journal of changes, and its streams are checked when that is read."""
RETRY_MS = 2_000
"""After which time clients connect again."""
STREAMS_MAX = 5_000
"""The most streams of one process."""
FIRST_READ_S = 5.0
"""How long a new stream waits for the first read of the journal."""
_BACKLOG_PIECE = 200
"""Events of one piece of what a client missed."""
_RETRY = b"retry: %d\n\n" % RETRY_MS
_HEARTBEAT = build_data(b"event: heartbeat\ndata: {}\n\n")
_encoder = msgspec.json.Encoder()


class KeptEvent(NamedTuple):
    """An event with its text as it is sent."""

    event: ChangeEvent
    text: bytes

    @property
    def place(self) -> tuple[int, int]:
        """Its place in the order of all changes."""
        return self.event.change_pk, self.event.number


class ReadResult(NamedTuple):
    """What the watcher knows after a read."""

    floor: tuple[int, int]
    """The place before the first change that it has read."""
    newest: tuple[int, int]
    has_lost: bool
    is_current: bool
    """It has read everything."""
    changed_accounts: frozenset[int] = frozenset()
    """The accounts whose logins have ended, or permit something else."""


class EventHub:
    """All streams of the process. The watcher runs while there is one."""

    def __init__(
        self, find_database: Callable[[], Database], find_run_folder: Callable[[], Path], facts: VersionFactsCache
    ) -> None:
        self._find_database = find_database
        self._find_run_folder = find_run_folder
        self._facts = facts
        self._kept: deque[KeptEvent] = deque()
        self._floor = (0, 0)
        """Events up to this place are not in memory."""
        self._newest = (0, 0)
        self._groups: dict[StreamInterest, set[StreamConnection]] = {}
        self._buckets: list[set[StreamConnection]] = [set() for _ in range(HEARTBEAT_S)]
        """Each second, the streams of one of these get a heartbeat, and their logins are checked."""
        self._turn = 0
        self._timer: asyncio.TimerHandle | None = None
        self._checks: set[asyncio.Task[None]] = set()
        self._places = AccountPlaces("streams")
        """Those of open streams, and of streams that wait for the first read."""
        self._watcher: ChangeWatcher | None = None
        self._first_read: asyncio.Event | None = None
        self._is_closed = False

    @property
    def stream_count(self) -> int:
        """The number of open streams."""
        return self._places.count

    # ---- streams -----------------------------------------------------------------------------------------------------
    async def wait_until_ready(self, account: str) -> None:
        """Return when the account can open a stream, and keep a place for it, which `open_stream` takes or `release` gives back.

        Raises NoPlace.
        """
        if self._is_closed:
            raise NoPlace(say("server_is_stopping"))
        self._places.take(account, STREAMS_MAX)
        try:
            if self._first_read is None:
                self._start_watcher()
            assert self._first_read is not None
            await asyncio.wait_for(self._first_read.wait(), FIRST_READ_S)
            if self._is_closed:
                raise NoPlace(say("server_is_stopping"))
        except TimeoutError:
            self.release(account)
            raise NoPlace(say("server_waits_for_database")) from None
        except BaseException:
            self.release(account)
            raise

    def release(self, account: str) -> None:
        """A stream of the account has ended, or will not be opened."""
        self._places.release(account)
        if self._places.count == 0:
            self._stop()

    def open_stream(
        self,
        interest: StreamInterest,
        credential: Credential,
        last_place: tuple[int, int] | None,
        hand_over: Callable[[asyncio.Protocol], bool],
        *,
        is_chunked: bool,
    ) -> None:
        """Make a stream of the connection that `hand_over` gives; it returns False if the client has left."""
        connection = StreamConnection(interest, credential, is_chunked, self._on_lost)
        if self._is_closed or not hand_over(connection):
            connection.abort()
            self.release(interest.identity.name)
            return
        self._groups.setdefault(interest, set()).add(connection)
        connection.bucket = (self._turn + self._places.count) % HEARTBEAT_S
        self._buckets[connection.bucket].add(connection)
        self._begin(connection, last_place)

    def close(self) -> None:
        """End all streams, and open no more."""
        self._is_closed = True
        for group in list(self._groups.values()):
            for connection in list(group):
                connection.close()
        self._stop()

    def join(self, timeout_s: float) -> None:
        """After `close`: wait for the end of the thread that reads changes, at most so long."""
        if self._watcher is not None:
            self._watcher.join(timeout_s)

    def _on_lost(self, connection: StreamConnection) -> None:
        self._buckets[connection.bucket].discard(connection)
        self._leave_group(connection)
        self.release(connection.interest.identity.name)

    def _leave_group(self, connection: StreamConnection) -> None:
        group = self._groups.get(connection.interest)
        if group is not None:
            group.discard(connection)
            if not group:
                del self._groups[connection.interest]

    def _stop(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._is_closed:
            self._watcher = None
        if self._first_read is not None:
            self._first_read.set()
            self._first_read = None
        self._kept.clear()

    # ---- heartbeats and logins ---------------------------------------------------------------------------------------
    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(1.0, self._tick)
        self._turn = (self._turn + 1) % HEARTBEAT_S
        bucket = self._buckets[self._turn]
        for connection in list(bucket):
            connection.put(_HEARTBEAT)
        if bucket:
            self._begin_check(list(bucket))

    def _begin_check(self, connections: Sequence[StreamConnection]) -> None:
        check = asyncio.create_task(self._check_logins(connections))
        self._checks.add(check)
        check.add_done_callback(self._checks.discard)

    def _list_connections(self, account_pks: Collection[int] | None) -> list[StreamConnection]:
        """The streams of these accounts; None: all."""
        return [
            connection
            for interest, group in self._groups.items()
            if account_pks is None or interest.identity.account_pk in account_pks
            for connection in group
        ]

    async def _check_logins(self, connections: Sequence[StreamConnection]) -> None:
        """End the streams whose login is not valid any more, and show the others what their accounts may see now."""
        by_key: dict[tuple[str, object], list[StreamConnection]] = {}
        for connection in connections:
            by_key.setdefault(connection.credential.key, []).append(connection)
        for sharing in by_key.values():
            try:
                identity = await to_thread.run_sync(sharing[0].credential.identify)
            except GnomonError:
                identity = None  # the database is away: the clients connect again
            for connection in sharing:
                if identity is None or identity.account_pk != connection.interest.identity.account_pk:
                    connection.close()
                elif identity != connection.interest.identity:
                    self._change_interest(connection, replace(connection.interest, identity=identity))

    def _change_interest(self, connection: StreamConnection, interest: StreamInterest) -> None:
        if connection not in self._buckets[connection.bucket]:
            return  # it has ended meanwhile
        self._leave_group(connection)
        connection.interest = interest
        self._groups.setdefault(interest, set()).add(connection)
        connection.put(build_data(_encode_reset(self._newest, "the roles of the account have changed")))

    # ---- the watcher -------------------------------------------------------------------------------------------------
    def _start_watcher(self) -> None:
        loop = asyncio.get_running_loop()
        self._first_read = asyncio.Event()
        feed = ChangeFeed(self._facts)

        def publish(events: Sequence[ChangeEvent], has_lost: bool) -> None:
            encoded_events = [KeptEvent(event, encode_event(event)) for event in events]
            position = (feed.change_pk, events[-1].number if events and events[-1].change_pk == feed.change_pk else 0)
            with suppress(RuntimeError):  # the loop was closed
                loop.call_soon_threadsafe(
                    self._receive,
                    watcher,
                    encoded_events,
                    ReadResult(feed.floor, position, has_lost, not feed.has_more, feed.changed_accounts),
                )

        watcher = self._watcher = ChangeWatcher(self._find_database, self._find_run_folder(), feed, publish)
        self._kept.clear()
        self._floor = self._newest = (0, 0)
        watcher.start()
        self._timer = loop.call_later(1.0, self._tick)

    def _receive(self, watcher: ChangeWatcher, events: Sequence[KeptEvent], result: ReadResult) -> None:
        """The watcher has read. The first reads load what was before; streams begin when it has read everything."""
        if watcher is not self._watcher or self._first_read is None:
            return
        if result.has_lost:
            self._kept.clear()
            self._put_to_all(build_data(_encode_reset(result.newest, "changes were lost before they were read")))
        if result.has_lost or result.changed_accounts:
            self._begin_check(self._list_connections(None if result.has_lost else result.changed_accounts))
        if not self._kept:
            self._floor = max(self._floor, result.floor)
        self._newest = result.newest
        self._kept.extend(events)
        while len(self._kept) > EVENTS_KEPT:
            self._floor = self._kept.popleft().place
        self._distribute(events)
        if result.is_current:
            self._first_read.set()

    # ---- data --------------------------------------------------------------------------------------------------------
    def _begin(self, connection: StreamConnection, last_place: tuple[int, int] | None) -> None:
        missed: list[KeptEvent] = []
        if last_place is None:
            opening = _encode_ready(self._newest)
        elif self._floor <= last_place and last_place[0] <= self._newest[0]:
            opening = _encode_ready(last_place)
            missed = [event for event in self._kept if event.place > last_place]
        else:
            opening = _encode_reset(self._newest, "the changes since the last event are not kept any more")
        connection.begin(build_data(_RETRY + opening), _cut_backlog(missed, connection))

    def _distribute(self, events: Sequence[KeptEvent]) -> None:
        """Give each group the events that it accepts, as one piece of data."""
        if not events:
            return
        by_dag: dict[str, list[KeptEvent]] = {}
        for kept_event in events:
            for label in kept_event.event.dags:
                by_dag.setdefault(label.dag_id, []).append(kept_event)
        for interest, group in list(self._groups.items()):
            candidates: Sequence[KeptEvent] = events
            if interest.dag_ids is not None:
                if interest.dag_ids.isdisjoint(by_dag):
                    continue
                if len(interest.dag_ids) == 1:
                    candidates = by_dag[next(iter(interest.dag_ids))]
            text = b"".join(event.text for event in candidates if interest.accepts(event.event))
            if text:
                data = build_data(text)
                for connection in list(group):
                    connection.put(data)

    def _put_to_all(self, data: StreamData) -> None:
        for group in list(self._groups.values()):
            for connection in list(group):
                connection.put(data)


def encode_event(event: ChangeEvent) -> bytes:
    """The text of an event in a stream."""
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (
        format_place(event.change_pk, event.number).encode(),
        event.kind.encode(),
        _encoder.encode(event.data),
    )


def _encode_ready(place: tuple[int, int]) -> bytes:
    return b"id: %b\nevent: ready\ndata: {}\n\n" % format_place(*place).encode()


def _encode_reset(place: tuple[int, int], why: str) -> bytes:
    return b"id: %b\nevent: reset\ndata: %b\n\n" % (format_place(*place).encode(), _encoder.encode({"reason": why}))


def _cut_backlog(missed: Sequence[KeptEvent], connection: StreamConnection) -> Iterator[StreamData]:
    for start in range(0, len(missed), _BACKLOG_PIECE):
        interest = connection.interest
        text = b"".join(event.text for event in missed[start : start + _BACKLOG_PIECE] if interest.accepts(event.event))
        if text:
            yield build_data(text)
