"""What a forecast says before its figures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench.projection import build_snapshot

from gnomon.entry.projection.forecast import list_assumptions
from gnomon.model.sentences import render

pytestmark = pytest.mark.pure


def test_a_pool_that_does_not_exist_is_named_with_the_command_that_makes_it() -> None:
    snapshot = build_snapshot(2, 1, 2)
    sentences = [render(sentence) for sentence in list_assumptions(replace(snapshot, pools=[]), [], 60.0)]
    assert sentences[0] == "pool default_pool does not exist; make it with: gnomon pools set default_pool 16"


def test_nothing_is_said_of_pools_that_exist_or_that_only_paused_dags_name() -> None:
    snapshot = build_snapshot(2, 1, 2)
    paused = replace(snapshot.state, dags=[replace(dag, paused=True) for dag in snapshot.state.dags])
    for quiet in (snapshot, replace(snapshot, state=paused, pools=[])):
        assert not [each for each in list_assumptions(quiet, [], 60.0) if each.code == "pool_does_not_exist"]
