"""Stamps of what is not a file: variables of the environment, and what of this installation shapes a parse."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from gnomon.config import Config, environment, without_secrets
from gnomon.dagfiles.inputs import ENV, FACTS, MISSING

SHAPING_SECTIONS = ("core", "scheduler", "operators", "sensors", "workers")
"""Options of these sections are defaults of what an author writes."""
_PACKAGES = ("gnomon", "holidays", "exchange_calendars")
"""What days off are worked out with changes what a DAG file gives."""


class KnownFacts:
    """Answers for `env:NAME` and `gnomon:`; the environment of a process and its options do not change while it lives."""

    def __init__(self, environ: Mapping[str, str], installation: str) -> None:
        self._environ = environ
        self._installation = installation

    def __call__(self, name: str) -> str:
        if name.startswith(ENV):
            value = self._environ.get(name[len(ENV) :])
            return MISSING if value is None else _digest(value)
        return self._installation


def facts_of(cfg: Config) -> KnownFacts:
    """The facts of this process: another version of Gnomon, Python or a calendar's library, or another default, means parsing everything again."""
    options = [f"{section}.{name}={value}" for section in SHAPING_SECTIONS
               for name, value in sorted(cfg.for_author_code().section(section).items())]
    environ = without_secrets(environment(), cfg.database_url)
    return KnownFacts(environ, _digest("\n".join([*map(_release, _PACKAGES), sys.version, *options])))


def mark(facts: KnownFacts) -> tuple[str, str]:
    """The input that every file has: this installation, with its stamp."""
    return FACTS, facts(FACTS)


def _release(package: str) -> str:
    """The installed release of a package; `-` where it is not installed (Gnomon itself: run from its source)."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} -"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]
