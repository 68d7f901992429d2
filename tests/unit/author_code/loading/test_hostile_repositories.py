"""A Git bundle of a hostile repository writes and deletes nothing outside of its folder, runs no command, sends no password elsewhere, and has bounds."""

from __future__ import annotations

import base64
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.git_repository import GitRepository

from gnomon.author_code.loading.bundles import bundle_loader, git_bundle, git_submodules
from gnomon.author_code.loading.bundles.base_bundle import DagBundleError
from gnomon.author_code.loading.bundles.git_access import GitAccess
from gnomon.author_code.loading.bundles.git_bundle import GitDagBundle
from gnomon.ground.config import current_config, load_config, set_current_config
from gnomon.ground.config.dag_bundles import GIT_BUNDLE_CLASS, find_dag_bundle

pytestmark = pytest.mark.ordinary
Make = Callable[..., GitDagBundle]


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository(tmp_path / "origin")


@pytest.fixture
def bundle(repository: GitRepository, tmp_path: Path) -> Iterator[Make]:
    def make(version: str | None = None, **kwargs: Any) -> GitDagBundle:
        arguments = {"tracking_ref": "main", "repo_url": str(repository.folder), "submodules": True, **kwargs}
        listed = json.dumps([{"name": "team", "classpath": GIT_BUNDLE_CLASS, "kwargs": arguments}])
        set_current_config(load_config({"GNOMON__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": listed}, tmp_path / "home"))
        made = bundle_loader.create_bundle(find_dag_bundle(current_config(), "team"), version)
        assert isinstance(made, GitDagBundle)
        return made

    yield make
    set_current_config(None)


def feed(repository: GitRepository, content: bytes, *words: str) -> str:
    """The output of git, which reads `content`."""
    return (
        subprocess.run(["git", *words], cwd=repository.folder, input=content, check=True, capture_output=True)
        .stdout.decode()
        .strip()
    )


def write_tree(repository: GitRepository, entries: dict[bytes, tuple[bytes, str]]) -> str:
    """A tree with entries that git itself would not write."""
    content = b"".join(
        mode + b" " + name + b"\0" + bytes.fromhex(object_id) for name, (mode, object_id) in entries.items()
    )
    return feed(repository, content, "hash-object", "-t", "tree", "-w", "--stdin", "--literally")


def commit_tree(repository: GitRepository, tree: str) -> str:
    commit = repository.git("commit-tree", tree, "-m", "hostile")
    repository.git("update-ref", "refs/heads/main", commit)
    return commit


def submodule_at(repository: GitRepository, path: str, address: str, commit: str, **others: tuple[bytes, str]) -> str:
    """A commit with one submodule at the top, and its `.gitmodules`."""
    listed = feed(
        repository, f'[submodule "one"]\n\tpath = {path}\n\turl = {address}\n'.encode(), "hash-object", "-w", "--stdin"
    )
    return commit_tree(
        repository, write_tree(repository, {b".gitmodules": (b"100644", listed), path.encode(): (b"160000", commit)})
    )


