"""Submodules of a Git bundle: their files, their versions, which login they get, and what is said without them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.git_repository import GitRepository

from gnomon.author_code.loading.bundles import bundle_loader
from gnomon.author_code.loading.bundles.base_bundle import DagBundleError
from gnomon.author_code.loading.bundles.git_access import GitAccess
from gnomon.author_code.loading.bundles.git_bundle import GitDagBundle
from gnomon.author_code.loading.bundles.git_submodules import choose_access, fetch_submodules, resolve_address
from gnomon.ground.config import current_config, load_config, set_current_config
from gnomon.ground.config.dag_bundles import GIT_BUNDLE_CLASS, find_dag_bundle
from gnomon.services.dagfiles.bundle_main import refresh_bundle

pytestmark = pytest.mark.ordinary

ALLOW_FILES = ("-c", "protocol.file.allow=always")

Make = Callable[..., GitDagBundle]


def add_submodule(repository: GitRepository, path: str, address: str) -> str:
    repository.git(*ALLOW_FILES, "submodule", "--quiet", "add", address, path)
    return repository.commit()


def move_submodule(repository: GitRepository, path: str) -> str:
    """Have the repository use the newest commit of the submodule."""
    repository.git(*ALLOW_FILES, "submodule", "--quiet", "update", "--remote", path)
    return repository.commit()


@pytest.fixture
def inner(tmp_path: Path) -> GitRepository:
    made = GitRepository(tmp_path / "inner")
    made.commit(deep="DEEP = 1\n")
    return made


@pytest.fixture
def library(tmp_path: Path, inner: GitRepository) -> GitRepository:
    made = GitRepository(tmp_path / "library")
    made.commit(words="WORD = 'one'\n", old="")
    add_submodule(made, "inner", str(inner.folder))
    return made


@pytest.fixture
def repository(tmp_path: Path, library: GitRepository) -> GitRepository:
    made = GitRepository(tmp_path / "origin")
    made.commit(flow="1")
    add_submodule(made, "dags/library", "../library")
    return made


@pytest.fixture
def bundle(repository: GitRepository, tmp_path: Path) -> Any:
    """Makes the bundle of a configuration."""

    def make(version: str | None = None, **kwargs: Any) -> GitDagBundle:
        arguments = {"tracking_ref": "main", "repo_url": str(repository.folder), "submodules": True, **kwargs}
        listed = json.dumps([{"name": "team", "classpath": GIT_BUNDLE_CLASS, "kwargs": arguments}])
        set_current_config(load_config({"GNOMON__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": listed}, tmp_path / "home"))
        made = bundle_loader.create_bundle(find_dag_bundle(current_config(), "team"), version)
        assert isinstance(made, GitDagBundle)
        return made

    yield make
    set_current_config(None)


def files_of(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*.py")}


def test_the_files_of_submodules_are_those_of_the_commit(
    repository: GitRepository, library: GitRepository, bundle: Make
) -> None:
    newest = bundle()
    newest.initialize()
    first = str(newest.get_current_version())
    assert files_of(newest.path) == {
        "flow.py",
        "dags/library/words.py",
        "dags/library/old.py",
        "dags/library/inner/deep.py",
    }
    assert newest.warning is None

    library.commit(words="WORD = 'two'\n", old=None)
    newest.refresh()
    assert (newest.path / "dags/library/words.py").read_text() == "WORD = 'one'\n", (
        "the commit of the repository names a commit of the submodule"
    )
    unchanged = (newest.path / "dags/library/inner/deep.py").stat()
    move_submodule(repository, "dags/library")
    newest.refresh()
    assert (newest.path / "dags/library/words.py").read_text() == "WORD = 'two'\n"
    assert files_of(newest.path) == {"flow.py", "dags/library/words.py", "dags/library/inner/deep.py"}
    assert (newest.path / "dags/library/inner/deep.py").stat().st_ino == unchanged.st_ino, (
        "files that do not differ are not written"
    )

    kept = bundle(first)
    kept.initialize()
    assert (kept.path / "dags/library/words.py").read_text() == "WORD = 'one'\n"
    assert "dags/library/inner/deep.py" in files_of(kept.path)
    assert not list(kept.versions_dir.glob("*.index*")) and not list(kept.versions_dir.glob(".*.index*"))


def test_a_submodule_that_leaves_is_removed_also_when_a_folder_takes_its_place(
    repository: GitRepository, bundle: Make
) -> None:
    newest = bundle()
    newest.initialize()
    repository.git("rm", "--quiet", "dags/library")
    repository.commit(dags__library__own="")
    newest.refresh()
    assert files_of(newest.path) == {"flow.py", "dags/library/own.py"}


def test_submodules_that_are_asked_for_later_come_with_the_next_refresh_and_go_again(bundle: Make) -> None:
    bundle(submodules=False).refresh()
    assert files_of(bundle().path) == {"flow.py"}
    bundle().refresh()
    assert "dags/library/words.py" in files_of(bundle().path)
    bundle(submodules=False).refresh()
    assert files_of(bundle().path) == {"flow.py"}


def test_without_them_a_refresh_warns_and_names_bundle_and_remedy(repository: GitRepository, bundle: Make) -> None:
    bundle(submodules=False)
    refreshed = refresh_bundle("team")
    assert refreshed.error is None and refreshed.version == repository.git("rev-parse", "HEAD")
    assert refreshed.warning is not None
    assert (
        "DAG bundle 'team' has submodules, whose folders are empty here (dags/library); give the bundle submodules=true"
        in refreshed.warning
    )
    repository.commit(other__flow="")
    elsewhere = bundle(submodules=False, subdir="other")
    elsewhere.refresh()
    assert elsewhere.warning is None, "no DAG file sees it"


def test_a_submodule_that_cannot_be_fetched_is_named(
    repository: GitRepository, library: GitRepository, bundle: Make
) -> None:
    library.folder.rename(library.folder.with_name("moved"))
    with pytest.raises(
        DagBundleError, match=r"'team': .*/library cannot be fetched: .*it is a submodule: check its url in .gitmodules"
    ):
        bundle().refresh()


def test_a_submodule_without_an_address_is_named(repository: GitRepository, bundle: Make) -> None:
    (repository.folder / ".gitmodules").write_text("")
    repository.commit()
    with pytest.raises(
        DagBundleError, match="has a submodule at 'dags/library', and .gitmodules of commit .* has no address for it"
    ):
        bundle().refresh()


@pytest.mark.parametrize(
    ("repository_address", "address", "resolved"),
    [
        ("https://git.example.org/team/dags.git", "../library.git", "https://git.example.org/team/library.git"),
        ("https://git.example.org/team/dags.git", "../../other/library", "https://git.example.org/other/library"),
        ("git@git.example.org:team/dags.git", "../library.git", "git@git.example.org:team/library.git"),
        ("ssh://git@git.example.org:2222/team/dags", "./library", "ssh://git@git.example.org:2222/team/dags/library"),
        ("/srv/dags", "../library", "/srv/library"),
        ("/srv/dags", "https://git.example.org/x", "https://git.example.org/x"),
    ],
)
def test_a_relative_address_is_resolved(repository_address: str, address: str, resolved: str) -> None:
    assert resolve_address(repository_address, address) == resolved


@pytest.mark.parametrize(
    ("address", "has_token"),
    [
        ("https://git.example.org/team/library.git", True),
        ("https://elsewhere.example.org/team/library.git", False),
        ("http://git.example.org/x", False),
        ("https://git.example.org:8443/x", False),
        ("/srv/library", False),
        ("git@git.example.org:x", False),
    ],
)
def test_the_password_goes_to_the_server_of_the_repository_only(address: str, has_token: bool) -> None:
    access = GitAccess("https://git.example.org/team/dags.git", "robot", "token", {"key_file": "/key"})
    chosen = choose_access(access, address)
    assert (chosen.url, chosen.token, chosen.login) == (
        address,
        "token" if has_token else None,
        "robot" if has_token else None,
    )
    assert chosen.extra == {"key_file": "/key"}


class MadeTree:
    """A mirror with one submodule, whose path no git would have written."""

    name = "team"

    def __init__(self, path: str) -> None:
        self._path = path

    def read_mirror(self, mirror: Path, *arguments: str) -> str:
        return f"160000 commit {'a' * 40}\t{self._path}\0" if "-r" in arguments else ""

    def fetch_commit(self, mirror: Path, access: GitAccess, commit: str) -> None:
        raise AssertionError("nothing is fetched")


@pytest.mark.parametrize("path", ["../other", "dags/../../other", "/etc", ".git/hooks", "dags/.git"])
def test_a_submodule_whose_path_leads_out_of_its_folder_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(DagBundleError, match="would lead out of its folder; remove it from the repository"):
        list(
            fetch_submodules(
                MadeTree(path), GitAccess("https://git.example.com/team.git"), tmp_path, tmp_path, "b" * 40
            )
        )
