"""The coverage table says what is so, and each module of the tree lists what it exports."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from gnomon.airflow_compat import coverage, tree_exports
from gnomon.airflow_compat.coverage_row import CoverageRow, CoverageStatus
from gnomon.airflow_compat.missing_names import NameNotProvided
from gnomon.airflow_compat.old_names import is_old_package
from gnomon.airflow_compat.stand_ins import NotSupported, RefusingMeta

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "airflow-coverage.md"
EXPORTS_SCRIPT = """
import importlib, json
from gnomon.airflow_compat import enable, tree_exports
enable()
exports = {}
for name in tree_exports.list_modules():
    module = importlib.import_module(name)
    defined = [key for key, value in vars(module).items() if key[0] != "_" and getattr(value, "__module__", "") == name]
    exports[name] = list(getattr(module, "__all__", ())), defined
print(json.dumps(exports))
"""
"""For each module of the tree: its `__all__`, and the public names of the functions and classes that it defines itself."""


def _rows(*statuses: CoverageStatus) -> list[CoverageRow]:
    return [row for row in coverage.list_rows() if row.status in statuses]


def _id(row: CoverageRow) -> str:
    return f"{row.module}-{row.names[0]}"


def _get(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize("row", _rows(CoverageStatus.PROVIDED), ids=_id)
def test_what_is_provided_is_there_and_no_stand_in(row: CoverageRow) -> None:
    if row.why == coverage.OBJECT_STORAGE and find_spec("upath") is None:
        for name in row.names:
            with pytest.raises(ImportError, match=r"gnomon\[object-storage\]"):
                _get(row.module, name)
        return
    for name in row.names:
        value = _get(row.module, name)
        assert not isinstance(value, RefusingMeta), name
        assert getattr(value, "__module__", None) != "gnomon.airflow_compat.stand_ins", name


@pytest.mark.parametrize("row", _rows(CoverageStatus.WORD), ids=_id)
def test_a_word_can_be_imported_and_says_why(row: CoverageRow) -> None:
    assert row.why
    for name in row.names:
        assert not isinstance(_get(row.module, name), RefusingMeta), name


@pytest.mark.parametrize("row", _rows(CoverageStatus.REFUSES), ids=_id)
def test_what_refuses_can_be_imported_and_raises_on_use_with_the_reason(row: CoverageRow) -> None:
    for name in row.names:
        value = _get(row.module, name)
        if name == "NEW_SESSION":
            assert value is None
        elif name == "provide_session":
            with pytest.raises(NotSupported, match="no session"):
                value(lambda session=None: None)()
        elif name == "create_session":
            with pytest.raises(NotSupported, match="no session"), value():
                pass
        else:
            with pytest.raises(NotSupported) as raised:
                value()
            assert row.why in str(raised.value)
            assert "airflow-coverage.md" in str(raised.value)


@pytest.mark.parametrize("row", _rows(CoverageStatus.LATER), ids=_id)
def test_what_is_not_there_yet_cannot_be_imported_and_says_why(row: CoverageRow) -> None:
    for name in row.names:
        with pytest.raises(ImportError) as raised:
            if name == "*":  # a package with paths of Airflow 1.10 is there, for the errors of its modules
                importlib.import_module(f"{row.module}.absent" if is_old_package(row.module) else row.module)
            else:
                _get(row.module, name)
        assert row.why in str(raised.value)
        assert row.module in str(raised.value)
        assert "airflow-coverage.md" in str(raised.value)


@pytest.mark.ordinary
def test_each_module_lists_what_it_exports() -> None:
    exports = json.loads(subprocess.check_output([sys.executable, "-c", EXPORTS_SCRIPT]))
    assert sorted(exports) == tree_exports.list_modules()
    for module, (listed, defined) in exports.items():
        assert listed == list(tree_exports.read_exports(module)), module
        assert set(defined) <= set(listed), module


def test_no_name_has_two_rows() -> None:
    names = Counter((row.module, name) for row in coverage.list_rows() for name in row.names)
    assert [name for name, count in names.items() if count > 1] == []


def test_the_reference_page_is_the_table() -> None:
    assert PAGE.read_text() == coverage.render_markdown(), "write it again: python docs/generate.py airflow-coverage"


def test_an_unknown_name_and_an_unknown_module_are_explained() -> None:
    with pytest.raises(
        NameNotProvided, match=r"airflow.models.variable.Wariable does not exist in Gnomon.*airflow-coverage"
    ):
        _get("airflow.models.variable", "Wariable")
    with pytest.raises(ImportError, match=r"airflow.models.wariable does not exist in Gnomon.*airflow-coverage"):
        importlib.import_module("airflow.models.wariable")
    with pytest.raises(ImportError, match=r"airflow.modelz does not exist in Gnomon"):
        importlib.import_module("airflow.modelz")