@pytest.mark.parametrize(
    "name",
    [
        b"../out.py",
        b"..",
        b"/tmp/out.py",
        b".git",
        b".GIT/config",
        b".git/hooks/post-checkout",
        b"a/../../out.py",
        b".",
    ],
)
def test_a_tree_with_a_name_that_leads_out_is_refused_and_writes_nothing(
    name: bytes, repository: GitRepository, bundle: Make, tmp_path: Path
) -> None:
    blob = feed(repository, b"evil", "hash-object", "-w", "--stdin")
    commit_tree(repository, write_tree(repository, {name: (b"100644", blob)}))

    with pytest.raises(DagBundleError):
        bundle().initialize()

    assert not list(tmp_path.rglob("out.py"))
    assert not (bundle().path / ".git").exists()


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c touch% {mark}",
        "ext::touch {mark}",
        "--upload-pack=touch {mark}",
        "-u touch {mark}",
        "fd::0",
        "ssh://-oProxyCommand=touch%20{mark}/x",
        "-oProxyCommand=touch {mark}:x",
        "transport::x",
    ],
)
def test_the_address_of_a_submodule_runs_no_command(
    address: str, repository: GitRepository, bundle: Make, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    submodule_at(repository, "lib", address.format(mark=mark), "1" * 40)

    with pytest.raises(DagBundleError):
        bundle().initialize()

    assert not mark.exists()


@pytest.mark.parametrize("address", ["{folder}", "file://{folder}", "file://localhost{folder}"])
def test_a_repository_of_a_server_gets_no_submodule_from_this_machine(
    address: str, tmp_path: Path, bundle: Make
) -> None:
    secret = GitRepository(tmp_path / "secret")
    commit = secret.commit(plans="1")
    access = git_submodules.choose_access(
        GitAccess("https://git.example.org/team/dags", "robot", "pass"), address.format(folder=secret.folder)
    )

    with pytest.raises(DagBundleError, match="cannot be fetched"):
        bundle().fetch_commit(tmp_path / "mirror", access, commit)


def test_a_link_on_the_way_to_a_former_submodule_deletes_nothing_outside(
    repository: GitRepository, bundle: Make, tmp_path: Path
) -> None:
    library = GitRepository(tmp_path / "library")
    library.commit(words="1")
    (tmp_path / "victim" / "b").mkdir(parents=True)
    (tmp_path / "victim" / "b" / "kept.txt").write_text("kept")
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.folder), "a/b")
    repository.commit(flow="1")
    tracked = bundle()
    tracked.initialize()
    link = feed(repository, str(tmp_path / "victim").encode(), "hash-object", "-w", "--stdin")
    listed = feed(
        repository, f'[submodule "z"]\n\tpath = z\n\turl = {library.folder}\n'.encode(), "hash-object", "-w", "--stdin"
    )
    blob = feed(library, b"evil", "hash-object", "-w", "--stdin")
    bad = commit_tree(
        library, write_tree(library, {b"..": (b"100644", blob)})
    )  # its files cannot be written: the refresh ends half-way
    commit_tree(
        repository,
        write_tree(repository, {b".gitmodules": (b"100644", listed), b"a": (b"120000", link), b"z": (b"160000", bad)}),
    )

    for _ in range(3):
        with pytest.raises(DagBundleError):
            tracked.refresh()

    assert (tmp_path / "victim" / "b" / "kept.txt").read_text() == "kept"


def test_a_few_objects_that_name_a_billion_files_are_refused_at_once(repository: GitRepository, bundle: Make) -> None:
    kind, object_id = b"100644", feed(repository, b"dag", "hash-object", "-w", "--stdin")
    for _ in range(9):
        kind, object_id = (
            b"40000",
            write_tree(repository, {f"d{number}".encode(): (kind, object_id) for number in range(10)}),
        )
    commit_tree(repository, object_id)

    with pytest.raises(DagBundleError, match="more than 250,000 files"):
        bundle().initialize()
    with pytest.raises(DagBundleError, match="more than 250,000 files"):
        bundle(submodules=False).initialize()


