"""Where the DAGs of a simulation come from: a folder, or a folder of a Git revision, which `git archive` writes into a temporary one."""

from __future__ import annotations

import os
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from gnomon.entry.cli.dependencies.dag_lookup import FolderDags, load_folder
from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.config.environment import environment
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

GIT_LIMIT_S = 120
"""The longest time that git may take."""
MAX_BYTES = 1_000_000_000
"""The most bytes of the files of a revision."""
_WORDS_MAX = 300


@dataclass(frozen=True, slots=True)
class DagSource:
    """A folder, or `REVISION:FOLDER`; `base`: the folder from which both are named."""

    text: str
    base: str = "."


def load_source(home: Home, source: DagSource, *, skip_broken: bool = False) -> FolderDags:
    """The DAGs of the folder or revision. Raises UserError as `load_folder`, and for a revision or a folder of it that does not exist."""
    folder = os.path.join(source.base, source.text)
    revision, separator, path = source.text.partition(":")
    if os.path.isdir(folder) or not separator:
        return load_folder(home, folder, skip_broken=skip_broken)
    with tempfile.TemporaryDirectory(prefix="gnomon-revision-") as temporary:
        _write_revision(source, revision, path, temporary)
        return load_folder(home, temporary, shown=source.text, skip_broken=skip_broken)


def _write_revision(source: DagSource, revision: str, path: str, target: str) -> None:
    base = source.base or "."
    commit = _run_git(base, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"])
    if commit is None or not revision:
        raise UserError(say("revision_does_not_exist", revision=revision, folder=os.path.abspath(base)))
    tree = _run_git(base, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}:{path}"])
    if tree is None or _run_git(base, ["cat-file", "-t", tree]) != "tree":
        raise UserError(say("revision_has_no_folder", revision=revision, folder=path))
    with tempfile.TemporaryFile() as packed:
        _run(base, ["archive", "--format=tar", tree], packed)
        if packed.seek(0, os.SEEK_END) > MAX_BYTES:
            raise UserError(say("revision_is_not_read", revision=revision, error=f"more than {MAX_BYTES:,} bytes"))
        packed.seek(0)
        try:
            with tarfile.open(fileobj=packed) as archive:
                archive.extractall(target, filter="data")
        except (tarfile.TarError, OSError) as error:
            raise UserError(say("revision_is_not_read", revision=revision, error=str(error))) from None


def _run_git(base: str, arguments: Sequence[str]) -> str | None:
    """What git writes; None if it says that there is no such thing."""
    ended = _run(base, arguments, None, must_succeed=False)
    return ended.stdout.decode(errors="replace").strip() if ended.returncode == 0 else None


def _run(
    base: str, arguments: Sequence[str], output: IO[bytes] | None, *, must_succeed: bool = True
) -> subprocess.CompletedProcess[bytes]:
    try:
        ended = subprocess.run(
            ["git", "-c", "core.hooksPath=/dev/null", *arguments],
            cwd=base,
            env={**environment(), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if output is None else output,
            stderr=subprocess.PIPE,
            timeout=GIT_LIMIT_S,
            check=False,
        )
    except FileNotFoundError:
        raise UserError(say("revision_needs_git")) from None
    except subprocess.TimeoutExpired:
        raise UserError(say("revision_takes_too_long", most=GIT_LIMIT_S)) from None
    words = " ".join(ended.stderr.decode(errors="replace").split())[-_WORDS_MAX:]
    if "not a git repository" in words or (must_succeed and ended.returncode != 0):
        raise UserError(say("revision_is_not_read", revision=" ".join(arguments[-1:]), error=words))
    return ended
