"""The specification of a DAG: plain data that the parse child builds and the store keeps by version.

The sdk builds a DagSpec from an author's DAG object. The engine, the api and the command line read the DagSpec only.
"""

from __future__ import annotations

import msgspec

from gnomon.model.alerts import AlertRuleSpec
from gnomon.model.asset_watchers import WatcherSpec
from gnomon.model.assets import AssetCondition, AssetDeclaration, AssetLeaf, PartitionRule
from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.deferral import Deferral
from gnomon.model.instants import Instant
from gnomon.model.mapping import Expansion
from gnomon.model.run_callbacks import DeadlineSpec
from gnomon.model.sensor_waits import SensorWait
from gnomon.model.sentences.stored_sentences import StoredText
from gnomon.model.slots import TimetableRef
from gnomon.model.upstream_edges import DependencySpec, Edge, compute_edge_number


class ExtraLinkSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A link of a task into another system; its URL for a task instance is an XCom of it."""

    name: str
    xcom_key: str
    static_url: str | None = None
    """The URL of all task instances, which are then not asked for one."""


class ClearedTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The task of another DAG that a clear of a marker (ExternalTaskMarker) clears too, in the run with the same or another logical date."""

    dag_id: str | None = None
    """None: the fields of the marker are templates, or differ between instances; its last attempt has rendered them."""
    template: str = ""
    """With an unknown DAG id, what the author wrote for it; empty: it differs between instances."""
    task_id: str = ""
    logical_date: str | None = None
    """ISO 8601; None: that of the run of the marker."""
    depth: int = 10
    """The most markers in a row that a clear follows from this one on, itself included."""


class TaskSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The specification of one task; spans in seconds."""

    task_id: str
    operator: str = "BaseOperator"
    """The class name that listings show."""
    upstream: tuple[str, ...] = ()
    """Ids of the direct upstream tasks, sorted."""
    group: str | None = None
    trigger_rule: str = "all_success"
    retries: int = 0
    retry_delay_s: float = 300.0
    retry_exponential_backoff: float = 0.0
    """0: constant delay; else the multiplier of each further try."""
    max_retry_delay_s: float | None = None
    execution_timeout_s: float | None = None
    expected_duration_s: float | None = None
    """What a forecast assumes until enough tries have succeeded."""
    pool: str = "default_pool"
    pool_slots: int = 1
    priority_weight: int = 1
    """The weight that the author gave."""
    weight_rule: str = "downstream"
    effective_priority: int = 1
    """The priority of admission: the weight rule applied to the graph."""
    queue: str = "default"
    executor: str | None = None
    """The executor that the author named; None: the first of [core] executor."""
    max_active_tis_per_dag: int | None = None
    max_active_tis_per_dagrun: int | None = None
    depends_on_past: bool = False
    wait_for_downstream: bool = False
    ignore_first_depends_on_past: bool = True
    wait_for_past_depends_before_skipping: bool = False
    """A trigger rule that skips the task is applied once the previous run would let the task run."""
    restartable: bool = False
    """An attempt that the installation lost after author code was entered runs again without costing a try."""
    start_at: Instant | None = None
    end_at: Instant | None = None
    runs_code: bool = True
    """False for an operator that executes nothing (EmptyOperator without callbacks): it needs no process."""
    is_setup: bool = False
    is_teardown: bool = False
    on_failure_fail_dagrun: bool = False
    expansion: Expansion | None = None
    """The expansion of the task's own mapped arguments; None: not mapped itself, though its groups may be."""
    start_wait: Deferral | None = None
    """`start_from_trigger`: the deferral that each try of the task starts with."""
    is_sensor: bool = False
    """A timeout of its deferral fails it without a retry."""
    soft_fail: bool = False
    """A timeout or failure skips the sensor instead of failing it."""
    runs_code_at_deferral_end: bool = msgspec.field(default=False, name="hears_ends")
    """Callbacks or a method of the operator run when a deferral ends the task: it is submitted to a worker for them.
    Stored under its former name."""
    has_failure_callbacks: bool = False
    """It has callbacks or mail for a failure or a retry: they are queued when its process ends without calling them."""
    depends_on: tuple[DependencySpec, ...] = ()
    """The dependencies of this task on other DAGs; other tasks of the run do not wait for them."""
    inlets: tuple[AssetLeaf, ...] = ()
    outlets: tuple[AssetLeaf, ...] = ()
    """What the success of the task records events for. An alias alone records none: the task adds assets to it."""
    returns_dag_result: bool = False
    """What it returns is a result of the run."""
    extra_links: tuple[ExtraLinkSpec, ...] = ()
    """Its links and those that plugins add to it, by name."""
    executor_config: dict[str, object] | None = None
    """What the KubernetesExecutor uses of `executor_config`: `pod_override` as a dict like a manifest, `pod_template_file`; None: nothing."""
    triggers_dag: str | None = None
    """The DAG that an operator like TriggerDagRunOperator triggers; None for other operators, and for an id that is a template or differs between instances."""
    waits_for: tuple[SensorWait, ...] = ()
    """What a sensor such as ExternalTaskSensor waits for in other DAGs."""
    clears: ClearedTask | None = None
    """What a clear of an ExternalTaskMarker clears too; None for other operators."""
    owner: str = "airflow"
    display_name: str | None = None
    doc_md: str | None = None


class ParamSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One parameter of a DAG: its default (absent when `required`) and its JSON schema."""

    default: object = None
    required: bool = False
    schema: dict[str, object] = {}
    description: str | None = None


class DagSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The specification of one DAG. Tasks are in topological order, ties by the order of definition."""

    dag_id: str
    timetable: TimetableRef
    tasks: tuple[TaskSpec, ...] = ()
    timezone: str = "UTC"
    start_at: Instant | None = None
    """The earliest start of the DAG and its tasks (airflow-surface.md B.1, TimeRestriction)."""
    end_at: Instant | None = None
    airflow_dialect: int = 3
    """The version of Airflow, 2 or 3, whose defaults the DAG follows. Timetable and catchup have these defaults already."""
    airflow_dialect_reason: str | None = None
    """Why it follows that version; None: the default of `[core] airflow_dialect`."""
    catchup: bool = False
    catchup_window_s: float | None = None
    """Slots older than this get no run when the DAG is unpaused or starts; None: unlimited."""
    misfire: str | None = None
    """One of model.policies.MISFIRES; None: `all` with catchup, else `latest`."""
    overlap: str = "queue"
    """One of model.policies.OVERLAPS."""
    jitter_s: float = 0.0
    """The longest delay between the slot and the creation of its run; each DAG has a constant delay within it."""
    max_active_runs: int = 16
    max_active_tasks: int = 16
    max_consecutive_failed_dag_runs: int = 0
    dagrun_timeout_s: float | None = None
    fail_fast: bool = False
    run_callbacks: tuple[str, ...] = ()
    """The CallbackKinds at which the DAG has callbacks of its own."""
    run_listeners: tuple[str, ...] = ()
    """The CallbackKinds at which a listener of a plugin is called."""
    calls_task_listeners: bool = False
    """Whether a plugin has a listener of task instances."""
    mutates_instances: bool = False
    """Whether a cluster policy has `task_instance_mutation_hook`, which is asked before each try of a task."""
    deadlines: tuple[DeadlineSpec, ...] = ()
    alerts: tuple[AlertRuleSpec, ...] = ()
    """The rules of alerts that the file gives; those of gnomon.toml apply too."""
    baselines: tuple[BaselineSpec, ...] = ()
    """The promises that the file gives, in the form that `model.baseline_specs.name_for_dag` completes."""
    paused_upon_creation: bool | None = None
    allowed_run_types: tuple[str, ...] = ()
    """The types that its runs may have (model.states.DagRunType); empty: every type."""
    depends_on: tuple[DependencySpec, ...] = ()
    """The dependencies of its runs on other DAGs."""
    asset_condition: AssetCondition | None = None
    """The schedule by assets; None: no run is created by asset events."""
    partition_rules: tuple[PartitionRule, ...] = ()
    """For a schedule by partitions of assets: the rule of each leaf of the condition. Empty: events with a partition key make no run."""
    assets: tuple[AssetDeclaration, ...] = ()
    """The assets that the DAG names: in its schedule, as inlets and as outlets."""
    alias_groups: dict[str, str] = {}
    """The groups of the aliases that the DAG names, by name, but for those in the default group."""
    asset_watchers: tuple[WatcherSpec, ...] = ()
    """The watchers of these assets."""
    tags: tuple[str, ...] = ()
    owner: str = ""
    description: str | None = None
    display_name: str | None = None
    doc_md: str | None = None
    owner_links: dict[str, str] = {}
    """Addresses of owners, by their names."""
    params: dict[str, ParamSpec] = {}
    groups: dict[str, str | None] = {}
    """Task group id to the id of its parent group."""
    group_expansions: dict[str, Expansion] = {}
    """The expansions of mapped task groups, by group id."""
    edge_labels: dict[str, str] = {}
    """`upstream\\x1fdownstream` to the label of that edge."""
    attempts_per_child: int = 1
    fresh_import: bool = False
    disable_bundle_versioning: bool = False
    """Its runs follow the newest version also when its bundle knows versions."""
    rerun_with_latest_version: bool | None = None
    """Whether a cleared run takes the newest version instead of the bundle version that it had; None: it keeps it, except in a backfill."""

    @property
    def local_timezone(self) -> str:
        """The zone in which people speak of its runs: that of its timetable if it has a named one, else its own."""
        ref = self.timetable
        zone = ref.data.get("timezone") if ref.builtin else ref.timezone
        return zone if isinstance(zone, str) else self.timezone


class ParseFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a file, or one DAG of it, could not be loaded: one line for listings, and the traceback."""

    kind: str
    """syntax, import, timeout, memory, crash, exit, dag (a DAG in it is wrong), duplicate, unreadable, bundle (not a file: its DAG bundle cannot be refreshed)."""
    message: str
    """What failed, where, and what to do, in one or two sentences."""
    line: int | None = None
    traceback: str = ""


class ParsedDag(msgspec.Struct, frozen=True, kw_only=True):
    """One DAG that a file defined."""

    spec: DagSpec
    spec_hash: str
    """The hash of the fields that the scheduler uses; documentation texts are left out."""


class FileInputs(msgspec.Struct, frozen=True, kw_only=True):
    """The files, and other sources, that the content of a DAG file depended on when it was parsed."""

    input_hash: str
    """The hash of every file and folder listing that it read below the DAG and plugin folders."""
    paths: tuple[tuple[str, str], ...] = ()
    """(path, stamp) of these files: while all stamps are unchanged, so is the hash."""
    has_volatile_import: bool = False
    """It read a Variable, the environment, the network: parsed again every `min_file_process_interval`."""
    fresh: str | None = None
    """Why its tasks need a new interpreter (threads or sockets at import); None: a fork is safe."""


class ParsedFile(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of parsing one file: DAGs, failures of single DAGs, or the failure of the whole."""

    path: str
    """Absolute; for a zip, `archive.zip/member.py`."""
    inputs: FileInputs
    dags: tuple[ParsedDag, ...] = ()
    failures: tuple[ParseFailure, ...] = ()
    warnings: tuple[StoredText, ...] = ()
    """Those of Gnomon as sentences, those of Python and of cluster policies as texts."""
    duration_s: float = 0.0
    source: bytes = b""
    """The text of the file, compressed with zlib; empty if it is not kept."""
    bundle_name: str | None = None
    """The DAG bundle that contains it; None: the DAG folder, or the examples."""
    bundle_version: str | None = None
    """The version of the bundle that was parsed; None: the bundle has no versions."""


def collect_edges(spec: DagSpec) -> tuple[Edge, ...]:
    """All edges of a DAG without duplicates: those of its runs, then those of its tasks."""
    by_number: dict[int, Edge] = {}
    for task_id, dependencies in ((None, spec.depends_on), *((task.task_id, task.depends_on) for task in spec.tasks)):
        for after in dependencies:
            edge = Edge(compute_edge_number(after, task_id), after, task_id)
            by_number.setdefault(edge.number, edge)
    return tuple(by_number.values())