def test_a_commit_of_more_bytes_than_the_bound_is_refused(
    repository: GitRepository, bundle: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repository.commit(large="x" * 100, small="1")
    monkeypatch.setattr(git_bundle, "BYTES_MAX", 100)

    with pytest.raises(DagBundleError, match="more than 250,000 files or 100 bytes"):
        bundle(commit).initialize()


def test_a_few_trees_with_names_of_a_megabyte_are_refused_at_once(repository: GitRepository, bundle: Make) -> None:
    """Their list would be 250 GB long."""
    blob = feed(repository, b"dag", "hash-object", "-w", "--stdin")
    many = write_tree(repository, {f"f{number:06}".encode(): (b"100644", blob) for number in range(200_000)})
    commit_tree(repository, write_tree(repository, {b"d" * 1_000_000: (b"40000", many)}))

    for submodules in (True, False):
        with pytest.raises(DagBundleError, match="or too long paths"):
            bundle(submodules=submodules).initialize()


def test_many_long_paths_are_refused_though_each_is_short_enough(
    repository: GitRepository, bundle: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(**{f"{number}{'n' * 100}": "1" for number in range(10)})
    monkeypatch.setattr(git_bundle, "LISTING_BYTES_MAX", 1_000)

    with pytest.raises(DagBundleError, match="or too long paths"):
        bundle().initialize()


def nest(tmp_path: Path, depth: int, width: int) -> GitRepository:
    """A repository with so many submodules, each of which has so many again: a few objects and 10 to the power of the depth folders."""
    inner = GitRepository(tmp_path / "inner0")
    commit = inner.commit(plan="1")
    for level in range(1, depth + 1):
        outer = GitRepository(tmp_path / f"inner{level}")
        listed = "".join(
            f'[submodule "{number}"]\n\tpath = m{number}\n\turl = {inner.folder}\n' for number in range(width)
        )
        blob = feed(outer, listed.encode(), "hash-object", "-w", "--stdin")
        entries = {
            b".gitmodules": (b"100644", blob),
            **{f"m{number}".encode(): (b"160000", commit) for number in range(width)},
        }
        inner, commit = outer, commit_tree(outer, write_tree(outer, entries))
    return inner


def test_submodules_count_with_those_inside_of_them(
    tmp_path: Path, bundle: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_bundle, "SUBMODULES_MAX", 20)
    outermost = nest(tmp_path, 6, 5)  # 19,530 in all

    with pytest.raises(DagBundleError, match="more than 20 submodules"):
        bundle(repo_url=str(outermost.folder)).initialize()


def test_the_bytes_of_submodules_count_together(tmp_path: Path, bundle: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    outermost = nest(tmp_path, 1, 5)
    bundle(repo_url=str(outermost.folder)).initialize()
    monkeypatch.setattr(
        git_bundle, "FILES_MAX", 6
    )  # each commit has fewer; .gitmodules and five entries, and five files

    with pytest.raises(DagBundleError, match="with its submodules, has more than 6 files"):
        bundle(outermost.git("rev-parse", "main"), repo_url=str(outermost.folder)).initialize()


@pytest.mark.parametrize("mode", [b"100644", b"120000", b"40000"])
def test_a_list_of_submodules_that_is_too_long_or_no_file_is_refused(
    mode: bytes, repository: GitRepository, bundle: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_submodules, "LIST_BYTES_MAX", 10)
    listed = feed(repository, b'[submodule "one"]\n\tpath = lib\n\turl = https://h/x\n', "hash-object", "-w", "--stdin")
    listed = write_tree(repository, {b"f": (b"100644", listed)}) if mode == b"40000" else listed
    commit_tree(repository, write_tree(repository, {b".gitmodules": (mode, listed), b"lib": (b"160000", "1" * 40)}))

    with pytest.raises(DagBundleError, match="no file of at most 10 bytes"):
        bundle().initialize()


@pytest.mark.parametrize("target", ["/", "..", "../../..", "{outside}"])
def test_a_folder_of_dag_files_that_is_a_link_out_of_the_repository_is_refused(
    target: str, repository: GitRepository, bundle: Make, tmp_path: Path
) -> None:
    blob = feed(repository, target.format(outside=tmp_path).encode(), "hash-object", "-w", "--stdin")
    commit_tree(repository, write_tree(repository, {b"dags": (b"120000", blob)}))

    with pytest.raises(DagBundleError, match="is a link out of the repository"):
        bundle(subdir="dags").initialize()


@contextmanager
def server(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[tuple[int, list[str | None]]]:
    """A server of HTTP, and the logins that were sent to it."""
    logins: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            logins.append(self.headers.get("authorization"))
            answer(self)

        def log_message(self, format: str, *args: object) -> None:
            return

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.daemon_threads = True
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made.server_address[1], logins
    finally:
        made.shutdown()
        thread.join()
        made.server_close()


def want_login(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(401)
    handler.send_header("www-authenticate", 'Basic realm="x"')
    handler.send_header("content-length", "0")
    handler.end_headers()


def test_the_password_goes_to_the_server_of_the_address_alone_not_to_where_it_redirects(
    bundle: Make, tmp_path: Path
) -> None:
    with server(want_login) as (other_port, other_logins):

        def redirect(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(302)
            handler.send_header("location", f"http://127.0.0.1:{other_port}{handler.path}")
            handler.send_header("content-length", "0")
            handler.end_headers()

        with server(redirect) as (port, _):
            for found in (port, other_port):
                access = GitAccess(f"http://127.0.0.1:{found}/team/dags.git", "robot", "pass-word")
                with pytest.raises(DagBundleError) as refused:
                    bundle().fetch_commit(tmp_path / f"mirror{found}", access, "1" * 40)
                assert "pass-word" not in str(refused.value)
                if found == port:
                    assert set(other_logins) == {None}
    assert "Basic " + base64.b64encode(b"robot:pass-word").decode() in other_logins


@pytest.mark.parametrize(
    ("shown", "hidden"),
    [
        ("https://robot:pa@ss@git.example.org/x.git is gone", "pa@ss"),
        ("'https://pass@h/x'", "pass"),
        ("git+ssh://u:pass@h", "pass"),
        ("https://h/x.git?private_token=pass1 is gone", "pass1"),
        ("http://u:p?ss@h/x", "p?ss"),
    ],
)
def test_no_message_shows_a_login_of_an_address(shown: str, hidden: str) -> None:
    assert hidden not in git_bundle._without_login(shown)
    assert git_bundle._without_login(shown).endswith("is gone") is shown.endswith("is gone")
