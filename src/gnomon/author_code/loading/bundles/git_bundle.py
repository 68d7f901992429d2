"""A Git repository as a DAG bundle, with the arguments of Airflow's `airflow.providers.git.bundles.git.GitDagBundle`.

The folder of the bundle contains `bare`, a mirror of the repository; `tracking_repo`, the files of the newest commit of `tracking_ref`, in
which a refresh changes only files that differ; and `versions/COMMIT`, the files of the commits that runs keep. With `submodules`, their
mirrors are below `submodules`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gnomon.author_code.loading.bundles.base_bundle import BaseDagBundle, DagBundleError
from gnomon.author_code.loading.bundles.git_access import GitAccess, find_git_access
from gnomon.author_code.loading.bundles.git_submodules import (
    SUBMODULES_MAX,
    CommitSize,
    Submodule,
    fetch_submodules,
    list_submodule_paths,
)
from gnomon.ground.config import environment
from gnomon.model.sentences import say

FETCH_LIMIT_S = 600
"""Seconds after which a command of git is ended."""
FILES_MAX = 250_000
"""Files of one commit."""
BYTES_MAX = 4 * 1024**3
"""Bytes of the files of one commit."""
LISTING_BYTES_MAX = 128 * 1024**2
"""Bytes of the paths of these files together: a few trees with long names can name any number."""
_PIECE = 65_536
"""Bytes that are read at a time, and the most of one path: a path of more than 4,096 cannot be written."""
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_OUTPUT_MAX = 600
"""Characters of git's output that an error shows, from its end."""
_NAMES_SHOWN = 10


