"""Traces of a standalone at a real collector: the author's spans are children of the span of their attempt."""

from __future__ import annotations

import sys

import pytest
from tests.acceptance.product import product
from tests.otlp_receiver import receiving

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
FLOW = """
import os
from airflow.sdk import DAG, task
from airflow.providers.standard.operators.bash import BashOperator

with DAG("traced", schedule=None, is_paused_upon_creation=False):
    @task
    def author(traceparent=None, ti=None):
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        assert ti.context_carrier == {"traceparent": traceparent} and os.environ["TRACEPARENT"] == traceparent
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(endpoint=os.environ["COLLECTOR"])))
        parent = TraceContextTextMapPropagator().extract(ti.context_carrier)
        with provider.get_tracer("author").start_as_current_span("step of the author", context=parent):
            pass

    author() >> BashOperator(task_id="shell", bash_command="echo parent=$TRACEPARENT", env={"A": "b"})
"""


def test_a_run_is_one_trace_and_spans_of_authors_join_it() -> None:
    with receiving() as receiver:
        options = {
            "GNOMON__TRACES__OTEL_ON": "True",
            "GNOMON__TRACES__OTEL_HOST": "127.0.0.1",
            "GNOMON__TRACES__OTEL_PORT": str(receiver.port),
            "GNOMON__TRACES__OTEL_SERVICE": "here",
            "COLLECTOR": f"http://127.0.0.1:{receiver.port}/v1/traces",
        }
        with product({"traced.py": FLOW}, options) as running:
            running.has_dag("traced")
            running.until(lambda: "monitor_started" in running.log(), "the monitor runs")
            running.until(lambda: running.rows("runs", "list", "traced") == [], "there is no run yet")
            run = running.run("traced")
            assert run["state"] == "success", running.task_log("traced", run["run_id"], "author")
            running.until(lambda: len(receiver.spans) >= 4, "the run and its attempts have arrived")
            shell = running.task_log("traced", run["run_id"], "shell")
        by_name = {span.name: span for span in receiver.spans}
    root, author, step = by_name["dag_run traced"], by_name["task traced.author"], by_name["step of the author"]
    assert {span.trace_id for span in receiver.spans} == {root.trace_id}
    assert (root.parent_span_id, author.parent_span_id, step.parent_span_id) == (b"", root.span_id, author.span_id)
    assert f"parent=00-{root.trace_id.hex()}-{by_name['task traced.shell'].span_id.hex()}-01" in shell
    assert (
        author.start_time_unix_nano <= step.start_time_unix_nano <= step.end_time_unix_nano <= author.end_time_unix_nano
    )
    assert "here" in receiver.services
