"""Spans as OpenTelemetry's exporter for OTLP over HTTP takes them. The packages are those of the extra `gnomon[otel]`, imported when traces are on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gnomon.ground.config import Config, OptionError
from gnomon.model.instants import Instant
from gnomon.model.sentences import say
from gnomon.services.monitor.run_spans import RunSpan

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

TIMEOUT_S = 10.0
"""The most that one message may take, with all tries."""
_NS = 1000


class OtlpSender:
    """Sends spans to the collector of `[traces]`. Headers, for example for a token, are those of OTEL_EXPORTER_OTLP_HEADERS."""

    def __init__(self, cfg: Config, version: str) -> None:
        """Raises OptionError when the extra is not installed."""
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
        except ImportError as error:
            raise OptionError(
                say("packages_of_traces_are_missing", source=cfg.source("traces", "otel_on"), error=str(error))
            ) from None
        self._resource = Resource.create(
            {"service.name": cfg.text("traces", "otel_service"), "service.version": version}
        )
        self._exporter = OTLPSpanExporter(endpoint=find_endpoint(cfg), timeout=TIMEOUT_S)

    def send(self, spans: Sequence[RunSpan]) -> bool:
        """Send the spans in one message; True when the collector has taken them."""
        from opentelemetry.sdk.trace.export import SpanExportResult

        return self._exporter.export([self._convert(span) for span in spans]) is SpanExportResult.SUCCESS

    def _convert(self, span: RunSpan) -> ReadableSpan:
        from opentelemetry.sdk.trace import ReadableSpan
        from opentelemetry.trace import SpanContext, TraceFlags
        from opentelemetry.trace.status import Status, StatusCode

        def make_context(span_id: int) -> SpanContext:
            return SpanContext(span.trace_id, span_id, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))

        extra: dict[str, Any] = {} if span.parent_id == 0 else {"parent": make_context(span.parent_id)}
        return ReadableSpan(
            name=span.name,
            context=make_context(span.span_id),
            resource=self._resource,
            attributes=dict(span.attributes),
            start_time=_to_ns(span.started_at),
            end_time=_to_ns(span.ended_at),
            status=Status(StatusCode.OK) if span.error is None else Status(StatusCode.ERROR, span.error),
            **extra,
        )

    def close(self) -> None:
        """End the exporter, and the tries that it makes."""
        self._exporter.shutdown()  # type: ignore[no-untyped-call]


def find_endpoint(cfg: Config) -> str:
    """The address of the collector."""
    scheme = "https" if cfg.boolean("traces", "otel_ssl_active") else "http"
    host = cfg.text("traces", "otel_host")
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{cfg.integer('traces', 'otel_port')}/v1/traces"


def _to_ns(at: Instant) -> int:
    return at * _NS
