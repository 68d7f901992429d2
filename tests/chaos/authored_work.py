"""Mapped tasks, assets, a backfill and callbacks for the kill tests, and the audit of what became of them.

The audit reads rows of the store and the files that author code wrote; it uses no code of the engine.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from tests.chaos.home import Home
from tests.chaos.processes import until

from gnomon.model.records import RunRecord
from gnomon.model.run_callbacks import CallbackState
from gnomon.model.states import TaskInstanceState as S
from gnomon.storage.store import Transaction
from gnomon.storage.store.asset_records import asset_events, asset_queue
from gnomon.storage.store.dag_records import backfills, dag_runs, dags, run_callbacks

LENGTHS = {"counted": 5, "literal": 3, "in_group.first": 2, "in_group.second": 2}
"""Mapped tasks of the DAG `mapped` to the number of their instances."""
SLOTS = 12
BACKFILLED = (
    "backfill",
    "create",
    "filled",
    "--from",
    "2001-01-01",
    "--to",
    f"2001-01-{SLOTS:02}",
    "--max-active-runs",
    "2",
    "--no-wait",
)
WORK = f"""
from airflow.sdk import Asset, task_group

AGAIN = {{"retries": 50, "retry_delay": dt.timedelta(seconds=0.1)}}
made, marked = Asset("made"), Asset("marked")

def tell(context):
    with open(os.environ["CHAOS_JOURNAL"] + ".told", "a") as told:
        told.write(context["run_id"] + "\\n")

with DAG("mapped", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=1, is_paused_upon_creation=False, default_args=AGAIN):
    @task
    def numbers(ti=None):
        work(ti, 0.02)
        return list(range({LENGTHS["counted"]}))
    @task
    def counted(n, ti=None): work(ti, 0.03 * n)
    @task
    def literal(n, ti=None): work(ti, 0.05)
    @task_group
    def in_group(n):
        @task
        def first(n, ti=None): work(ti, 0.02)
        @task
        def second(ti=None): work(ti, 0.02)
        first(n) >> second()
    @task
    def last(ti=None): work(ti, 0.0)
    counted.expand(n=numbers()) >> [literal.expand(n=[1, 2, 3]), in_group.expand(n=["a", "b"])] >> last()

with DAG("producing", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=1, is_paused_upon_creation=False, default_args=AGAIN,
         on_success_callback=tell):
    @task(outlets=[made])
    def make(ti=None): work(ti, 0.2)
    @task(outlets=[marked])
    def mark(ti=None): work(ti, 0.05)
    make() >> mark()

for name, condition in (("reads_made", [made]), ("reads_both", made & marked), ("reads_either", made | marked)):
    with DAG(name, schedule=condition, is_paused_upon_creation=False, default_args=AGAIN):
        @task
        def read(ti=None): work(ti, 0.05)
        read()

with DAG("filled", schedule="0 0 * * *", start_date=BEGIN, end_date=BEGIN, catchup=False, is_paused_upon_creation=False, default_args=AGAIN):
    @task
    def fill(ti=None): work(ti, 0.4)
    fill()
