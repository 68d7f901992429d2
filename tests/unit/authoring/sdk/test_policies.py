"""`catchup_window`, `misfire`, `overlap` and `jitter` of a DAG: into its spec, and what is wrong with them in a sentence."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from gnomon import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def test_the_policies_of_a_dag_stand_in_its_spec() -> None:
    spec = build_dag_spec(
        DAG(
            "d",
            schedule="@daily",
            start_date=START,
            catchup=True,
            catchup_window=dt.timedelta(days=2),
            misfire="latest",
            overlap="cancel_running",
            jitter=90,
        ),
        "d.py",
    ).spec
    assert (spec.catchup_window_s, spec.misfire, spec.overlap, spec.jitter_s) == (
        172800.0,
        "latest",
        "cancel_running",
        90.0,
    )


def test_without_them_a_dag_is_as_it_was() -> None:
    spec = build_dag_spec(DAG("d", schedule="@daily", start_date=START), "d.py").spec
    assert (spec.catchup_window_s, spec.misfire, spec.overlap, spec.jitter_s) == (None, None, "queue", 0.0)


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ({"misfire": "none"}, "misfire 'none' is not known. Use one of: latest, all, skip"),
        ({"overlap": "cancel"}, "overlap 'cancel' is not known. Use one of: queue, allow, skip, cancel_running"),
        ({"jitter": dt.timedelta(seconds=-1)}, "jitter must be 0 or more"),
        ({"catchup_window": "2 days"}, "catchup_window must be a timedelta or seconds, not '2 days'"),
    ],
)
def test_a_wrong_policy_names_the_dag_the_argument_and_what_there_is(argument: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match="DAG 'd'") as caught:
        DAG("d", **argument)
    assert said in str(caught.value)
