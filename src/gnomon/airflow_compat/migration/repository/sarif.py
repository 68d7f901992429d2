"""The report as SARIF 2.1.0, which code hosts show beside the lines of a change."""

from __future__ import annotations

from importlib.metadata import version

from gnomon.airflow_compat.migration.repository.findings import Severity
from gnomon.airflow_compat.migration.repository.repository_check import RepositoryReport

_LEVELS = {Severity.NOTE: "note", Severity.DIFFERS: "warning", Severity.MISSING: "error", Severity.UNREADABLE: "error"}


def build_sarif(report: RepositoryReport) -> dict[str, object]:
    """Return the log with one run and a result for each finding."""
    rules = sorted({finding.rule for file in report.files for finding in file.findings})
    results = [
        {
            "ruleId": finding.rule,
            "level": _LEVELS[finding.severity],
            "message": {"text": finding.message},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": file.path},
                        "region": {"startLine": max(finding.line, 1)},
                    }
                }
            ],
        }
        for file in report.files
        for finding in file.findings
    ]
    driver = {"name": "gnomon migrate check", "version": version("gnomon"), "rules": [{"id": rule} for rule in rules]}
    return {
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
