"""The submodules of a commit: which there are, where they come from, and with which login.

A submodule has a mirror of its own below the folder `submodules` of its bundle. The password of the connection of the bundle is used
for submodules of the same server only, because whoever commits `.gitmodules` chooses their addresses; the SSH key is used for all.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from gnomon.author_code.loading.bundles.base_bundle import DagBundleError
from gnomon.author_code.loading.bundles.git_access import GitAccess
from gnomon.model.sentences import say

DEPTH_MAX = 10
"""How deep submodules may contain submodules."""
SUBMODULES_MAX = 100
"""Submodules of a commit, with those inside of them: each may have so many again."""
LIST_BYTES_MAX = 1_000_000
"""Bytes of a file `.gitmodules`."""
_GITLINK = "160000"
_FORBIDDEN = frozenset({"", ".", "..", ".git"})
"""Parts of a path that no git writes, and that a made object may have nevertheless."""
_PROTOCOLS = ("https", "http", "ssh", "git")
"""Whoever commits `.gitmodules` chooses an address: not `ext::`, which runs a command, and no folder of this machine, such as the mirror of another bundle."""
_SCP_ADDRESS = re.compile(r"(?P<server>[^/:]+):(?P<path>.*)")


class MirrorReader(Protocol):
    """Reads and fetches mirrors for a bundle; GitDagBundle."""

    name: str

    def read_mirror(self, mirror: Path, *arguments: str) -> str:
        """The output of git in the mirror. Raises DagBundleError."""

    def check_size(self, mirror: Path, commit: str) -> CommitSize:
        """Raises DagBundleError when the commit has too many files."""

    def fetch_commit(self, mirror: Path, access: GitAccess, commit: str) -> None:
        """Make the mirror have the commit. Raises DagBundleError."""


class CommitSize(NamedTuple):
    """How large the files of a commit are, without those of submodules."""

    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Submodule:
    """A submodule of a commit, or of one of its submodules."""

    path: str
    """Its folder, relative to that of the repository."""
    commit: str
    mirror: Path
    size: CommitSize


def list_submodule_paths(reader: MirrorReader, mirror: Path, commit: str) -> dict[str, str]:
    """Path to commit of the submodules that the commit has, without those inside of them."""
    commits = {}
    for entry in reader.read_mirror(mirror, "ls-tree", "-r", "-z", "--full-tree", commit).split("\0"):
        facts, _, path = entry.partition("\t")
        if facts.startswith(f"{_GITLINK} "):
            commits[path] = facts.split()[2]
    return commits


def fetch_submodules(
    reader: MirrorReader, access: GitAccess, mirror: Path, folder: Path, commit: str, prefix: str = "", depth: int = 0
) -> Iterator[Submodule]:
    """Fetch the submodules of a commit into mirrors below `folder`, and yield them, each before those inside of it. Raises DagBundleError."""
    paths = list_submodule_paths(reader, mirror, commit)
    if not paths:
        return
    if depth >= DEPTH_MAX:
        raise DagBundleError(say("submodules_are_too_deep", name=reader.name, most=DEPTH_MAX, place=prefix))
    if len(paths) > SUBMODULES_MAX:
        raise DagBundleError(
            say(
                "commit_has_many_submodules",
                name=reader.name,
                number=f"{len(paths):,}",
                commit=commit,
                most=SUBMODULES_MAX,
            )
        )
    addresses = _read_addresses(reader, mirror, commit)
    for path, submodule_commit in sorted(paths.items()):
        place = posixpath.join(prefix, path)
        if not _FORBIDDEN.isdisjoint(path.split("/")):
            raise DagBundleError(say("submodule_leads_out", name=reader.name, place=place, commit=commit))
        address = addresses.get(path)
        if address is None:
            raise DagBundleError(say("submodule_has_no_address", name=reader.name, place=place, commit=commit))
        source = choose_access(access, resolve_address(access.url, address))
        of_submodule = folder / hashlib.sha256(source.url.encode()).hexdigest()[:20]
        reader.fetch_commit(of_submodule, source, submodule_commit)
        yield Submodule(place, submodule_commit, of_submodule, reader.check_size(of_submodule, submodule_commit))
        yield from fetch_submodules(reader, source, of_submodule, folder, submodule_commit, place, depth + 1)


def resolve_address(repository: str, address: str) -> str:
    """The address of a submodule; one that begins with ./ or ../ is relative to that of the repository, as for git."""
    if not address.startswith(("./", "../")):
        return address
    scp = None if "://" in repository else _SCP_ADDRESS.fullmatch(repository)
    if scp is not None:
        return f"{scp['server']}:{posixpath.normpath(posixpath.join(scp['path'], address))}"
    scheme, separator, rest = repository.rpartition("://")
    return f"{scheme}{separator}{posixpath.normpath(posixpath.join(rest, address))}"


def choose_access(access: GitAccess, address: str) -> GitAccess:
    """How to fetch from the address: with the password only if it is on the server of the repository, and from this machine only if that is too."""
    same = _server_of(address) == _server_of(access.url)
    own = _server_of(access.url)[0]
    chosen = replace(access, url=address, protocols=tuple(dict.fromkeys((*_PROTOCOLS, own))))
    return chosen if same else replace(chosen, login=None, token=None)


def _server_of(address: str) -> tuple[str, str | None, int | None]:
    if "://" in address:
        parts = urlsplit(address)
        return parts.scheme, parts.hostname, parts.port
    scp = _SCP_ADDRESS.fullmatch(address)
    return ("file", None, None) if scp is None else ("ssh", scp["server"].rpartition("@")[2], None)


def _read_addresses(reader: MirrorReader, mirror: Path, commit: str) -> dict[str, str]:
    """Path to address of the submodules that `.gitmodules` names."""
    listed = (
        reader.read_mirror(mirror, "ls-tree", "-l", "--full-tree", commit, ".gitmodules").partition("\t")[0].split()
    )
    if not listed:
        return {}
    if not listed[-1].isdigit() or int(listed[-1]) > LIST_BYTES_MAX:
        raise DagBundleError(
            say("submodule_file_is_too_large", name=reader.name, commit=commit, number=f"{LIST_BYTES_MAX:,}")
        )
    values: dict[str, dict[str, str]] = {}
    for entry in reader.read_mirror(mirror, "config", "--blob", f"{commit}:.gitmodules", "-z", "--list").split("\0"):
        key, _, value = entry.partition("\n")
        section, _, rest = key.partition(".")
        name, _, field = rest.rpartition(".")
        if section == "submodule":
            values.setdefault(name, {})[field] = value
    return {section["path"]: section["url"] for section in values.values() if "path" in section and "url" in section}
