"""The names of all modules of an Airflow, and which of them Gnomon lacks: the source of three tables of `gnomon.airflow_compat`.

`python -m tests.conformance.airflow_names PYTHON_OF_2... PYTHON_OF_3` adds to `reexported_names.json`, `plain_values.json` and `internal_names.json`
what these Airflows have, by what each name is: imported from elsewhere, a plain value, or anything else. A name that the tree, the coverage
table or one of the tables has already is left alone. `NAMES_SCRIPT` runs in the interpreter of Airflow, which has nothing of Gnomon.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_LOCAL_NAMES = frozenset({"log", "logger", "T", "R", "F", "S", "C", "PS", "RT", "PT", "annotations"})
"""Names of loggers, type variables and `from __future__`, which no other module has a use for."""
FOLDER = Path("src/gnomon/airflow_compat")
Names = dict[str, dict[str, dict[str, Any]]]
"""Module to name to {"home": where it is from} or {"value": the plain value} or {}."""
NAMES_SCRIPT = """
import importlib, json, os, pkgutil, sys, types, typing, warnings
warnings.simplefilter("ignore")
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
import airflow
SKIPPED = ("airflow.providers.", "airflow.migrations.", "airflow.example_dags.", "airflow._", "airflow.sdk._", "airflow.www.node", "airflow.kubernetes.", "airflow.contrib.", "airflow.config_templates.")
CONFIGURED = ("airflow.settings", "airflow.configuration", "airflow.sdk.configuration", "airflow.version")

def is_plain(value):
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(type(key) is str and is_plain(one) for key, one in value.items())
    return value is None or type(value) in (bool, int, float) or (type(value) is str and not value.startswith(("/", "sqlite:")))

def describe(module, name, value):
    if isinstance(value, types.ModuleType):
        return {"home": value.__name__ + ":"}
    home = getattr(value, "__module__", None)
    if type(home) is str and home != module:
        for own in (name, getattr(value, "__name__", name)):
            if getattr(sys.modules.get(home), str(own), None) is value:
                return {"home": home if own == name else home + ":" + own}
    if value is not None and getattr(typing, name, None) is value:
        return {"home": "typing"}
    return {"value": sorted(value) if isinstance(value, (set, frozenset)) else value} if is_plain(value) and module not in CONFIGURED else {}

found = {}
for one in pkgutil.walk_packages(airflow.__path__, "airflow.", onerror=lambda name: None):
    if one.name.startswith(SKIPPED) or one.name.endswith("__main__"):
        continue
    try:
        module = importlib.import_module(one.name)
    except BaseException:
        continue
    found[one.name] = names = {}
    for name in sorted({*dir(module), *getattr(module, "__all__", ())}):
        try:
            if not name.startswith("_"):
                names[name] = describe(one.name, name, getattr(module, name))
        except Exception:
            continue
json.dump(found, out, default=str)
"""


def read_names(python: str) -> Names:
    """The names of the Airflow of that interpreter."""
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [python, "-c", NAMES_SCRIPT],
            env={**os.environ, "AIRFLOW_HOME": home},
            capture_output=True,
            text=True,
            timeout=600,
            check=True,
        )
    names: Names = json.loads(done.stdout)
    return names


def find_missing(names: Names) -> Iterator[tuple[str, str]]:
    """Yield (module, name) for each name that Gnomon, in the dialect of this process, does not have and does not refuse by name; `*`: the module."""
    for module, members in names.items():
        try:
            here = importlib.import_module(module)
        except ImportError as error:
            if "does not exist in Gnomon" in str(error):
                yield module, "*"
            continue
        for name in members:
            try:
                getattr(here, name)
            except (ImportError, AttributeError) as error:
                if "does not exist in Gnomon" in str(error):
                    yield module, name


def is_importable(home: str, name: str) -> bool:
    """Whether Gnomon, or a package of others, has what stands at a home of a name (see `missing_names.make_lazy_exports`)."""
    place, colon, other = home.partition(":")
    root = place.partition(".")[0]
    if root != "airflow":
        return root != "builtins"  # a package that an installation may lack says so itself
    try:
        module = importlib.import_module(place)
        return bool(colon and not other) or hasattr(module, other or name)
    except ImportError:
        return False


def add_names(names: Names) -> None:
    """Add what is missing to the tables in the checkout."""
    tables = {
        name: json.loads((FOLDER / f"{name}.json").read_text())
        for name in ("reexported_names", "plain_values", "internal_names")
    }
    for module, name in find_missing(names):
        described = names[module].get(name, {})
        if (
            name in _LOCAL_NAMES
            or (described.get("home", "").startswith("airflow.") and described["home"].endswith(":"))
            or any(name in table.get(module, ()) for table in tables.values())
        ):
            continue
        if "home" in described and is_importable(described["home"], name):
            tables["reexported_names"].setdefault(module, {})[name] = described["home"]
        elif name.startswith("DEFAULT_") and is_importable("airflow.models.abstractoperator", name):
            tables["reexported_names"].setdefault(module, {})[name] = "airflow.models.abstractoperator"
        elif "value" in described:
            tables["plain_values"].setdefault(module, {})[name] = described["value"]
        else:
            tables["internal_names"].setdefault(module, []).append(name)
    for table, content in tables.items():
        lines = [
            f" {json.dumps(module)}: {json.dumps(sorted(part) if isinstance(part, list) else part, sort_keys=True)}"
            for module, part in sorted(content.items())
        ]
        (FOLDER / f"{table}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main() -> None:
    """The command; each dialect is asked in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="+")
    parser.add_argument("--dialect", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.dialect is None:
        for number, python in enumerate(given.pythons, 1):
            dialect = 3 if number == len(given.pythons) else 2
            command = [sys.executable, "-m", "tests.conformance.airflow_names", python, "--dialect", str(dialect)]
            subprocess.run(
                command, env={**os.environ, "GNOMON__CORE__AIRFLOW_DIALECT": str(dialect)}, timeout=600, check=True
            )
        return
    from gnomon.author_code.loading import dialect as loading

    loading.enable()
    add_names(read_names(given.pythons[0]))


if __name__ == "__main__":
    main()
