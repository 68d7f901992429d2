"""A Git repository as a DAG bundle: versions, refreshes, removal, and errors. The repository is made by the program git."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.git_repository import GitRepository

from gnomon.author_code.loading.bundles import bundle_loader
from gnomon.author_code.loading.bundles.base_bundle import BaseDagBundle, DagBundleError
from gnomon.author_code.loading.bundles.git_access import GitAccess
from gnomon.author_code.loading.bundles.git_bundle import GitDagBundle
from gnomon.author_code.loading.bundles.version_cleanup import remove_unused_versions
from gnomon.ground.config import load_config, set_current_config
from gnomon.ground.config.dag_bundles import GIT_BUNDLE_CLASS

pytestmark = pytest.mark.ordinary

LONG_AGO = 1_000_000_000


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository(tmp_path / "origin")


@pytest.fixture
def bundle(repository: GitRepository, tmp_path: Path) -> Any:
    """Makes the bundle of a configuration."""

    def make(version: str | None = None, cleanup: dict[str, object] | None = None, **kwargs: Any) -> GitDagBundle:
        arguments = {"tracking_ref": "main", "repo_url": str(repository.folder), **kwargs}
        listed = json.dumps([{"name": "team", "classpath": GIT_BUNDLE_CLASS, "kwargs": arguments}])
        options = {"dag_bundle_config_list": listed, **(cleanup or {})}
        set_current_config(
            load_config(
                {f"GNOMON__DAG_PROCESSOR__{name.upper()}": str(value) for name, value in options.items()},
                tmp_path / "home",
            )
        )
        made = bundle_loader.create_bundle(
            bundle_loader.find_dag_bundle(bundle_loader.current_config(), "team"), version
        )
        assert isinstance(made, GitDagBundle)
        return made

    yield make
    set_current_config(None)


Make = Callable[..., GitDagBundle]


def test_a_refresh_brings_the_newest_commit_and_writes_only_files_that_differ(
    repository: GitRepository, bundle: Make
) -> None:
    repository.commit(a="1", b="1", gone="1")
    newest = bundle()
    newest.initialize()
    before = (newest.path / "a.py").stat()
    second = repository.commit(b="2", gone=None, c="2")
    newest.refresh()
    assert newest.get_current_version() == second
    assert sorted(path.name for path in newest.path.iterdir()) == ["a.py", "b.py", "c.py"]
    assert (newest.path / "b.py").read_text() == "2"
    after = (newest.path / "a.py").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_version_has_the_files_of_its_commit_and_is_made_without_the_server_when_the_mirror_has_it(
    repository: GitRepository, bundle: Make
) -> None:
    first = repository.commit(dags__a="1")
    bundle().initialize()
    repository.commit(dags__a="2")
    bundle().refresh()
    repository.folder.rename(repository.folder.with_name("away"))
    kept = bundle(first, subdir="dags")
    kept.initialize()
    assert (kept.path / "a.py").read_text() == "1"


def test_a_version_that_the_mirror_lacks_is_fetched(repository: GitRepository, bundle: Make) -> None:
    bundle().base_dir.parent.mkdir(parents=True, exist_ok=True)
    first = repository.commit(a="1")
    kept = bundle(first)
    kept.initialize()
    assert (kept.path / "a.py").read_text() == "1"


def test_a_file_is_found_in_the_version_of_its_bundle(repository: GitRepository, bundle: Make) -> None:
    first = repository.commit(dags__a="1")
    newest = bundle(subdir="dags")
    newest.initialize()
    repository.commit(dags__a="2")
    newest.refresh()
    located = bundle_loader.locate_in_version(str(newest.path / "a.py"), "team", first)
    assert Path(located).read_text() == "1"
    assert bundle_loader.find_bundle_root(located) == os.path.dirname(located)
    assert bundle_loader.find_bundle_root(str(newest.path / "a.py")) == str(newest.path)


def test_a_tag_and_a_commit_can_be_tracked(repository: GitRepository, bundle: Make) -> None:
    first = repository.commit(a="1")
    repository.git("tag", "-a", "v1", "-m", "one")
    repository.commit(a="2")
    for reference in ("v1", first):
        tracked = bundle(tracking_ref=reference)
        tracked.refresh()
        assert tracked.get_current_version() == first


def test_a_forced_push_is_followed_and_a_kept_version_stays(repository: GitRepository, bundle: Make) -> None:
    repository.commit(a="1")
    second = repository.commit(a="2")
    bundle().initialize()
    repository.git("reset", "--hard", "--quiet", "HEAD~1")
    third = repository.commit(a="3")
    newest = bundle()
    newest.refresh()
    assert newest.get_current_version() == third
    kept = bundle(second)
    kept.initialize()
    assert (kept.path / "a.py").read_text() == "2"


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        (
            {"tracking_ref": "mian"},
            "has the tracking_ref 'mian', and .* has no such branch, tag or commit; give one that it has .*main",
        ),
        ({"repo_url": "/nowhere/at-all"}, "/nowhere/at-all cannot be fetched: .*; check repo_url of the bundle"),
        ({"repo_url": "https://user:secret@localhost:1/x.git"}, r"https://\*\*\*@localhost:1/x.git cannot be fetched"),
        ({"subdir": "no"}, "has the subdir 'no', and commit [0-9a-f]+ of 'main' has no such folder"),
        ({"subdir": "../up"}, "has the subdir '../up'; it is a folder of the repository"),
        ({"repo_url": None}, "has neither repo_url nor git_conn_id"),
        ({"branch": "main"}, "refuses its kwargs: .*'branch'.*; correct them in"),
    ],
)
def test_an_error_names_the_bundle_the_argument_and_the_remedy(
    repository: GitRepository, bundle: Make, kwargs: dict[str, Any], words: str
) -> None:
    repository.commit(a="1")
    with pytest.raises(DagBundleError, match=words) as caught:
        bundle(**kwargs).refresh()
    assert "DAG bundle 'team'" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_machine_without_git_is_told_to_install_it(
    bundle: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        DagBundleError, match="needs the program git, which this machine does not have on its PATH; install git here"
    ):
        bundle().refresh()


def test_a_commit_that_the_repository_has_not_is_told_with_the_remedy(repository: GitRepository, bundle: Make) -> None:
    repository.commit(a="1")
    with pytest.raises(DagBundleError, match="has no such commit, perhaps after a forced push; clear the run"):
        bundle("0" * 40).initialize()
    with pytest.raises(DagBundleError, match="'../x' is no version of DAG bundle 'team'"):
        bundle("../x")


def test_a_token_reaches_git_in_its_environment_only() -> None:
    with GitAccess("https://example.org/x.git", "me", "t0ken").environment() as variables:
        assert variables["GNOMON_GIT_TOKEN"] == "t0ken"
        assert not any("t0ken" in value for name, value in variables.items() if name != "GNOMON_GIT_TOKEN")


def test_a_private_key_is_in_a_file_only_while_git_runs() -> None:
    with GitAccess(
        "git@example.org:x.git", extra={"private_key": "KEY", "private_key_passphrase": "open"}
    ).environment() as variables:
        command = variables["GIT_SSH_COMMAND"].split()
        key = Path(command[command.index("-i") + 1])
        assert (key.read_text(), key.stat().st_mode & 0o777) == ("KEY\n", 0o400)
        assert (variables["GNOMON_GIT_PASSPHRASE"], variables["SSH_ASKPASS_REQUIRE"]) == ("open", "force")
    assert not key.exists()


def test_old_versions_that_no_process_uses_are_removed(repository: GitRepository, bundle: Make) -> None:
    commits = [repository.commit(a=str(number)) for number in range(4)]
    options = {
        "stale_bundle_cleanup_min_versions": 1,
        "stale_bundle_cleanup_age_threshold": 0,
        "stale_bundle_cleanup_interval": 1,
    }
    newest = bundle(cleanup=options)
    newest.initialize()
    for age, commit in enumerate(reversed(commits)):
        bundle(commit, cleanup=options).initialize()
        os.utime(newest.versions_dir / commit, (LONG_AGO - age, LONG_AGO - age))
    bundle_loader.locate_in_version(str(newest.path / "a.py"), "team", commits[0])  # this process uses it
    os.utime(newest.versions_dir / f"{commits[0]}.lock", (LONG_AGO - 10, LONG_AGO - 10))
    assert sorted(remove_unused_versions(newest.versions_dir)) == sorted(commits[1:3])
    assert sorted(path.name for path in newest.versions_dir.iterdir() if path.is_dir()) == sorted(
        [commits[0], commits[3]]
    )


class EmptyBundle(BaseDagBundle):
    """A bundle of an author."""

    @property
    def path(self) -> Path:
        return self.base_dir

    def get_current_version(self) -> str | None:
        return None

    def refresh(self) -> None:
        self.base_dir.mkdir(parents=True, exist_ok=True)


@pytest.mark.parametrize(
    ("classpath", "words"),
    [
        ("no.such.Bundle", "importing it raises ModuleNotFoundError"),
        ("json.JSONDecoder", "is no subclass of airflow.dag_processing.bundles.base.BaseDagBundle"),
    ],
)
def test_a_class_that_is_no_bundle_is_told_with_the_option(tmp_path: Path, classpath: str, words: str) -> None:
    listed = json.dumps([{"name": "mine", "classpath": classpath}])
    cfg = load_config({"GNOMON__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": listed}, tmp_path)
    set_current_config(cfg)
    try:
        with pytest.raises(DagBundleError, match=words):
            bundle_loader.create_bundle(bundle_loader.find_dag_bundle(cfg, "mine"))
    finally:
        set_current_config(None)


def test_a_class_of_an_author_is_found_by_its_path(tmp_path: Path) -> None:
    listed = json.dumps([{"name": "mine", "classpath": f"{__name__}.EmptyBundle"}])
    cfg = load_config({"GNOMON__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": listed}, tmp_path)
    set_current_config(cfg)
    try:
        made = bundle_loader.create_bundle(bundle_loader.find_dag_bundle(cfg, "mine"))
        made.refresh()
        assert made.path == tmp_path / "dag_bundles" / "mine"
    finally:
        set_current_config(None)
