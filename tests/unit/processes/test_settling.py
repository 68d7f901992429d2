"""A new interpreter, before author code runs in it."""

from __future__ import annotations

import sys

import pytest

from gnomon.processes import settling


@pytest.mark.parametrize("name", settling.FORBIDDEN)
def test_where_something_of_the_store_is_no_author_code_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for each in settling.FORBIDDEN:
        monkeypatch.delitem(sys.modules, each, raising=False)
    settling.refuse_store()
    monkeypatch.setitem(sys.modules, name, sys)
    with pytest.raises(RuntimeError, match=f"must not import {name}$"):
        settling.refuse_store()
