"""A new interpreter, before author code runs in it."""

from __future__ import annotations

import sys

import pytest

from gnomon.author_code.processes import child_setup

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("name", child_setup.FORBIDDEN_MODULES)
def test_where_something_of_the_store_is_no_author_code_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for each in child_setup.FORBIDDEN_MODULES:
        monkeypatch.delitem(sys.modules, each, raising=False)
    child_setup.check_store_not_imported()
    monkeypatch.setitem(sys.modules, name, sys)
    with pytest.raises(RuntimeError, match=f"must not import {name}$"):
        child_setup.check_store_not_imported()