"""
CONSUMERS = {"reads_made": {"made"}, "reads_both": {"made", "marked"}, "reads_either": {"made", "marked"}}


def begin(here: Home) -> None:
    """The backfill exists, and its first run has begun."""
    until(lambda: here.cli(*BACKFILLED).returncode == 0, "the backfill can be created")


def wait_for_end(here: Home, limit_s: float) -> None:
    """No event waits that can make a run, the backfill is complete, and every callback has ended."""
    until(
        lambda: not here.unfinished() and not list(_unfinished_work(here)),
        "the end of consumers, backfill and callbacks",
        limit_s,
    )


def _unfinished_work(here: Home) -> Iterator[str]:
    with here.store() as database, database.read() as tx:
        if asset_queue.list_queue(tx, _dag_pk(tx, "reads_made")):
            yield "an event waits"
        if not all(backfill.is_planned for _, backfill in backfills.list_backfills(tx)):
            yield "the backfill is not planned"
        for run in dag_runs.list_runs(tx, "producing"):
            if not all(each.ended_at for each in run_callbacks.list_callbacks(tx, run.run_pk)):
                yield f"a callback of {run.run_id}"


def audit(here: Home, kills: int) -> list[str]:
    """A sentence for each fault; empty when there is none. `kills`: how often processes were killed."""
    told = here.journal.with_name(f"{here.journal.name}.told")
    called = Counter(told.read_text().split() if told.exists() else [])
    with here.store() as database, database.read() as tx:
        return [*_mapped(tx), *_events(tx), *_consumed(tx), *_backfilled(tx), *_called(tx, called, kills)]


def _dag_pk(tx: Transaction, dag_id: str) -> int:
    dag = dags.find_dag_row(tx, dag_id)
    assert dag is not None, f"DAG {dag_id} was not stored"
    return dag.dag_pk


def _mapped(tx: Transaction) -> Iterator[str]:
    """Each mapped task has every map index once, and each instance succeeded by one attempt."""
    lengths = Counter(LENGTHS.values())
    for run in dag_runs.list_runs(tx, "mapped"):
        rows: dict[int, list[int]] = {}
        for row in dag_runs.list_task_states(tx, run.run_pk):
            if row.map_index >= 0 and row.state is not S.REMOVED:
                rows.setdefault(row.task_no, []).append(row.map_index)
        for task_no, indices in rows.items():
            if sorted(indices) != list(range(len(indices))):
                yield f"mapped {run.run_id} task {task_no} has the map indices {sorted(indices)}"
        if Counter(map(len, rows.values())) != lengths:
            yield f"mapped {run.run_id} has {[len(indices) for indices in rows.values()]} instances"
        successes = Counter(
            (each.task_no, each.map_index) for each in dag_runs.list_attempts(tx, run.run_pk) if each.state == "success"
        )
        yield from (
            f"mapped {run.run_id} {key} succeeded {count} times" for key, count in successes.items() if count > 1
        )
        expected = {(task_no, index) for task_no, indices in rows.items() for index in indices}
        yield from (f"mapped {run.run_id} {key} never ran" for key in expected - successes.keys())


def _events(tx: Transaction) -> Iterator[str]:
    """Each producing run has one event of each asset."""
    found = Counter((event.source_run_id, event.asset.name) for event in asset_events.list_newest_events(tx, 1_000_000))
    wanted = {(run.run_id, name) for run in dag_runs.list_runs(tx, "producing") for name in ("made", "marked")}
    yield from (
        f"{key} has {found[key]} events" for key in wanted | found.keys() if found[key] != 1 or key not in wanted
    )


def _consumed(tx: Transaction) -> Iterator[str]:
    """Each consumer has consumed each of its events once, or still has it in its queue."""
    stored = asset_events.list_newest_events(tx, 1_000_000)
    for dag_id, names in CONSUMERS.items():
        runs = dag_runs.list_runs(tx, dag_id)
        consumed = Counter(
            event.event_pk for run in runs for event in asset_events.list_consumed_events(tx, run.run_pk)
        )
        consumed.update(event.event_pk for event in asset_queue.list_queue(tx, _dag_pk(tx, dag_id)))
        wanted = Counter(event.event_pk for event in stored if event.asset.name in names)
        if consumed != wanted:
            yield f"{dag_id}: lost {wanted - consumed}, twice {consumed - wanted}"
        if not runs:
            yield f"{dag_id} has no run"


def _backfilled(tx: Transaction) -> Iterator[str]:
    """Each slot of the backfill has one run, and no other run was made."""
    days = Counter(_day(run) for run in dag_runs.list_runs(tx, "filled") if run.run_type.value == "backfill")
    wanted = Counter({f"2001-01-{day:02}": 1 for day in range(1, SLOTS + 1)})
    if days != wanted:
        yield f"filled: slots lost {wanted - days}, twice or too many {days - wanted}"
    if len(dag_runs.list_runs(tx, "filled")) != SLOTS:
        yield "filled has runs that are not of the backfill"


def _day(run: RunRecord) -> str:
    assert run.interval_start is not None
    return time.strftime("%Y-%m-%d", time.gmtime(run.interval_start / 1e6))


def _called(tx: Transaction, called: Counter[str], kills: int) -> Iterator[str]:
    """The callback of each run was called, and called again only after a kill; nothing else was called.

    When worker and scheduler are killed together, nobody knows whether the callback had begun: such a call is no try.
    """
    runs = dag_runs.list_runs(tx, "producing")
    for run in runs:
        pending = run_callbacks.list_callbacks(tx, run.run_pk)
        if len(pending) != 1 or pending[0].state not in (CallbackState.SUCCESS, CallbackState.FAILED):
            yield f"producing {run.run_id} has the callbacks {pending}"
        elif pending[0].state is CallbackState.SUCCESS and not called[run.run_id]:
            yield f"the callback of {run.run_id} was recorded and never called"
        elif called[run.run_id] > 1 + kills:
            yield f"the callback of {run.run_id} was called {called[run.run_id]} times"
    yield from (f"a callback was called for {run_id}" for run_id in called.keys() - {run.run_id for run in runs})