class GitDagBundle(BaseDagBundle):
    """The files of a branch, a tag or a commit (`tracking_ref`), or below one folder of them (`subdir`). Its versions are commits.

    `repo_url`: the address, instead of the host of the connection `git_conn_id`. `submodules`: their files are there too. `prune_dotgit_folder` is
    an argument of Airflow and changes nothing: the folders of files never have a folder `.git`.
    """

    supports_versioning = True

    def __init__(
        self,
        *,
        tracking_ref: str,
        subdir: str | None = None,
        git_conn_id: str | None = None,
        repo_url: str | None = None,
        prune_dotgit_folder: bool = True,
        submodules: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if subdir and (os.path.isabs(subdir) or ".." in Path(subdir).parts):
            raise DagBundleError(say("bundle_subdir_is_outside", name=self.name, folder=subdir))
        if self.version is not None and not _COMMIT.fullmatch(self.version):
            raise DagBundleError(say("bundle_version_is_no_commit", version=self.version, name=self.name))
        self.tracking_ref = tracking_ref
        self.subdir = subdir
        self.git_conn_id = git_conn_id
        self.repo_url = repo_url
        self.submodules = submodules
        self.bare_repo_path = self.base_dir / "bare"
        self.repo_path = self.base_dir / "tracking_repo" if self.version is None else self.versions_dir / self.version
        self._access: GitAccess | None = None

    @property
    def path(self) -> Path:
        """The folder with the DAG files."""
        return self.repo_path / self.subdir if self.subdir else self.repo_path

    def initialize(self) -> None:
        """Make `path` exist: fetch the repository if it is not here, or lacks the version. Raises DagBundleError."""
        if self.version is None:
            if not self._tracked_file.exists():
                self.refresh()
        elif not self.repo_path.is_dir():
            with self.lock():
                if not self.repo_path.is_dir():
                    self._make_version(self.version)
        super().initialize()

    def get_current_version(self) -> str | None:
        """The commit whose files are in `path`."""
        if self.version is not None:
            return self.version
        return self._tracked_file.read_text().strip() if self._tracked_file.exists() else None

    def refresh(self) -> None:
        """Fetch, and bring the newest commit of `tracking_ref` into `path`. Raises DagBundleError."""
        if self.version is not None:
            raise DagBundleError(say("bundle_version_never_changes", name=self.name, version=self.version))
        with self.lock():
            self._fetch()
            commit = self._find_commit()
            index = self.base_dir / "tracking.index"
            is_as_wanted = self.repo_path.is_dir() and _submodule_list(index).exists() is self.submodules
            if commit != self.get_current_version() or not is_as_wanted:
                self._check_out(commit, self.repo_path, index)
                temporary = self._tracked_file.with_suffix(".new")
                temporary.write_text(commit)
                temporary.replace(self._tracked_file)
            self._check_subdir(commit)
            self.warning = None if self.submodules else self._describe_missing_submodules(commit)

    def view_url(self, version: str | None = None) -> str | None:
        """The address that `view_url_template` gives for the version; None without one."""
        template = self.view_url_template()
        return (
            None
            if template is None
            else template.format(version=version or self.tracking_ref, subdir=self.subdir or "")
        )

    @property
    def _tracked_file(self) -> Path:
        return self.base_dir / "tracking.commit"

    def _fetch(self) -> None:
        self._fetch_into(
            self.bare_repo_path,
            self._find_access(),
            "+refs/heads/*:refs/heads/*",
            "+refs/tags/*:refs/tags/*",
            remedy=self._access_remedy(),
        )

    def _fetch_into(self, mirror: Path, access: GitAccess, *refspecs: str, remedy: str) -> None:
        if not (mirror / "HEAD").is_file():
            shutil.rmtree(mirror, ignore_errors=True)
            self._git("init", "--quiet", "--bare", str(mirror), what="the mirror cannot be created")
        with access.environment() as variables:
            self._git(
                f"--git-dir={mirror}",
                "fetch",
                "--quiet",
                "--force",
                "--prune",
                "--no-write-fetch-head",
                "--",
                access.url,
                *refspecs,
                variables=variables,
                what=f"{_without_login(access.url)} cannot be fetched",
                remedy=remedy,
            )

    def read_mirror(self, mirror: Path, *arguments: str) -> str:
        """The output of git in the mirror. Raises DagBundleError."""
        return self._git(f"--git-dir={mirror}", *arguments, what="the mirror cannot be read")

    def check_size(self, mirror: Path, commit: str) -> CommitSize:
        """How large the files of the commit are. Raises DagBundleError above the bounds: a few objects of git can name any number of files."""
        arguments = ["git", f"--git-dir={mirror}", "ls-tree", "-r", "-l", "-z", "--full-tree", commit]
        files = size = listed = 0
        rest = b""
        with subprocess.Popen(
            arguments,
            env=self._environment({}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as listing:
            assert listing.stdout is not None
            while piece := listing.stdout.read(_PIECE):
                *entries, rest = (rest + piece).split(b"\0")
                listed += len(piece)
                files += len(entries)
                size += sum(
                    int(length) for entry in entries if (length := entry.partition(b"\t")[0].split()[-1]) != b"-"
                )
                is_long = listed > LISTING_BYTES_MAX or max(map(len, (rest, *entries))) > _PIECE
                if files > FILES_MAX or size > BYTES_MAX or is_long:
                    listing.kill()
                    raise self._refuse_size(commit)
        return CommitSize(files, size)

    def _refuse_size(self, commit: str) -> DagBundleError:
        return DagBundleError(
            say("bundle_is_too_large", name=self.name, commit=commit, number=f"{FILES_MAX:,}", size=f"{BYTES_MAX:,}")
        )

    def fetch_commit(self, mirror: Path, access: GitAccess, commit: str) -> None:
        """Make the mirror of a submodule have the commit, which may be on no branch. Raises DagBundleError."""
        if (mirror / "HEAD").is_file() and self._find_object(commit, mirror) is not None:
            return
        where = f"it is a submodule: check its url in .gitmodules, and whether the login of the bundle may read {_without_login(access.url)}"
        self._fetch_into(mirror, access, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", remedy=where)
        if self._find_object(commit, mirror) is None:
            self._fetch_into(
                mirror,
                access,
                f"+{commit}:refs/submodule/{commit}",
                remedy=f"push commit {commit} of the submodule, or commit another one",
            )

    def _find_access(self) -> GitAccess:
        if self._access is None:
            self._access = find_git_access(self.name, self.repo_url, self.git_conn_id)
        return self._access

    def _access_remedy(self) -> str:
        if self.git_conn_id is None:
            return "check repo_url of the bundle, and give it git_conn_id with a login if the server wants one"
        return f"check host, login, password and extra of connection {self.git_conn_id!r}, and whether this machine reaches the server"

    def _find_commit(self) -> str:
        for name in (
            f"refs/heads/{self.tracking_ref}",
            f"refs/tags/{self.tracking_ref}",
            self.tracking_ref if _COMMIT.fullmatch(self.tracking_ref) else None,
        ):
            commit = self._find_object(name) if name is not None else None
            if commit is not None:
                return commit
        ref_names = self._read(
            "for-each-ref",
            "--format=%(refname:short)",
            "--sort=-committerdate",
            f"--count={_NAMES_SHOWN}",
            "refs/heads",
            "refs/tags",
        ).split()
        raise DagBundleError(
            say(
                "bundle_ref_does_not_exist",
                name=self.name,
                ref=self.tracking_ref,
                url=_without_login(self._find_access().url),
                names=", ".join(ref_names) or "it is empty",
            )
        )

    def _find_object(self, name: str, mirror: Path | None = None) -> str | None:
        result = self._run(
            [f"--git-dir={mirror or self.bare_repo_path}", "rev-parse", "--quiet", "--verify", f"{name}^{{commit}}"], {}
        )
        return result.stdout.strip() if result.returncode == 0 else None

    def _make_version(self, commit: str) -> None:
        """Make the folder of the commit, complete when it appears."""
        if not (self.bare_repo_path / "HEAD").is_file() or self._find_object(commit) is None:
            self._fetch()
        if self._find_object(commit) is None:
            raise DagBundleError(
                say(
                    "bundle_version_is_gone", name=self.name, commit=commit, url=_without_login(self._find_access().url)
                )
            )
        self.versions_dir.mkdir(parents=True, exist_ok=True)
        temporary, index = self.versions_dir / f".{commit}.new", self.versions_dir / f".{commit}.index"
        shutil.rmtree(temporary, ignore_errors=True)
        index.unlink(missing_ok=True)
        try:
            self._check_out(commit, temporary, index)
            temporary.rename(self.repo_path)
        finally:
            for leftover in (index, *index.parent.glob(f"{index.name}.*")):
                leftover.unlink(missing_ok=True)

    def _check_out(self, commit: str, folder: Path, index: Path) -> None:
        """Make `folder` contain the files of the commit, and of its submodules if the bundle has them; files that do not differ are not written."""
        submodules: list[Submodule] = []
        whole = self.check_size(self.bare_repo_path, commit)
        for submodule in (
            fetch_submodules(self, self._find_access(), self.bare_repo_path, self.base_dir / "submodules", commit)
            if self.submodules
            else ()
        ):
            submodules.append(submodule)
            whole = CommitSize(whole.files + submodule.size.files, whole.bytes + submodule.size.bytes)
            if len(submodules) > SUBMODULES_MAX:
                raise DagBundleError(
                    say("bundle_has_many_submodules", name=self.name, most=SUBMODULES_MAX, commit=commit)
                )
            if whole.files > FILES_MAX or whole.bytes > BYTES_MAX:
                raise self._refuse_size(commit)
        list_file = _submodule_list(index)
        before = list_file.read_text().split("\0") if list_file.exists() else []
        for path in {*before} - {submodule.path for submodule in submodules} - {""}:
            if _is_without_links(folder, path):
                shutil.rmtree(folder / path, ignore_errors=True)
            _submodule_index(index, path).unlink(missing_ok=True)
        if submodules:
            list_file.write_text(
                "\0".join({*before} | {submodule.path for submodule in submodules})
            )  # before they are written: a process that is killed leaves none unknown
        self._check_out_mirror(self.bare_repo_path, commit, folder, index)
        for submodule in submodules:
            if not _is_without_links(folder, submodule.path):
                raise DagBundleError(
                    say("submodule_is_behind_link", name=self.name, place=submodule.path, commit=commit)
                )
            self._check_out_mirror(
                submodule.mirror, submodule.commit, folder / submodule.path, _submodule_index(index, submodule.path)
            )
        if self.submodules:
            list_file.write_text("\0".join(submodule.path for submodule in submodules))
        else:
            list_file.unlink(missing_ok=True)

    def _check_out_mirror(self, mirror: Path, commit: str, folder: Path, index: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        Path(f"{index}.lock").unlink(
            missing_ok=True
        )  # left behind by a process that was killed; the lock of the bundle is held
        places = (f"--git-dir={mirror}", f"--work-tree={folder}")
        variables = {"GIT_INDEX_FILE": str(index)}
        what = f"the files of commit {commit} cannot be written to {folder}"
        self._git(*places, "read-tree", "--reset", "-u", commit, variables=variables, what=what, folder=folder)
        self._git(
            *places, "checkout-index", "--all", "--force", "--quiet", variables=variables, what=what, folder=folder
        )

    def _check_subdir(self, commit: str) -> None:
        if not self.path.is_dir():
            raise DagBundleError(
                say(
                    "bundle_subdir_does_not_exist",
                    name=self.name,
                    folder=self.subdir,
                    commit=commit,
                    ref=self.tracking_ref,
                )
            )
        if not Path(os.path.realpath(self.path)).is_relative_to(os.path.realpath(self.repo_path)):
            raise DagBundleError(say("bundle_subdir_is_link", name=self.name, folder=self.subdir, commit=commit))

    def _describe_missing_submodules(self, commit: str) -> str | None:
        """A warning about submodules whose files DAG files may miss; None without such."""
        if not (self.repo_path / ".gitmodules").exists():
            return None
        subdir = None if self.subdir is None else Path(self.subdir)
        paths = [
            path
            for path in list_submodule_paths(self, self.bare_repo_path, commit)
            if subdir is None or subdir in Path(path).parents
        ]
        if not paths:
            return None
        named = ", ".join(paths[:_NAMES_SHOWN])
        return f"DAG bundle {self.name!r} has submodules, whose folders are empty here ({named}); give the bundle submodules=true in its kwargs if DAG files need them"

    def _read(self, *arguments: str) -> str:
        return self._git(f"--git-dir={self.bare_repo_path}", *arguments, what="the mirror cannot be read")

    def _git(
        self,
        *arguments: str,
        what: str,
        variables: Mapping[str, str] | None = None,
        remedy: str = "see the words of git",
        folder: Path | None = None,
    ) -> str:
        """The output of git. Raises DagBundleError with git's words."""
        ended = self._run(list(arguments), variables or {}, folder)
        if ended.returncode != 0:
            words = " ".join(ended.stderr.split())[-_OUTPUT_MAX:]
            for secret in self._access.secrets if self._access is not None else ():
                words = words.replace(secret, "***")
            raise DagBundleError(
                say(
                    "git_of_bundle_failed",
                    name=self.name,
                    reason=what,
                    error=_without_login(words) or f"git ended with exit code {ended.returncode}",
                    remedy=remedy,
                )
            )
        return ended.stdout

    @staticmethod
    def _environment(variables: Mapping[str, str]) -> dict[str, str]:
        inherited = {
            name: value
            for name, value in environment().items()
            if not name.startswith("GIT_") or name in ("GIT_SSL_CAINFO", "GIT_SSL_NO_VERIFY")
        }
        return {**inherited, **variables}

    def _run(
        self, arguments: list[str], variables: Mapping[str, str], folder: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                ["git", "-c", "gc.auto=0", "-c", "core.hooksPath=/dev/null", *arguments],
                env=self._environment(variables),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=FETCH_LIMIT_S,
                check=False,
            )
        except FileNotFoundError:
            raise DagBundleError(say("git_is_missing", name=self.name)) from None
        except subprocess.TimeoutExpired:
            raise DagBundleError(say("git_did_not_end", name=self.name, most=FETCH_LIMIT_S)) from None


def _submodule_list(index: Path) -> Path:
    """The file with the paths of the submodules whose files are in the folder of the index."""
    return Path(f"{index}.submodules")


def _submodule_index(index: Path, path: str) -> Path:
    return Path(f"{index}.{hashlib.sha256(path.encode()).hexdigest()[:20]}")


def _is_without_links(folder: Path, path: str) -> bool:
    """Whether no folder on the way to the path below the folder is a symbolic link, which may lead out of it."""
    return Path(os.path.realpath(folder / path)) == Path(os.path.realpath(folder)) / path


def _without_login(text: str) -> str:
    """The text with the login in each address hidden, and what follows a question mark."""
    return re.sub(r"(\w+://[^\s?'\"]*)\?[^\s'\"]*", r"\1?***", re.sub(r"(\w+://)[^/\s'\"]*@", r"\1***@", text))
