"""Hides secrets: from output, and from the environment of author code."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gnomon.ground.config.masking import without_password
from gnomon.ground.config.option import ConfigOption, OptionKey
from gnomon.ground.config.options import find_option
from gnomon.ground.config.sources import PREFIXES

_LEADS_TO_DATABASE = re.compile(
    r"PG(HOST|HOSTADDR|PORT|USER|PASSWORD|PASSFILE|DATABASE|SERVICE|SERVICEFILE|OPTIONS|SSL.*)"
    r"|(GNOMON_|AIRFLOW_)?(DATABASE|DB)_UR[IL]|SQLALCHEMY_(DATABASE_)?UR[IL]|AIRFLOW_FERNET_KEY"
)


def is_secret(key: OptionKey) -> bool:
    """Whether the option must not reach author code."""
    option = find_option(*key)
    return option is not None and option.is_secret and not option.is_for_author_code


def without_secrets(environ: Mapping[str, str], database_url: str = "") -> dict[str, str]:
    """The environment for author code, without variables that set a secret option (by value or by command) or lead to the database.

    AIRFLOW_FERNET_KEY, the key of another installation for `gnomon migrate import`, is one of these. A variable leads to the database by its name, or when its value contains the address, with or without its scheme: drivers
    accept it in many forms.
    """
    addresses = [address for address in (database_url, database_url.partition("://")[2].lstrip("/")) if address]
    return {
        name: value
        for name, value in environ.items()
        if not _LEADS_TO_DATABASE.fullmatch(name)
        and not _sets_a_secret(name)
        and not any(address in value for address in addresses)
    }


def _sets_a_secret(variable: str) -> bool:
    parts = variable.split("__", 2)
    if len(parts) != 3 or parts[0] not in PREFIXES:
        return False
    name = parts[2].lower()
    names = (name, name.removesuffix("_cmd"), name.removesuffix("_secret"))
    return any(is_secret(OptionKey(parts[1].lower(), each)) for each in names)


def mask_secret(option: ConfigOption, text: str) -> str:
    if option.key == ("database", "sql_alchemy_conn"):
        return without_password(text)
    return "(hidden)" if option.is_secret and text else text
