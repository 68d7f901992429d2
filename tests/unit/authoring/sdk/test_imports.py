"""What importing costs, told by the modules that are loaded."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.ordinary

HEAVY = {
    "pendulum",
    "jinja2",
    "psycopg",
    "asyncio",
    "logging",
    "msgspec",
    "inspect",
    "dateutil",
    "zoneinfo",
    "json",
    "hashlib",
    "click",
    "rich",
    "cron_descriptor",
    "yaml",
    "dataclasses",
    "subprocess",
    "socket",
}


def loaded_after(code: str) -> set[str]:
    script = f"import sys\nbefore = set(sys.modules)\n{code}\nprint(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_of_it() -> None:
    found = loaded_after("import gnomon")
    assert {name for name in found if name.startswith("gnomon.")} == set()
    assert found & (HEAVY | {"typing"}) == set()


def test_importing_the_words_of_authors_loads_nothing_heavy() -> None:
    found = loaded_after("from gnomon import DAG, task")
    assert {name.partition(".")[0] for name in found} & HEAVY == set()
    layers = {".".join(name.split(".")[1:3]) for name in found if name.startswith("gnomon.")}
    assert {layer for layer in layers if not layer.startswith("model")} == {
        "authoring",
        "authoring.sdk",
        "ground",
        "ground.clock",
    }


def test_a_param_loads_the_schema_library_only_when_it_has_a_schema() -> None:
    code = "from gnomon.authoring.sdk.arguments.params import Param\nParam(1).resolve()"
    assert "fastjsonschema" not in loaded_after(code)
    assert "fastjsonschema" in loaded_after(code.replace("(1)", "(1, type='integer')"))


@pytest.mark.parametrize(
    "code", ["import gnomon.authoring.sdk.dags.dag_spec", "from gnomon import *", "from gnomon.authoring.sdk import *"]
)
def test_the_zygotes_side_never_loads_the_store(code: str) -> None:
    found = {name.partition(".")[0] for name in loaded_after(code)}
    assert found & {"sqlalchemy", "psycopg", "fastapi", "alembic", "sqlite3"} == set()


def test_type_checkers_see_the_names_that_there_are() -> None:
    import gnomon

    tree = ast.parse(Path(gnomon.__file__).read_text())
    (checked,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        name.asname: f"{node.module}.{name.name}"
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert seen == {name: f"gnomon.authoring.sdk.{module}.{name}" for name, module in gnomon._EXPORTS.items()}


def test_every_exported_name_exists() -> None:
    import gnomon
    from gnomon.authoring import sdk

    for module in (gnomon, sdk):
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
    with pytest.raises(AttributeError, match="no attribute 'dga'"):
        _ = gnomon.dga
