"""A store that hangs, trickles, sends more than it lists, or raises errors with keys in their texts: readers get a sentence, in time, and others are not kept waiting."""

from __future__ import annotations

import asyncio
import io
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from fsspec.asyn import get_loop
from tests.patience import PATIENCE_S
from tests.unit.storage.remote_logs.remote_world import NAME, RemoteWorld

from gnomon.storage.remote_logs import remote_log_folder
from gnomon.storage.remote_logs.remote_log_folder import RemoteLogError
from gnomon.storage.remote_logs.task_log_folder import COPIES

pytestmark = pytest.mark.pure
SECRET = "https://robot:pass-word@store.internal/logs?sig=AbC%2F123&X-Amz-Signature=0a1b"
SIZE = 100


class PlainStore:
    """A file system of fsspec that waits for each answer. `sent`: the bytes of the log."""

    async_impl = False

    def __init__(
        self, sent: bytes = b"x" * SIZE, listed: int = SIZE, error: Exception | None = None, wait_s: float = 0.0
    ) -> None:
        self.sent, self.listed, self.error, self.wait_s = sent, listed, error, wait_s

    def invalidate_cache(self) -> None:
        """Nothing is kept."""

    def ls(self, path: str, detail: bool) -> list[dict[str, Any]]:
        if self.error is not None and self.wait_s == 0.0:
            raise self.error
        return [{"name": f"{path}/{NAME.rpartition('/')[2]}", "size": self.listed, "type": "file"}]

    def open(self, path: str, mode: str) -> io.BytesIO:
        store = self

        class Opened(io.BytesIO):
            def read(self, most: int | None = -1, /) -> bytes:
                time.sleep(store.wait_s)
                return super().read(1 if store.wait_s else most)

        return Opened(self.sent)


class CoroutineStore(PlainStore):
    """The same as a store of objects, which is asked by coroutines."""

    async_impl = True

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.loop = get_loop()

    async def _ls(self, path: str, detail: bool) -> list[dict[str, Any]]:
        return self.ls(path, detail)

    async def _cat_file(self, path: str, start: int, end: int) -> bytes:
        await asyncio.sleep(self.wait_s * 1000)
        return self.sent[start:end] if len(self.sent) <= self.listed else self.sent


Make = Callable[..., PlainStore]
BOTH = pytest.mark.parametrize("make", [PlainStore, CoroutineStore])


def ask(world: RemoteWorld, store: PlainStore) -> str:
    """The sentence that a reader of the log gets."""
    world.remote._opened = store
    with pytest.raises(RemoteLogError) as refused:
        world.reader.fetch(NAME)
    assert not (world.logs / COPIES / NAME).exists()
    assert not list(world.logs.rglob("*.part"))
    return str(refused.value)


@BOTH
def test_users_of_the_api_do_not_see_the_text_of_an_error_of_a_store(world: RemoteWorld, make: Make) -> None:
    assert SECRET in ask(world, make(error=PermissionError(SECRET)))
    world.remote._tells_reasons = False
    said = ask(world, make(error=PermissionError(SECRET)))
    assert "cannot be listed (PermissionError)" in said
    assert not [part for part in ("robot", "pass-word", "store.internal", "sig=", "0a1b") if part in said]


@BOTH
def test_a_log_that_trickles_or_hangs_is_given_up_in_time(
    world: RemoteWorld, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_log_folder, "DOWNLOAD_S", 0.1)
    said = ask(world, make(wait_s=0.01))
    assert "within 0.1 s" in said or "FSTimeoutError" in said


@BOTH
@pytest.mark.parametrize("sent", [b"", b"x" * (SIZE - 1), b"x" * (SIZE + 1), b"x" * 10_000_000])
def test_a_log_of_another_size_than_the_store_lists_is_no_copy(world: RemoteWorld, make: Make, sent: bytes) -> None:
    assert "sent another number of bytes of a log than the 100 that it lists" in ask(world, make(sent))


@BOTH
def test_a_log_above_the_bound_is_not_downloaded(world: RemoteWorld, make: Make) -> None:
    assert "has 1,073,741,825 bytes" in ask(world, make(listed=remote_log_folder.DOWNLOAD_BYTES_MAX + 1))


@BOTH
@pytest.mark.parametrize("size", [0, 1, SIZE, remote_log_folder._BLOCK_BYTES, remote_log_folder._BLOCK_BYTES + 1])
def test_a_log_comes_whole_and_in_order(world: RemoteWorld, make: Make, size: int) -> None:
    sent = bytes(range(256)) * (size // 256) + bytes(size % 256)
    world.remote._opened = make(sent, len(sent))
    assert world.reader.fetch(NAME).path.read_bytes() == sent


def test_a_log_that_does_not_come_keeps_no_other_waiting(world: RemoteWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = threading.Event(), threading.Event()
    other = NAME.replace("run_id=r", "run_id=other")
    world.remote._opened = PlainStore()
    download = world.remote.download

    def hang(name: str, *arguments: Any) -> None:
        if name == NAME:
            begun.set()
            may_end.wait(PATIENCE_S)
        download(name, *arguments)

    monkeypatch.setattr(world.remote, "download", hang)
    waiting = threading.Thread(target=world.reader.fetch, args=(NAME,))
    waiting.start()
    try:
        assert begun.wait(PATIENCE_S)
        assert world.reader.fetch(other).path.read_bytes() == b"x" * SIZE
        assert waiting.is_alive()
    finally:
        may_end.set()
        waiting.join()
    assert world.reader.fetch(NAME).path.read_bytes() == b"x" * SIZE
