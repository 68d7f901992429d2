"""Options that a provider package declares have its defaults in `conf`, as in Airflow."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.loading import dialect
from gnomon.authoring.sdk.connections import provider_packages
from gnomon.authoring.sdk.connections.provider_packages import InstalledProviders, ProviderPackage
from gnomon.model.errors.authoring import AirflowConfigException

OPTIONS = {
    "Acme": {"options": {"Keep_Idle": {"default": "120"}, "ratio": {"default": 0.5}, "none": {"default": None}}},
    "core": {"options": {"parallelism": {"default": "7777"}}},
}


@pytest.fixture
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """`conf` where one package declares options, and the environment sets one of them."""
    dialect.enable()
    package = ProviderPackage("1.0", {"package-name": "acme", "config": OPTIONS})
    monkeypatch.setattr(provider_packages, "load_provider_packages", lambda: InstalledProviders({"acme": package}, {}))
    config = importlib.import_module("gnomon.ground.config")
    config.set_current_config(config.load_config({"AIRFLOW__ACME__RATIO": "2"}, tmp_path))
    yield importlib.import_module("airflow.configuration").conf
    config.set_current_config(None)


def test_the_default_of_the_package_comes_before_a_fallback_and_after_what_is_set(conf: Any) -> None:
    assert (
        conf.getint("acme", "keep_idle")
        == conf.getint("ACME", "keep_idle", fallback=3)
        == conf.getint("acme", "keep_idle", fallback="120")
        == 120
    )
    assert conf.getfloat("acme", "ratio") == 2
    assert conf.getsection("acme") == {"keep_idle": 120, "ratio": 2}
    assert conf.has_section("acme") and conf.has_option("acme", "keep_idle") and not conf.has_option("acme", "other")
    assert conf.getint("core", "parallelism") != 7777, "a package does not change Gnomon's own options"


def test_an_option_without_a_default_is_not_there(conf: Any) -> None:
    assert conf.get("acme", "none", fallback="mine") == "mine"
    with pytest.raises(AirflowConfigException, match=r"\[acme\] none"):
        conf.get("acme", "none")
