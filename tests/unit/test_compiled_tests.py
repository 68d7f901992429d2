"""A new checkout: which modules of tests are compiled before the processes of a run begin, and that pytest then has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import compiled_tests
from tests.compiled_tests import compile_modules, find_modules


def test_the_modules_that_pytest_has_not_compiled_are_compiled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_tests, "PROCESSES", 1)
    (tmp_path / "conftest.py").write_text(
        "import sys\n\ndef pytest_configure():\n    sys.dont_write_bytecode = False\n"
    )
    modules = [tmp_path / "a" / "test_one.py", tmp_path / "test_broken.py", tmp_path / "test_two.py"]
    modules[0].parent.mkdir()
    for module in modules:
        module.write_text("1 / 0" if module.stem == "test_broken" else "def test() -> None:\n    assert True\n")
    assert find_modules(tmp_path) == modules
    compile_modules(modules, tmp_path)
    assert find_modules(tmp_path) == []
