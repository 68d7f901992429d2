"""Options of DAG bundles, each seen in which files are parsed, where copies are, and which copies are removed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.acceptance.effects import effect_of, options

from gnomon.author_code.loading.bundles.bundle_loader import create_bundle
from gnomon.author_code.loading.bundles.version_cleanup import remove_unused_versions
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.ground.config import Config, set_current_config
from gnomon.ground.config.dag_bundles import GIT_BUNDLE_CLASS, LOCAL_BUNDLE_CLASS, find_dag_bundle
from gnomon.services.dagfiles.settings import build_dag_processor_settings

BUNDLES = json.dumps(
    [
        {"name": "more", "classpath": LOCAL_BUNDLE_CLASS, "kwargs": {"path": "/srv/more"}},
        {
            "name": "team",
            "classpath": GIT_BUNDLE_CLASS,
            "kwargs": {"tracking_ref": "main", "repo_url": "/srv/origin", "refresh_interval": 7},
        },
    ]
)


@pytest.fixture(autouse=True)
def _no_configuration() -> object:
    yield
    set_current_config(None)


@effect_of("dag_processor.dag_bundle_config_list")
def test_the_dag_processor_lists_the_bundles_instead_of_the_dag_folder(tmp_path: Path) -> None:
    settings = build_dag_processor_settings(options(tmp_path, dag_processor__dag_bundle_config_list=BUNDLES))
    assert [(root.folder, root.bundle_name) for root in settings.roots if not root.is_bundled] == [
        ("/srv/more", "more")
    ]
    assert [(bundle.name, bundle.refresh_s) for bundle in settings.bundles] == [("team", 7)]


@effect_of("dag_processor.dag_bundle_storage_path")
def test_copies_are_below_the_folder_of_the_option(tmp_path: Path) -> None:
    cfg = options(
        tmp_path,
        dag_processor__dag_bundle_config_list=BUNDLES,
        dag_processor__dag_bundle_storage_path=tmp_path / "store",
    )
    set_current_config(cfg)
    assert create_bundle(find_dag_bundle(cfg, "team")).path == tmp_path / "store" / "team" / "tracking_repo"


@effect_of("dag_processor.disable_bundle_versioning")
@pytest.mark.parametrize("disabled", [True, False])
def test_a_dag_follows_the_newest_version_by_the_option(tmp_path: Path, disabled: bool) -> None:
    set_current_config(options(tmp_path, dag_processor__disable_bundle_versioning=disabled))
    assert build_dag_spec(DAG("d", schedule=None), "d.py").spec.disable_bundle_versioning is disabled
    assert (
        build_dag_spec(
            DAG("e", schedule=None, disable_bundle_versioning=not disabled), "d.py"
        ).spec.disable_bundle_versioning
        is not disabled
    )


@effect_of("core.rerun_with_latest_version")
@pytest.mark.parametrize(("text", "value"), [("", None), ("True", True), ("False", False)])
def test_the_option_is_the_default_of_the_version_of_cleared_runs(
    tmp_path: Path, text: str, value: bool | None
) -> None:
    set_current_config(options(tmp_path, core__rerun_with_latest_version=text))
    assert build_dag_spec(DAG("d", schedule=None), "d.py").spec.rerun_with_latest_version is value
    assert build_dag_spec(
        DAG("e", schedule=None, rerun_with_latest_version=not value), "d.py"
    ).spec.rerun_with_latest_version is (not value)


def cleaned(tmp_path: Path, **values: object) -> list[str]:
    """What a removal removes of three copies that were last used a day, two days and three days ago."""
    cfg: Config = options(tmp_path, **values)
    set_current_config(cfg)
    versions = tmp_path / "versions"
    for days in (1, 2, 3):
        (versions / f"v{days}").mkdir(parents=True)
        at = versions.stat().st_mtime - days * 86_400
        os.utime(versions / f"v{days}", (at, at))
    first = remove_unused_versions(versions)
    return sorted(first) if first else ["second"] * bool(remove_unused_versions(versions))


@effect_of("dag_processor.stale_bundle_cleanup_min_versions")
@pytest.mark.parametrize(("kept", "removed"), [(0, ["v1", "v2", "v3"]), (2, ["v3"]), (10, [])])
def test_so_many_copies_are_kept(tmp_path: Path, kept: int, removed: list[str]) -> None:
    assert cleaned(tmp_path, dag_processor__stale_bundle_cleanup_min_versions=kept) == removed


@effect_of("dag_processor.stale_bundle_cleanup_age_threshold")
@pytest.mark.parametrize(("age_s", "removed"), [(3600, ["v1", "v2", "v3"]), (130_000, ["v2", "v3"]), (1_000_000, [])])
def test_copies_are_removed_so_long_after_their_last_use(tmp_path: Path, age_s: int, removed: list[str]) -> None:
    assert (
        cleaned(
            tmp_path,
            dag_processor__stale_bundle_cleanup_min_versions=0,
            dag_processor__stale_bundle_cleanup_age_threshold=age_s,
        )
        == removed
    )


@effect_of("dag_processor.stale_bundle_cleanup_interval")
@pytest.mark.parametrize(("interval_s", "looks"), [(0, False), (1800, True)])
def test_copies_are_removed_at_most_every_interval(tmp_path: Path, interval_s: int, looks: bool) -> None:
    values = {
        "dag_processor__stale_bundle_cleanup_min_versions": 2,
        "dag_processor__stale_bundle_cleanup_interval": interval_s,
    }
    assert cleaned(tmp_path, **values) == (["v3"] if looks else [])
    (tmp_path / "versions" / "v4").mkdir()
    os.utime(tmp_path / "versions" / "v4", (1, 1))
    assert remove_unused_versions(tmp_path / "versions") == []  # it looked just now, or never looks
