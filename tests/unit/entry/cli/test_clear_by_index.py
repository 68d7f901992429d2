"""Clear and mark with upstream or downstream take the related map indices alone, at every door that selects task instances."""

from __future__ import annotations

import json

import pytest
from tests.conformance.case_dags import read_case
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment

from gnomon.testing import Play


@pytest.fixture
def one_index(gnomon: Gnomon, deployment: Deployment) -> Deployment:
    """Run `r` of the case clear-one-map-index has succeeded."""
    deployment.add(read_case("clear-one-map-index"))
    deployment.plays["lst"] = Play(return_length=3)
    deployment.start()
    gnomon("dags", "trigger", "c16", "--run-id", "r")
    deployment.move(30.0)
    return deployment


def _names(gnomon: Gnomon, *args: str) -> list[str]:
    rows = json.loads(gnomon("tasks", *args, "-o", "json").out)
    return [row["task_id"] if row["map_index"] < 0 else f"{row['task_id']}[{row['map_index']}]" for row in rows]


DOWN = ["g.a[1]", "g.b[1]", "after"]
UP = ["lst", "g.s[1]", "g.a[1]", "g.b[1]"]


@pytest.mark.parametrize("act", [("clear",), ("mark", "--state", "skipped")], ids=["clear", "mark"])
@pytest.mark.parametrize(
    ("chosen", "selected"),
    [
        (("g.a[1]", "-d"), DOWN),
        (("g.a", "--map-index", "1", "-d"), DOWN),
        (("-t", r"^g\.a$", "--map-index", "1", "-d"), DOWN),
        (("g.b[1]", "-u"), UP),
        (("g.b", "--map-index", "1", "-u"), UP),
        (("-t", r"^g\.b$", "--map-index", "1", "-u"), UP),
        (("g.a[0]", "g.a[2]", "-d"), ["g.a[0]", "g.a[2]", "g.b[0]", "g.b[2]", "after"]),
        (("g.s[2]", "-u"), ["lst", "g.s[2]"]),
        (("lst", "-d"), ["lst", *(f"g.{task}[{index}]" for task in "sab" for index in range(3)), "after"]),
        (("after", "-u"), ["lst", *(f"g.{task}[{index}]" for task in "sab" for index in range(3)), "after"]),
        (("g.a[1]", "-u", "-d"), ["lst", "g.s[1]", *DOWN]),
    ],
    ids=" ".join,
)
def test_one_map_index_of_a_group_takes_its_own_place_in_the_group(
    act: tuple[str, ...], chosen: tuple[str, ...], selected: list[str], gnomon: Gnomon, one_index: Deployment
) -> None:
    name, *options = act
    assert _names(gnomon, name, "c16", "r", *chosen, *options, "--dry-run") == selected
    assert sorted(_names(gnomon, name, "c16", "r", *chosen, *options)) == sorted(selected), (
        "what is changed is what was shown"
    )


def test_a_mapped_group_with_downstream_clears_one_index_of_each_later_task(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.add(read_case("clear-mapped-group-downstream"))
    deployment.start()
    gnomon("dags", "trigger", "b_clear_mapped_group_downstream", "--run-id", "r")
    deployment.move(30.0)
    assert _names(gnomon, "clear", "b_clear_mapped_group_downstream", "r", "g.t2[1]", "-d", "--dry-run") == [
        "g.t2[1]",
        "g.t3[1]",
    ]
    assert _names(gnomon, "clear", "b_clear_mapped_group_downstream", "r", "g.t3[0]", "-u", "--dry-run") == [
        "g.t2[0]",
        "g.t3[0]",
    ]


def test_a_name_without_the_map_index_is_refused(gnomon: Gnomon, one_index: Deployment) -> None:
    code, _, err = gnomon("tasks", "clear", "c16", "r", "g.a", "after", "--map-index", "1")
    assert code == 1 and "task 'after' has no map index 1 in run 'r'" in err
