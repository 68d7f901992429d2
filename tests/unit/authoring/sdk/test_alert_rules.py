"""`DAG(alerts=[gnomon.Alert(...)])`: what the spec gets, and the sentence for each mistake."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from gnomon.authoring.sdk.arguments.alert_rules import Alert, as_alerts, encode_alerts
from gnomon.model.alerts import AlertRuleSpec


def test_rules_become_plain_data() -> None:
    given = [
        Alert("failure", to="ops"),
        Alert("late", to=["ops", "pager"], longer_than=dt.timedelta(hours=2), by=dt.time(7, 30), resolved=False),
        Alert("late", to="ops", longer_than="p95"),
        Alert("waiting", to="ops", longer_than=90),
    ]
    assert encode_alerts(as_alerts("alerts", given)) == (
        AlertRuleSpec(when="failure", to=("ops",)),
        AlertRuleSpec(when="late", to=("ops", "pager"), longer_than_s=7200.0, by="07:30", resolved=False),
        AlertRuleSpec(when="late", to=("ops",), is_p95=True),
        AlertRuleSpec(when="waiting", to=("ops",), longer_than_s=90.0),
    )


def test_one_rule_needs_no_list() -> None:
    assert [rule.when for rule in as_alerts("alerts", Alert("retry", to="ops"))] == ["retry"]
    assert as_alerts("alerts", None) == []


@pytest.mark.parametrize(
    ("when", "arguments", "expected"),
    [
        ("import_error", {}, "write one of failure, task_failure, retry, late, waiting"),
        ("failure", {"to": ()}, "name at least one channel"),
        ("failure", {"longer_than": 5}, "longer_than is for 'late' and 'waiting' only"),
        ("late", {}, "give longer_than=timedelta"),
        ("waiting", {}, "give longer_than, for example"),
        ("waiting", {"longer_than": "p95"}, "for 'late' only"),
        ("late", {"by": "7:30"}, "by is a time of day such as '07:30'"),
        ("failure", {"by": "07:30"}, "for 'late' only"),
        ("late", {"longer_than": "2h"}, "give a timedelta or a number of seconds above 0, or 'p95'"),
    ],
)
def test_a_mistake_names_the_argument_and_the_remedy(when: str, arguments: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        Alert(when, **{"to": "ops", **arguments})


def test_anything_but_rules_is_refused() -> None:
    with pytest.raises(TypeError, match=r'write alerts=\[gnomon.Alert\("failure", to="CHANNEL"\)\]'):
        as_alerts("alerts", ["failure"])
