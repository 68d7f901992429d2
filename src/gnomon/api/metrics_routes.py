"""`GET /metrics`: the figures of the whole deployment, from every api-server alike."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.trusted_proxies import find_address, is_forwarded_by_stranger
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.ground.config.network_address import is_within
from gnomon.ground.metrics.figures import decode_figures
from gnomon.model.sentences import say

METRICS_PATH = "/metrics"
router = OperationRouter(tags=["Metrics"])


@router.get(METRICS_PATH, include_in_schema=False)
def get_metrics(request: Request, context: Context) -> Response:
    """All figures in the format that the header Accept asks for: Prometheus' text, or OpenMetrics."""
    from gnomon.api.metrics.exposition import render_figures  # start-up cost: nobody may ask
    from gnomon.queries.report.activity.deployment_figures import ProcessSamples

    if not context.cfg.boolean("metrics", "prometheus_on"):
        raise Refusal(404, say("metrics_are_off"))
    if not _needs_no_login(context, request):
        context.policy.authorize(request, Permission.READ, ApiResource.METRIC, None)
    figures = context.figures_reader.read(lambda: context.database)
    server = context.server_figures
    server.figures.record_process()
    own = ProcessSamples("api-server", server.process_id, tuple(decode_figures(server.figures.encode())))
    body, media_type = render_figures(figures, own, context.figures_reader.read_s, request.headers.get("accept", ""))
    return Response(body, media_type=media_type)


def _needs_no_login(context: ApiContext, request: Request) -> bool:
    """Whether the request comes from a network that needs no login. A header of a proxy that is not trusted hides where it comes from."""
    return is_within(find_address(request), context.open_to_metrics) and not is_forwarded_by_stranger(request)
