"""Renders the dependencies between DAGs as SVG: all DAGs in one column, upstream DAGs above, with lines to their downstream DAGs.

One column fits any number of DAGs into any window width, also that of a telephone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from gnomon.queries.report.pictures.calendar_svg import escape_svg
from gnomon.queries.report.waits.wait_graph import EdgeRow, order_dags

_EDGE, _ROW, _TRACK = 12, 22, 8
_TOP = 62
_MAX_TRACKS = 20
"""Maximum number of vertical lines beside one another; further lines share a track."""
_NAME_CHARS = 40
_CHAR_PX = 7.2
_LEAST_W = 390

STYLE = """
svg{background:#fff;font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
text{fill:#1f2430;font-size:12px}.title{font-size:15px;font-weight:600}.unknown text{fill:#6b7280;font-style:italic}.wrong text{fill:#b91c1c}
circle{fill:#1f2430}.unknown circle{fill:#fff;stroke:#6b7280;stroke-dasharray:2 1.5}.wrong circle{fill:#b91c1c}
path{fill:none;stroke:#2563eb;stroke-width:1.4}.c1 path{stroke:#0f766e}.c2 path{stroke:#9333ea}.c3 path{stroke:#b45309}
.earlier{stroke-dasharray:4 3}.c0 .tip{fill:#2563eb}.c1 .tip{fill:#0f766e}.c2 .tip{fill:#9333ea}.c3 .tip{fill:#b45309}g.lines:hover path{stroke-width:3}
@media (prefers-color-scheme:dark){
svg{background:#14171c}text{fill:#e6e8ec}.unknown text{fill:#9aa3b2}.wrong text{fill:#f87171}
circle{fill:#e6e8ec}.unknown circle{fill:#14171c;stroke:#9aa3b2}.wrong circle{fill:#f87171}
path{stroke:#60a5fa}.c1 path{stroke:#2dd4bf}.c2 path{stroke:#c084fc}.c3 path{stroke:#fbbf24}
.c0 .tip{fill:#60a5fa}.c1 .tip{fill:#2dd4bf}.c2 .tip{fill:#c084fc}.c3 .tip{fill:#fbbf24}}
"""
_COLOURS = 4


def render_wait_graph_svg(rows: Sequence[EdgeRow]) -> str:
    """The SVG document of all dependencies."""
    order = {dag_id: number for number, dag_id in enumerate(order_dags(rows))}
    tracks = _tracks(rows, order)
    gutter = _EDGE + _TRACK * (min(max(tracks.values(), default=0), _MAX_TRACKS - 1) + 2)
    longest = max((min(len(dag_id), _NAME_CHARS) for dag_id in order), default=0)
    width = max(_LEAST_W, round(gutter + 16 + longest * _CHAR_PX + _EDGE))
    title = f"{_counted(len(order), 'DAG')}, {_counted(len(rows), 'dependency', 'dependencies')}"
    description = "; ".join(f"{row.downstream} waits for {row.upstream}" for row in rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_TOP + _ROW * len(order) + _EDGE}" role="img" aria-label="{title}">',
        f"<title>{title}</title>",
        f"<desc>{escape_svg(description)}</desc>",
        f"<style>{STYLE}</style>",
        f'<text class="title" x="{_EDGE}" y="27">{title}</text>',
        f'<text x="{_EDGE}" y="46">a line leads from a DAG down to those that wait for it</text>',
    ]
    by_upstream: defaultdict[str, list[EdgeRow]] = defaultdict(list)
    for row in rows:
        by_upstream[row.upstream_dag_id].append(row)
    for number, (dag_id, its_rows) in enumerate(by_upstream.items()):
        parts += _draw_lines(dag_id, its_rows, order, gutter, tracks[dag_id], number % _COLOURS)
    parts += [line for dag_id in order for line in _draw_name(dag_id, rows, gutter, _y(order[dag_id]))]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _tracks(rows: Sequence[EdgeRow], order: dict[str, int]) -> dict[str, int]:
    """The vertical track of each upstream DAG's lines: the nearest track that is free over their whole length."""
    spans: dict[str, tuple[int, int]] = {}
    for row in rows:
        ends = (order[row.upstream_dag_id], order[row.dag_id])
        first, last = spans.get(row.upstream_dag_id, ends)
        spans[row.upstream_dag_id] = (min(first, *ends), max(last, *ends))
    tracks: dict[str, int] = {}
    taken: list[list[tuple[int, int]]] = []
    for dag_id, (first, last) in sorted(spans.items(), key=lambda item: (item[1][1] - item[1][0], item[1])):
        track = next(
            (at for at, others in enumerate(taken) if all(last < a or b < first for a, b in others)), len(taken)
        )
        if track == len(taken):
            taken.append([])
        taken[track].append((first, last))
        tracks[dag_id] = track
    return tracks


def _draw_lines(
    dag_id: str, rows: Sequence[EdgeRow], order: dict[str, int], gutter: int, track: int, colour: int
) -> Iterator[str]:
    x = gutter - _TRACK * (track % _MAX_TRACKS + 1)
    start = _y(order[dag_id]) + 3
    yield f'<g class="lines c{colour}"><title>{escape_svg("; ".join(_describe_row(row) for row in rows))}</title>'
    for row in rows:
        end = _y(order[row.dag_id]) - 3
        earlier = ' class="earlier"' if row.after.get("previous") else ""
        yield f'<path{earlier} d="M{gutter} {start}H{x}V{end}H{gutter - 3}"/><path class="tip" d="M{gutter - 6} {end - 3}l5 3l-5 3z"/>'
    yield "</g>"


def _draw_name(dag_id: str, rows: Sequence[EdgeRow], gutter: int, y: int) -> Iterator[str]:
    its_rows = [row for row in rows if row.dag_id == dag_id]
    errors = [row.error for row in its_rows if row.error]
    unknown = any(row.unknown for row in rows if row.upstream_dag_id == dag_id)
    words = [dag_id, *map(_describe_row, its_rows), *errors[:1], *(["no file defines this DAG"] if unknown else [])]
    kind = "wrong" if errors else "unknown" if unknown else "dag"
    shown = dag_id if len(dag_id) <= _NAME_CHARS else f"{dag_id[: _NAME_CHARS - 1]}…"
    yield f'<g class="{kind}"><title>{escape_svg("; ".join(words))}</title><circle cx="{gutter + 4}" cy="{y}" r="3.5"/>'
    yield f'<text x="{gutter + 14}" y="{y + 4}">{escape_svg(shown)}</text></g>'


def _describe_row(row: EdgeRow) -> str:
    return ", ".join([f"{row.downstream} waits for {row.upstream}", *row.chosen])


def _y(number: int) -> int:
    return _TOP + _ROW * number + _ROW // 2


def _counted(number: int, singular: str, several: str | None = None) -> str:
    return f"{number} {singular if number == 1 else several or singular + 's'}"
