/** The lines of a picture with their arrows, the points where they meet, and their labels. */

import { memo } from "react";
import type { Direction, GraphLayout, Line } from "./layout";
import { drawArrow, drawLine } from "./path";
import type { PictureEdge, PictureGraph } from "./picture";
import { shortenLabel } from "./shapes";
import styles from "./graph.module.css";

export interface EdgeLinesProps {
  graph: PictureGraph;
  layout: GraphLayout;
  direction: Direction;
  /** Only the lines of these edges, as the path of a node. */
  only?: ReadonlySet<number>;
  isInView: (line: Line) => boolean;
}

export const EdgeLines = memo(function EdgeLines({ graph, layout, direction, only, isInView }: EdgeLinesProps) {
  const lines = layout.lines.filter((line) => (!only || line.edges.some((edge) => only.has(edge))) && isInView(line));
  return (
    <g className={only ? styles.near : undefined}>
      {lines.map((line, at) => {
        const edge = graph.edges[line.edges[0] as number] as PictureEdge;
        const isWrong = line.edges.some((one) => graph.edges[one]?.isWrong);
        return (
          <g key={at} className={`${styles.edge} ${styles[`edge-${edge.kind}`] ?? ""} ${isWrong ? styles.wrong : ""}`}>
            <path d={drawLine(line.points, direction, line.isEnd)} />
            {line.isEnd && <path className={styles.arrow} d={drawArrow(line.points, direction)} />}
          </g>
        );
      })}
      {!only &&
        layout.joins.map((join, at) => <circle key={at} className={styles.join} cx={join.x} cy={join.y} r={2.5} />)}
      {!only &&
        layout.labels.map(
          (at, edge) =>
            at && (
              <text key={edge} className={styles.label} x={at.x} y={at.y + 4} textAnchor="middle">
                {shortenLabel(graph.edges[edge]?.label ?? "")}
              </text>
            ),
        )}
    </g>
  );
});
