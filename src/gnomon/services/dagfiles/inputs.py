"""Inputs of a DAG file: stamps that are cheap to compare, and a hash over the content that decides.

An input is a file, a folder listing (`/folder/`, with a slash at the end), an environment variable (`env:NAME`) or this
installation (`gnomon:`). Equal stamps: unchanged. Different stamps: the content is hashed, and the DAG file is parsed again
only when the hash differs.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version

from gnomon.author_code.loading.listeners import list_listener_files
from gnomon.author_code.loading.regular_files import open_regular_file
from gnomon.ground.config import Config, environment, without_secrets
from gnomon.model.spec import FileInputs

MISSING = "-"
"""The stamp of an input that does not exist; when such a file appears later, the input has changed."""
UNKNOWN = "?"
"""The stamp of an input that changed while it was read: different from every stamp, so the content decides."""
HASHED_MAX = 64 * 1024 * 1024
"""For a longer file the stamp is used instead of the content (bytes)."""
ENV = "env:"
INSTALLATION = "gnomon:"

StampOf = Callable[[str], str]
"""The stamp of an input that is not a path: of `env:NAME` and `gnomon:`."""


def stamp_of(path: str, facts: StampOf) -> str:
    """A text that changes whenever the input does: times, size and inode of a file or folder. Never raises."""
    if path.startswith((ENV, INSTALLATION)):
        return facts(path)
    try:
        stat_result = os.stat(path)
    except FileNotFoundError:
        return MISSING
    except (OSError, ValueError) as error:
        return f"!{getattr(error, 'errno', 0)}"
    return f"{stat_result.st_mtime_ns:x}.{stat_result.st_ctime_ns:x}.{stat_result.st_size:x}.{stat_result.st_ino:x}"


def content_hash(path: str, facts: StampOf) -> str:
    """A digest of the content of the input. Never raises."""
    if path.startswith((ENV, INSTALLATION)):
        return facts(path)
    try:
        if path.endswith("/"):
            names = sorted(name for name in os.listdir(path) if name != "__pycache__")
            return hashlib.sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()
        with open_regular_file(path) as opened:
            text = opened.read(HASHED_MAX + 1)
            return stamp_of(path, facts) if len(text) > HASHED_MAX else hashlib.sha256(text).hexdigest()
    except FileNotFoundError:
        return MISSING
    except (OSError, ValueError) as error:
        return f"!{getattr(error, 'errno', 0)}"


def combined_hash(paths: Iterable[str], facts: StampOf) -> str:
    """One hash over the content of all inputs; equal in every process that reads the same content."""
    whole = hashlib.sha256()
    for path in sorted(set(paths)):
        whole.update(f"{path}\0{content_hash(path, facts)}\n".encode(errors="surrogateescape"))
    return whole.hexdigest()[:32]


def collect_inputs(
    stamped: dict[str, str], facts: StampOf, *, has_volatile_import: bool, fresh: str | None, answers: str | None = None
) -> FileInputs:
    """The inputs of a parse that just ended. `stamped`: path to its stamp before it was read first.

    `answers`: the digest of the Task API answers that the file got during the import. With other answers the hash differs, so
    that a process that imported the file with old answers does not run its tasks.
    """
    whole = combined_hash(stamped, facts)
    if answers is not None:
        whole = hashlib.sha256(f"{whole}\0{answers}".encode()).hexdigest()[:32]
    paths = tuple(
        (path, before if stamp_of(path, facts) == before else UNKNOWN) for path, before in sorted(stamped.items())
    )
    return FileInputs(input_hash=whole, paths=paths, has_volatile_import=has_volatile_import, fresh=fresh)


class StampCache:
    """Stamps of one check of many files: each path is examined once."""

    def __init__(self, facts: StampOf) -> None:
        self._facts = facts
        self._stamps: dict[str, str] = {}

    def stamp(self, path: str) -> str:
        stamp = self._stamps.get(path)
        if stamp is None:
            stamp = self._stamps[path] = stamp_of(path, self._facts)
        return stamp

    def renewed(self, inputs: FileInputs) -> FileInputs | None:
        """The inputs with current stamps when their content is unchanged; None when the file must be parsed again."""
        now = tuple((path, self.stamp(path)) for path, _ in inputs.paths)
        if now == inputs.paths:
            return inputs
        if combined_hash((path for path, _ in now), self._facts) != inputs.input_hash:
            return None
        return FileInputs(
            input_hash=inputs.input_hash, paths=now, has_volatile_import=inputs.has_volatile_import, fresh=inputs.fresh
        )


SHAPING_SECTIONS = ("core", "scheduler", "operators", "sensors", "workers")
"""Sections whose options are defaults of arguments that authors write."""
_PACKAGES = ("gnomon", "holidays", "exchange_calendars")
"""Packages whose version changes what a DAG file gives (the last two compute holidays)."""


class EnvironmentStamps:
    """Gives the stamps of `env:NAME` and `gnomon:`; environment and options of a process do not change while it runs."""

    def __init__(self, environ: Mapping[str, str], installation: str) -> None:
        self._environ = environ
        self._installation = installation

    def __call__(self, name: str) -> str:
        if name.startswith(ENV):
            value = self._environ.get(name[len(ENV) :])
            return MISSING if value is None else _digest(value)
        return self._installation


def create_environment_stamps(cfg: Config) -> EnvironmentStamps:
    """The stamps of this process.

    Another version of Gnomon, Python or a calendar library, another default, or another plugin with listeners changes all of them.
    """
    options = [
        f"{section}.{name}={value}"
        for section in SHAPING_SECTIONS
        for name, value in sorted(cfg.for_author_code().section(section).items())
    ]
    environ = without_secrets(environment(), cfg.database_url)
    return EnvironmentStamps(
        environ,
        _digest(
            "\n".join(
                [
                    *map(_installed_release, _PACKAGES),
                    sys.version,
                    *options,
                    *list_listener_files(str(cfg.plugins_folder)),
                ]
            )
        ),
    )


def installation_input(facts: EnvironmentStamps) -> tuple[str, str]:
    """The input that every DAG file has: this installation, with its stamp."""
    return INSTALLATION, facts(INSTALLATION)


def _installed_release(package: str) -> str:
    """The installed release of a package; `-` where it is not installed (Gnomon itself: when it runs from a source tree)."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} -"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]
