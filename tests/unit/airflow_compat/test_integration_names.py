"""Names that packages for Spark, Hive, OpenLineage and logs need: what they do."""

from __future__ import annotations

import importlib
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from gnomon.airflow_compat.stand_ins import NotSupported
from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun
from gnomon.author_code.context.runtime_task_instance import RuntimeTaskInstance
from gnomon.authoring.sdk.connections.secrets_masker import SecretsMasker
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.ground.config import load_config, set_current_config
from gnomon.ground.log.secret_masks import forget_secrets


def _module(name: str) -> Any:
    return importlib.import_module(name)


@pytest.mark.ordinary
@pytest.mark.parametrize(("code", "ends"), [(0, 0), (3, 3)])
def test_a_ticket_is_renewed_by_kinit_with_the_options_of_the_section(
    tmp_path: Path, code: int, ends: int, caplog: pytest.LogCaptureFixture
) -> None:
    kinit = tmp_path / "kinit"
    kinit.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/words\necho no ticket >&2\nexit {code}\n')
    kinit.chmod(0o755)
    options = {
        "AIRFLOW__KERBEROS__KINIT_PATH": str(kinit),
        "AIRFLOW__KERBEROS__CCACHE": "/c",
        "AIRFLOW__KERBEROS__PRINCIPAL": "svc/_HOST",
        "AIRFLOW__KERBEROS__FORWARDABLE": "False",
        "AIRFLOW__CORE__HOSTNAME_CALLABLE": "platform.node",
    }
    set_current_config(load_config(options, home=tmp_path))
    try:
        kerberos = _module("airflow.security.kerberos")
        assert kerberos.renew_from_kt("ada@SHOP", "/k.keytab", exit_on_fail=False) == ends
        assert (tmp_path / "words").read_text() == "-F -a -r 3600m -k -t /k.keytab -c /c ada@SHOP\n"
        assert kerberos.get_kerberos_principal(None) == f"svc/{_module('airflow.utils.net').get_hostname()}"
        if code:
            assert "no ticket" in caplog.text
            with pytest.raises(SystemExit):
                kerberos.renew_from_kt("ada@SHOP", "/k.keytab")
    finally:
        set_current_config(None)


def test_parts_of_a_principal_and_its_host() -> None:
    utils = _module("airflow.security.utils")
    assert utils.get_components("hive/_HOST@SHOP") == ["hive", "_HOST", "SHOP"] and utils.get_components("") is None
    assert utils.replace_hostname_pattern(["hive", "_HOST", "SHOP"], "Node.Example") == "hive/node.example@SHOP"
    assert (
        utils.principal_from_username("ada", "SHOP") == utils.principal_from_username("ada@SHOP", "OTHER") == "ada@SHOP"
    )


@pytest.mark.parametrize(
    "home",
    [
        "airflow.utils.log.secrets_masker",
        "airflow.sdk.execution_time.secrets_masker",
        "airflow.sdk._shared.secrets_masker",
    ],
)
def test_a_masker_of_a_package_redacts_values_of_its_own_types(home: str, tmp_path: Path) -> None:
    set_current_config(load_config({}, home=tmp_path))
    module = _module(home)

    class Box:
        def __init__(self, **values: Any) -> None:
            self.__dict__.update(values)

    class BoxMasker(module.SecretsMasker):  # type: ignore[name-defined,misc]
        def _redact(self, item: Any, name: Any, depth: int, max_depth: int, **options: Any) -> Any:
            if isinstance(item, Box):
                return Box(
                    **{
                        key: self._redact(value, key, depth + 1, max_depth, **options)
                        for key, value in vars(item).items()
                    }
                )
            return super()._redact(item, name, depth, max_depth, **options)

    try:
        module._secrets_masker().add_mask("a long secret")
        assert isinstance(module._secrets_masker(), SecretsMasker)
        box = BoxMasker().redact(
            {"box": Box(password="p", plain="with a long secret in it", more=[{"token": {"a": "b"}}])}
        )["box"]
        assert vars(box) == {"password": "***", "plain": "with *** in it", "more": [{"token": {"a": "***"}}]}
    finally:
        forget_secrets()
        set_current_config(None)


def test_numbers_of_author_code_are_accepted_without_effect() -> None:
    stats = _module("airflow.stats").Stats
    with stats.timer("a", tags={"b": "c"}):
        stats.incr("a")
        stats.gauge("a", 1)
    with pytest.raises(AttributeError):
        _ = stats._private


def test_a_task_instance_is_no_row_of_the_database_and_a_run_answers_for_the_tasks_of_a_part_of_a_dag() -> None:
    models = _module("airflow.models")
    assert not issubclass(RuntimeTaskInstance, models.TaskInstance) and issubclass(RuntimeDagRun, models.DagRun)
    with DAG("d", schedule=None) as dag:
        BaseOperator(task_id="a") >> BaseOperator(task_id="b")
    assert models.DagRun._get_partial_task_ids(dag) is None and models.DagRun._get_partial_task_ids(None) is None
    assert models.DagRun._get_partial_task_ids(dag.partial_subset("b", include_upstream=False)) == ["b"]
    with pytest.raises(AttributeError):
        _ = models.DagRun._no_such
    with pytest.raises(NotSupported):
        models.DagRun.find()


def test_a_log_handler_can_be_subclassed_and_says_what_to_use_instead() -> None:
    handler = _module("airflow.utils.log.file_task_handler").FileTaskHandler
    mixin = _module("airflow.utils.log.logging_mixin").LoggingMixin
    mine = type("S3TaskHandler", (handler, mixin), {})
    with pytest.raises(NotSupported, match="S3TaskHandler cannot be used: .*remote_base_log_folder"):
        mine("/logs")


def test_records_are_written_as_json() -> None:
    formatter = _module("airflow.utils.log.json_formatter").JSONFormatter(
        json_fields=["levelname", "message", "absent"], extras={"dag_id": "d"}
    )
    record = logging.LogRecord("n", logging.INFO, "f", 1, "of %s", ("x",), None, sinfo="the stack")
    assert json.loads(formatter.format(record)) == {
        "levelname": "INFO",
        "message": "of x\nthe stack",
        "absent": None,
        "dag_id": "d",
    }
