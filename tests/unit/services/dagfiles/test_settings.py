"""Options of the dag-processor by their new and old names."""

from __future__ import annotations

import pytest

from gnomon.ground.config import load_config
from gnomon.services.dagfiles.settings import build_dag_processor_settings

pytestmark = pytest.mark.pure

NAMES = [
    ("DAG_PROCESSOR__REFRESH_INTERVAL", "7", "refresh_s", 7.0),
    ("SCHEDULER__DAG_DIR_LIST_INTERVAL", "7", "refresh_s", 7.0),
    ("DAG_PROCESSOR__PARSING_PROCESSES", "5", "processes", 5),
    ("SCHEDULER__PARSING_PROCESSES", "5", "processes", 5),
    ("SCHEDULER__MAX_THREADS", "5", "processes", 5),
    ("DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL", "9", "reparse_s", 9.0),
    ("SCHEDULER__MIN_FILE_PROCESS_INTERVAL", "9", "reparse_s", 9.0),
    ("CORE__DAGBAG_IMPORT_TIMEOUT", "2.5", "import_timeout_s", 2.5),
    ("CORE__DAGBAG_IMPORT_TIMEOUT", "0", "import_timeout_s", None),
    ("DAG_PROCESSOR__DAG_FILE_PROCESSOR_TIMEOUT", "11", "process_timeout_s", 11.0),
    ("CORE__DAG_FILE_PROCESSOR_TIMEOUT", "11", "process_timeout_s", 11.0),
    ("DAG_PROCESSOR__PARSING_MEMORY_LIMIT", "1", "memory_bytes", 1024 * 1024),
    ("DAG_PROCESSOR__PARSING_MEMORY_LIMIT", "0", "memory_bytes", None),
    ("DAG_PROCESSOR__FILE_PARSING_SORT_MODE", "alphabetical", "sort_mode", "alphabetical"),
    ("CORE__DAG_IGNORE_FILE_SYNTAX", "regexp", "regexp_ignore", True),
    ("CORE__DAG_DISCOVERY_SAFE_MODE", "False", "safe_mode", False),
]


@pytest.mark.parametrize("prefix", ["GNOMON__", "AIRFLOW__"])
@pytest.mark.parametrize(("variable", "text", "field", "value"), NAMES)
def test_every_name_of_an_option_reaches_its_setting(prefix, variable, text, field, value, tmp_path):
    settings = build_dag_processor_settings(load_config({prefix + variable: text}, tmp_path))

    assert getattr(settings, field) == value
