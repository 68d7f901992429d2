"""The shapes of a DAG."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from gnomon.api.common.reader_language import word
from gnomon.api.v2.conversions import build_version
from gnomon.api.v2.dag_filters import list_owners
from gnomon.api.v2.schemas.dags_shapes import DAGDetailsResponse, DAGResponse, DagTagResponse
from gnomon.author_code.loading.bundles.bundle_loader import find_bundle_root
from gnomon.ground.config import Config
from gnomon.ground.config.dag_bundles import DAGS_FOLDER_BUNDLE
from gnomon.model.assets import AliasKey, AllOf, AnyOf, AssetCondition, AssetRefKey
from gnomon.model.instants import moment, to_datetime
from gnomon.model.records import DagRecord
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState, DagRunType
from gnomon.queries.report.listings.dag_facts import VersionFacts
from gnomon.rules.assets.schedule_words import describe_schedule, summarize_schedule
from gnomon.storage.store.pages.dag_pages import ListedDag


def build_dag(dag: ListedDag, facts: VersionFacts, cfg: Config) -> DAGResponse:
    """A DAG in a list."""
    spec, planned = facts.spec, dag.next_run
    return DAGResponse(
        dag_id=dag.dag_id,
        dag_display_name=facts.display_name,
        is_paused=dag.is_paused,
        is_stale=not dag.is_active,
        last_parsed_time=to_datetime(dag.parsed_at),
        last_parse_duration=dag.parse_duration_s,
        last_expired=None,
        bundle_name=dag.bundle_name or DAGS_FOLDER_BUNDLE,
        bundle_version=dag.bundle_version,
        relative_fileloc=find_relative_path(dag.file, cfg),
        fileloc=dag.file,
        description=spec.description,
        timetable_summary=word(summarize_schedule(spec)),
        timetable_description=None if (description := describe_schedule(spec)) is None else word(description),
        timetable_partitioned=spec.timetable.has_partitions or bool(spec.partition_rules),
        timetable_periodic=spec.timetable.periodic,
        tags=[
            DagTagResponse(name=tag, dag_id=dag.dag_id, dag_display_name=facts.display_name)
            for tag in sorted(spec.tags)
        ],
        max_active_tasks=spec.max_active_tasks,
        max_active_runs=spec.max_active_runs,
        max_consecutive_failed_dag_runs=spec.max_consecutive_failed_dag_runs,
        has_task_concurrency_limits=facts.has_task_limits,
        has_import_errors=dag.has_import_errors,
        next_dagrun_logical_date=moment(planned.logical_at if planned else None),
        next_dagrun_data_interval_start=moment(planned.interval_start if planned else None),
        next_dagrun_data_interval_end=moment(planned.interval_end if planned else None),
        next_dagrun_run_after=moment(planned.run_after if planned else None),
        allowed_run_types=[DagRunType(name) for name in spec.allowed_run_types] or None,
        owners=list_owners(facts),
        is_backfillable=spec.timetable.periodic and spec.timetable.can_be_scheduled,
        file_token=encode_file_token(dag.file),
    )


def build_dag_details(
    answer: DAGResponse, listed: ListedDag, dag: DagRecord, counts: Mapping[DagRunState, int], *, is_favorite: bool
) -> DAGDetailsResponse:
    """A DAG with everything that its file says about it. `counts`: its runs by state."""
    spec = dag.spec
    params: dict[str, object] = {
        name: {"value": param.default, "schema": param.schema, "description": param.description}
        for name, param in spec.params.items()
    }
    return DAGDetailsResponse(
        **answer.model_dump(),
        catchup=spec.catchup,
        dag_run_timeout=None if spec.dagrun_timeout_s is None else timedelta(seconds=spec.dagrun_timeout_s),
        asset_expression=None if spec.asset_condition is None else describe_expression(spec.asset_condition),
        doc_md=spec.doc_md,
        owner_links=spec.owner_links or None,
        start_date=moment(spec.start_at),
        end_date=moment(spec.end_at),
        is_paused_upon_creation=spec.paused_upon_creation,
        params=params or None,
        render_template_as_native_obj=False,
        template_search_path=None,
        timezone=spec.timezone,
        last_parsed=answer.last_parsed_time,
        default_args=None,
        active_runs_count=sum(count for state, count in counts.items() if state not in FINISHED_RUN_STATES),
        concurrency=spec.max_active_tasks,
        is_favorite=is_favorite,
        latest_dag_version=build_version(
            dag.dag_id,
            answer.dag_display_name,
            dag.version_pk,
            listed.version_number,
            listed.version_created_at,
            listed.bundle_name,
            listed.bundle_version,
        ),
    )


def find_relative_path(file: str, cfg: Config) -> str | None:
    """The path below the folder of DAG files or of a DAG bundle; None for a file that is elsewhere."""
    try:
        return str(Path(file).relative_to(find_bundle_root(file) or cfg.dags_folder))
    except ValueError:
        return None


def encode_file_token(file: str) -> str:
    """The token with which `PUT /parseDagFile` names a file; it is no secret, and only files of DAGs are accepted."""
    return base64.urlsafe_b64encode(file.encode(errors="surrogateescape")).decode().rstrip("=")


def decode_file_token(token: str) -> str | None:
    """The file; None for a text that is no token."""
    try:
        return base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode(errors="surrogateescape")
    except ValueError:
        return None


def describe_expression(condition: AssetCondition) -> dict[str, object]:
    """A condition over assets as Airflow's API shows it."""
    if isinstance(condition, AllOf | AnyOf):
        return {
            "all" if isinstance(condition, AllOf) else "any": [describe_expression(part) for part in condition.parts]
        }
    if isinstance(condition, AliasKey):
        return {"alias": {"name": condition.name}}
    if isinstance(condition, AssetRefKey):
        return {"asset_ref": {"name": condition.name} if condition.name is not None else {"uri": condition.uri}}
    return {"asset": {"name": condition.name, "uri": condition.uri}}
