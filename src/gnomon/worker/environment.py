"""The environment of author code: the worker's, without anything that leads to the database."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_NAMES = re.compile(
    r"(GNOMON|AIRFLOW)__(DATABASE__.*|CORE__SQL_ALCHEMY_CONN.*|CORE__FERNET_KEY.*)"
    r"|PG(HOST|HOSTADDR|PORT|USER|PASSWORD|PASSFILE|DATABASE|SERVICE|SERVICEFILE|OPTIONS|SSL.*)"
    r"|(GNOMON_|AIRFLOW_)?(DATABASE|DB)_UR[IL]|SQLALCHEMY_(DATABASE_)?UR[IL]"
)


def without_database(environ: Mapping[str, str], addresses: Iterable[str]) -> dict[str, str]:
    """The variables that author code may see.

    A variable goes when its name is one that leads to the database, or when its value holds one of `addresses`.
    """
    hidden = [address for address in addresses if address]
    return {
        name: value
        for name, value in environ.items()
        if not _NAMES.fullmatch(name) and not any(address in value for address in hidden)
    }
