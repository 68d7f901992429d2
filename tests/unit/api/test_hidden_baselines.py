"""What an account learns of a baseline that is hidden from it, and of the DAGs on its key path, from all that it may ask about a DAG of its own on that path: nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from tests.databases import create_schema
from tests.stored_baselines import put_forecast, put_risk, write_baselines
from tests.stored_simulation import ID, put_simulation
from tests.unit.api.account_site import AccountSite, serve_accounts
from tests.unit.api.api_document import read_document
from tests.unit.api.test_hidden_dags import LEFT_OUT, ask_about
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.api.access.choose_policy import create_context
from gnomon.api.common.sentence_answers import HIDDEN_BASELINE
from gnomon.api.health_reader import HealthReader
from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.ground.config.language_files import find_language
from gnomon.model.accounts import Author, Grant, GrantKind, Role
from gnomon.model.alerts import AlertItem, AlertKind
from gnomon.model.baselines import RaisedTask
from gnomon.model.sentences import store_sentence
from gnomon.model.sentences.catalogue import WORDS
from gnomon.model.spec import TaskSpec
from gnomon.queries.accounts import account_changes
from gnomon.queries.report.activity.baseline_sentences import describe_trouble
from gnomon.storage.store import Transaction
from gnomon.storage.store.admin import pools
from gnomon.storage.store.alert_records import alerts, baseline_states
from gnomon.testing import Play

OWN = "/api/gnomon/v1"
HIDDEN_NAMES = ("vault", "secret_dag")
STEPS = (("secret_dag", "r", "only"), ("shown_dag", "r", "only"), ("shown_dag", "r2", "only"))


def put_facts(tx: Transaction) -> None:
    """A hidden baseline and a visible one at risk, whose key paths and raised priorities have tasks of both DAGs; alerts and a forecast of both; a simulation."""
    for name in ("vault", "own"):
        put_risk(tx, name, NOW, STEPS)
        record = baseline_states.list_states_of(tx, name, 1)[0]
        raised = tuple(RaisedTask(*step, 70 if name == "vault" else 50) for step in STEPS)
        forecast = msgspec.structs.replace(record.forecast, raised=raised)
        baseline_states.put_state(tx, replace(record, forecast=forecast))
        for step in record.forecast.key_path:
            item = AlertItem(
                kind=AlertKind.ON_KEY_PATH_SLOW,
                rule=f"baseline:{name}",
                at=NOW,
                sentence=store_sentence(describe_trouble(name, record.due_at, step)),
                dag_id=step.dag_id,
                run_id=step.run_id,
                task_id=step.task,
            )
            alerts.raise_alert(tx, item, f"{name}:{step.dag_id}/{step.run_id}", None, None)
    put_forecast(tx, NOW, [(dag_id, run_id, -5, 20) for dag_id, run_id, _ in STEPS], faults=("baseline 'vault' fails",))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AccountSite]:
    """A pool with one slot, which a run of the hidden DAG has, and for which two runs of the visible one wait."""
    clock = VirtualClock(NOW)
    home = Home(load_config({}, tmp_path_factory.mktemp("home")), clock, clock.advance)
    create_schema(home.cfg.database_url)
    write_baselines(
        home.cfg.home,
        vault='of = ["secret_dag"]\nby = "11:00"\npriority = [10, 70]',
        own='of = ["shown_dag"]\nby = "11:00"\npriority = [10, 50]',
    )
    deployment = Deployment(home, clock)
    tasks = (TaskSpec(task_id="only", pool="narrow"),)
    deployment.add(spec_of("secret_dag", tasks=tasks), file="/dags/secret.py")
    deployment.add(spec_of("shown_dag", tasks=tasks), file="/dags/shown.py")
    deployment.plays["only"] = Play(run_s=7_200.0)
    root = Author("cli:root", NOW)
    with deployment.db.write() as tx:
        pools.set_pool(tx, "narrow", 1)
        put_facts(tx)
        for name, granted in (("reader", Role.VIEWER), ("changer", Role.USER)):
            account_changes.create_account(tx, root, name, Role.NONE, None)
            account_changes.add_grant(tx, root, name, Grant(GrantKind.DAG, "shown*", granted))
        account_changes.create_account(tx, root, "admin", Role.ADMIN, None)
        account = account_changes.get_account(tx, "reader")
        put_simulation(tx, f"{account.account_pk} reader", NOW)
    reader = HealthReader(home.cfg, clock)
    context = create_context(home.cfg, clock, "127.0.0.1", reader.read_health)
    context.sleep = clock.advance
    deployment.start()
    with serve_accounts(AccountSite, context, ("reader", "changer", "admin")) as site:
        for dag_id, run_id, _ in STEPS:
            body = {"logical_date": None, "dag_run_id": run_id}
            assert site.request("admin", "POST", f"/api/v2/dags/{dag_id}/dagRuns", body).status == 200
            deployment.move(5)
        yield site
    reader.close()
    deployment.close()


def walk(site: AccountSite, account: str, methods: tuple[str, ...], dag_id: str = "shown_dag") -> dict[str, str]:
    """The text of each answer about the DAG, by method and path."""
    document = read_document()
    return {
        f"{method} {path}": ask_about(site, document, method.upper(), path, operation, dag_id, KNOWN, account)[1]
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in methods and path.startswith("/api/") and not path.endswith((*LEFT_OUT, *ENDLESS))
    }


ENDLESS = ("/wait", "/stream")
"""They answer when something changes, with what the others answer."""
KNOWN = {"simulation_id": ID, "name": "own", "run_id": "r", "dag_run_id": "r", "task_id": "only"}


def find_names(answers: dict[str, str]) -> dict[str, list[str]]:
    """By operation, the hidden names in the answer."""
    named = {place: [name for name in HIDDEN_NAMES if name in text] for place, text in answers.items()}
    return {place: names for place, names in named.items() if names}


def test_no_answer_about_a_visible_dag_names_a_hidden_baseline_or_dag(site: AccountSite) -> None:
    assert find_names(walk(site, "reader", ("get",))) == {}
    everything = find_names(walk(site, "admin", ("get",)))
    assert len(everything) > 20, sorted(everything)  # the same requests of an account that sees all do name them
    assert any("vault" in names for place, names in everything.items() if place.endswith("/explain")), everything
    assert find_names(walk(site, "changer", ("post", "patch", "put"))) == {}


def test_explanations_and_alerts_name_a_visible_baseline_and_no_hidden_one(site: AccountSite) -> None:
    path = f"{OWN}/dags/shown_dag/dagRuns/r2/taskInstances/only/explain"
    (full,) = (one["arguments"]["baseline"] for one in _list_priorities(site.get("admin", path)))
    (shown,) = (one["arguments"]["baseline"] for one in _list_priorities(site.get("reader", path)))
    assert (full, shown) == ("vault", HIDDEN_BASELINE)
    alerts_of = {
        account: {(row["dag_id"], row["rule"]) for row in site.get(account, f"{OWN}/operations/alerts.list")}
        for account in ("admin", "reader")
    }
    assert alerts_of["reader"] == {("shown_dag", "baseline:own"), ("shown_dag", f"baseline:{HIDDEN_BASELINE}")}
    assert {("secret_dag", "baseline:own"), ("shown_dag", "baseline:vault")} < alerts_of["admin"]


def _list_priorities(explanation: Any) -> list[Any]:
    return [one for one in explanation["conditions"] if one["kind"] == "priority"]


def test_every_sentence_names_a_baseline_so_that_it_can_be_hidden() -> None:
    """`hidden_names` knows a baseline by the word before its name."""
    chinese = find_language("zh")
    assert chinese is not None
    for language in (WORDS, chinese.sentences):
        for code, words in language.items():
            for text in (words,) if isinstance(words, str) else words:
                bare = re.sub(r"(baseline |基线)[“']?\{baseline(!r)?\}", "", text)
                assert "{baseline" not in bare or code in ABOUT_ITS_OWN, (code, text)
                assert not re.search(r"(baseline |基线“)\{name", text), (code, text)


ABOUT_ITS_OWN = ("baseline_name_is_unusable", "baseline_name_is_taken")
"""Refusals of a name that the user has written."""
