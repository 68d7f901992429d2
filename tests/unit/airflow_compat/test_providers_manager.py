"""What provider packages that are installed bring: hooks for connections, message queues, dialects."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.loading import dialect
from gnomon.authoring.sdk.connections import provider_packages
from gnomon.authoring.sdk.connections.connection import Connection

INFO = """
def get_provider_info():
    return {
        "package-name": "acme-provider", "name": "Acme", "queues": ["acme_provider.Queue", "acme_provider.NotThere"],
        "connection-types": [
            {"connection-type": "acme", "hook-class-name": "acme_provider.AcmeHook"},
            {"connection-type": "acme_broken", "hook-class-name": "acme_provider.needs.Hook"},
        ],
        "dialects": [{"dialect-type": "acmesql", "dialect-class-name": "acme_provider.Dialect"}],
    }

class Queue: ...
class Dialect: ...

class AcmeHook:
    conn_name_attr, hook_name = "acme_conn_id", "Acme"

    def __init__(self, acme_conn_id, depth=1):
        self.conn_id, self.depth = acme_conn_id, depth
"""


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two installed packages: one that brings much, and one that cannot be imported."""
    (tmp_path / "acme_provider").mkdir()
    (tmp_path / "acme_provider" / "__init__.py").write_text(INFO)
    (tmp_path / "acme_provider" / "needs.py").write_text("import a_package_that_is_not_there\n")
    for name, entry in (("acme_provider", "acme_provider:get_provider_info"), ("broken", "no_such_module:info")):
        about = tmp_path / f"{name}-1.2.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        (about / "entry_points.txt").write_text(f"[{provider_packages.ENTRY_POINT_GROUP}]\nprovider_info={entry}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    dialect.enable()
    provider_packages.load_provider_packages.cache_clear()
    yield tmp_path
    provider_packages.load_provider_packages.cache_clear()
    for module in [name for name in sys.modules if name.split(".")[0] == "acme_provider"]:
        del sys.modules[module]


def _manager() -> Any:
    return importlib.import_module("airflow.providers_manager").ProvidersManager()


def test_a_connection_gives_the_hook_of_its_type(acme: Path) -> None:
    hook = Connection(conn_id="mine", conn_type="acme").get_hook(hook_params={"depth": 3})
    assert (type(hook).__name__, hook.conn_id, hook.depth) == ("AcmeHook", "mine", 3)
    assert type(Connection(conn_id="fs_default", conn_type="fs").get_hook()).__name__ == "FSHook"


def test_a_type_that_nothing_installed_has_a_hook_for_says_so_and_who_could_not_be_asked(acme: Path) -> None:
    with pytest.raises(provider_packages.HookNotFound) as raised:
        Connection(conn_id="mine", conn_type="other").get_hook()
    said = str(raised.value)
    assert "no hook for connections of type 'other' ('mine')" in said
    assert "no_such_module:info: ModuleNotFoundError: No module named 'no_such_module'" in said
    assert "Install the package of that system" in said


def test_a_hook_that_cannot_be_imported_is_named_with_what_it_needs(acme: Path) -> None:
    with pytest.raises(
        provider_packages.HookNotFound,
        match=r"acme_provider.needs.Hook, cannot be loaded: No module named 'a_package_that",
    ):
        Connection(conn_id="mine", conn_type="acme_broken").get_hook()


def test_packages_ask_what_other_packages_bring(acme: Path) -> None:
    manager = _manager()
    manager.initialize_providers_queues()
    assert manager.providers["acme-provider"].version == "1.2"
    assert manager.providers["acme-provider"].data["name"] == "Acme"
    assert manager.queue_class_names == ["acme_provider.Queue"], "what cannot be imported is left out"
    assert manager.dialects["acmesql"] == ("acmesql", "acme_provider.Dialect", "acme-provider")
    found = manager.hooks["acme"]
    assert (found.connection_id_attribute_name, found.package_name, found.hook_name) == (
        "acme_conn_id",
        "acme-provider",
        "Acme",
    )
    assert manager.hooks["acme_broken"] is None
    assert {"acme", "acme_broken"} <= set(manager.hooks)
