"""The names of provider packages: the short names that users write, and the package that has a module `airflow.providers....`."""

from __future__ import annotations

import linecache
import re
import traceback

from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

PREFIX = "apache-airflow-providers-"
NAMESPACES = frozenset({"apache", "atlassian", "cncf", "common", "dbt", "microsoft"})
"""Parts after `airflow.providers` that are no provider: the package has one part more, as in `airflow.providers.apache.kafka`."""
BUILT_IN = frozenset({"apache-airflow-providers-standard"})
"""Packages whose modules Gnomon has itself."""
OTHER_PACKAGES = ("astronomer-", "airflow-", "dag-factory")
"""How the names of packages begin that are written for Airflow and are no provider of the project: they are asked for by their full name."""
_BUILT_IN_MODULE = "airflow.providers.common.compat.sdk"
"""A module of a provider package that Gnomon has itself."""
AIRFLOW_PACKAGES = frozenset({"apache-airflow", "apache-airflow-core", "apache-airflow-task-sdk"})
"""Requirements that Gnomon takes the place of."""
_IMPORT = re.compile(r"\s*(?:from|import)\s+(airflow\.providers\.[\w.]+)")


def normalize_package(text: str) -> str:
    """Return the requirement for what a user writes: `http`, `common.sql`, `cncf-kubernetes==10.0`, `amazon[s3fs]`, or a full name.

    A full name may also be one of another author: `astronomer-cosmos`, `dag-factory`, `airflow-provider-...`.

    Raises UserError for a text that is not a requirement.
    """
    from packaging.requirements import InvalidRequirement, Requirement  # start-up cost
    from packaging.utils import canonicalize_name

    word = text.strip()
    word = word.removeprefix("airflow.providers.")
    try:
        parsed = Requirement(word)
    except InvalidRequirement as error:
        raise UserError(say("provider_name_is_invalid", name=text, error=str(error).splitlines()[0])) from None
    name = canonicalize_name(parsed.name)
    if name in AIRFLOW_PACKAGES:
        raise UserError(say("provider_is_airflow", name=name))
    parsed.name = name if name.startswith((PREFIX, "apache-airflow", *OTHER_PACKAGES)) else PREFIX + name
    return str(parsed)


def find_package(module: str) -> str | None:
    """Return the provider package that has a module `airflow.providers.X...`; None for other modules and for those that Gnomon has."""
    parts = module.split(".")
    if parts[:2] != ["airflow", "providers"] or len(parts) < 3:
        return None
    names = parts[2:4] if parts[2] in NAMESPACES else parts[2:3]
    package = PREFIX + "-".join(names).replace("_", "-")
    if package in BUILT_IN or (parts[2] in NAMESPACES and len(parts) < 4) or ".".join(parts[:5]) == _BUILT_IN_MODULE:
        return None
    return package


def find_missing_module(error: BaseException) -> str:
    """Return the module that an import did not find, "" for another error; a module of a provider by its full name.

    Python names the first folder of the path that is missing: `airflow.providers.microsoft`, where several packages have their modules.
    """
    cause = (
        error.__context__
        if isinstance(error.__context__, ModuleNotFoundError) and str(error.__context__) == str(error)
        else error
    )
    name = str(getattr(cause, "name", None) or "")
    if not name.startswith("airflow.providers."):
        return name
    for frame in reversed(traceback.extract_tb(cause.__traceback__)):
        match = _IMPORT.match(linecache.getline(frame.filename, frame.lineno or 0))
        if match is not None:
            return match[1] if match[1].startswith(f"{name}.") else name
    return name


def find_absent_package(error: BaseException) -> str | None:
    """Return the provider package that must be installed because nothing of it is there; None for another error."""
    missing = str(getattr(error, "name", None) or "")
    return find_package(find_missing_module(error)) if is_package_root(missing) else None


def is_package_root(module: str) -> bool:
    """Return whether the name is that of a provider package's first module, or of a family of packages, such as `airflow.providers.microsoft`."""
    parts = module.split(".")
    return parts[:2] == ["airflow", "providers"] and 3 <= len(parts) <= (4 if parts[2] in NAMESPACES else 3)


def shorten(package: str) -> str:
    """Return the name that `gnomon providers install` takes for a package."""
    return package.removeprefix(PREFIX)
