"""Paths on object stores, with fsspec's store in memory and the local file system."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("upath", reason="needs the extra object-storage")

import fsspec
from fsspec.implementations.dirfs import DirFileSystem

from gnomon.authoring.sdk.assets import Asset
from gnomon.authoring.sdk.nodes.authoring_state import set_current_context
from gnomon.authoring.sdk.runtime.xcom import decode_xcom
from gnomon.authoring.sdk.storage.object_storage_path import ObjectStoragePath
from gnomon.authoring.sdk.storage.object_store import ObjectStore, attach, get_fs, has_fs
from gnomon.model.serde import dumps


@pytest.fixture(autouse=True)
def memory() -> Iterator[None]:
    yield
    fsspec.filesystem("memory").store.clear()


def _write(address: str, text: str) -> ObjectStoragePath:
    path = ObjectStoragePath(address)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_path_has_a_bucket_a_key_and_the_methods_of_pathlib() -> None:
    path = _write("memory://bucket/a/b.txt", "hi")
    assert (path.bucket, path.container, path.key, path.namespace, path.protocol) == (
        "bucket",
        "bucket",
        "a/b.txt",
        "memory://bucket",
        "memory",
    )
    assert (path.name, path.read_text(), path.size(), path.stat().st_size, path.exists()) == ("b.txt", "hi", 2, 2, True)
    assert [type(child) for child in path.parent.iterdir()] == [ObjectStoragePath]
    assert path.parent / "b.txt" == path
    assert path.read_block(0, 1) == b"h"
    with path.open("a") as file:
        file.write("!")
    assert path.read_text() == "hi!"


def test_the_path_of_an_asset_is_its_uri() -> None:
    path = ObjectStoragePath(Asset(name="orders", uri="memory://bucket/key"))
    assert (path.protocol, path.bucket, path.key) == ("memory", "bucket", "key")


def test_the_connection_is_a_part_of_the_address() -> None:
    path = ObjectStoragePath("memory://store@bucket/key")
    assert (path.conn_id, path.bucket, path.key, str(path)) == ("store", "bucket", "key", "memory://store@bucket/key")
    assert ObjectStoragePath("memory://bucket/key", conn_id="other").conn_id == "other"
    assert (path / "more").conn_id == path.parent.conn_id == ObjectStoragePath(path).conn_id == "store"
    assert path != ObjectStoragePath("memory://bucket/key")
    assert not path.samestore(ObjectStoragePath("memory://other@bucket/key"))
    assert ObjectStoragePath.deserialize(path.serialize(), 1) == path
    assert pickle.loads(pickle.dumps(path)) == path
    assert decode_xcom(dumps([path], what="x"), key="k", task_id="t", dag_id="d", run_id="r", map_index=-1) == [path]


def test_an_attached_file_system_is_used_for_its_connection(tmp_path: Path) -> None:
    attach("memory", "attached_here", fs=DirFileSystem(str(tmp_path), fsspec.filesystem("file")))
    with set_current_context({}):
        path = ObjectStoragePath("memory://attached_here@bucket/file.txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("here")
    assert [file.read_text() for file in tmp_path.rglob("file.txt")] == ["here"]


def test_files_and_folders_are_copied_and_moved_between_stores(tmp_path: Path) -> None:
    source = _write("memory://bucket/a/b.txt", "hi")
    local = ObjectStoragePath(f"file://{tmp_path}/copy.txt")
    source.copy(local)
    assert (tmp_path / "copy.txt").read_text() == "hi"
    local.copy("memory://bucket/c.txt")
    assert ObjectStoragePath("memory://bucket/c.txt").read_text() == "hi"
    source.copy("memory://bucket/d.txt")
    assert ObjectStoragePath("memory://bucket/d.txt").read_text() == "hi"
    local.move("memory://bucket/e.txt")
    assert not (tmp_path / "copy.txt").exists()
    folder = ObjectStoragePath("memory://bucket/folder")
    folder.mkdir(parents=True)
    ObjectStoragePath("memory://bucket/e.txt").move_into(folder)
    assert (folder / "e.txt").read_text() == "hi"
    with pytest.raises(NotADirectoryError):
        source.move_into("memory://bucket/nowhere")


def test_folders_are_copied_between_two_connections() -> None:
    attach("memory", "one", fs=fsspec.filesystem("memory"))
    attach("memory", "two", fs=fsspec.filesystem("memory"))
    _write("memory://bucket/from/a.txt", "a")
    _write("memory://bucket/from/in/b.txt", "b")
    with set_current_context({}):
        ObjectStoragePath("memory://one@bucket/from").copy(ObjectStoragePath("memory://two@bucket/to"), recursive=True)
        assert ObjectStoragePath("memory://bucket/to/in/b.txt").read_text() == "b"
        with pytest.raises(FileNotFoundError):
            ObjectStoragePath("memory://one@bucket/gone").copy("memory://two@bucket/to")


def test_a_scheme_without_a_file_system_says_what_to_install() -> None:
    assert has_fs("file") and has_fs("memory") and not has_fs("nope")
    with pytest.raises(ValueError, match="No filesystem registered for scheme nope. Install the provider package"):
        get_fs("nope")
    with pytest.raises(ValueError, match="scheme memory can use the connection 'c'. Install the provider package"):
        get_fs("memory", "c")
    with pytest.raises(ValueError, match="No protocol specified"):
        attach()
    with pytest.raises(ValueError, match="No registered store with alias: x"):
        attach(alias="x")


def test_a_store_is_known_by_its_alias_and_comes_back_as_data() -> None:
    store: Any = attach("memory", alias="mine")
    assert attach(alias="mine") is store
    assert ObjectStore.deserialize(store.serialize(), 1).protocol == "memory"
    with pytest.raises(ValueError, match="Cannot deserialize version 2"):
        ObjectStore.deserialize(store.serialize(), 2)
