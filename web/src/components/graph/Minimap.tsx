/** The whole picture in small, with the part that is shown. A press moves that part. */

import type { PointerEvent } from "react";
import { t } from "../../state/language";
import type { GraphLayout, Placed, Size } from "./layout";
import type { PictureGraph } from "./picture";
import type { PanZoom } from "./usePanZoom";
import styles from "./graph.module.css";

const WIDTH = 180;
const HEIGHT = 120;

interface Props {
  graph: PictureGraph;
  layout: GraphLayout;
  view: PanZoom;
  frame: Size;
  /** A point of the picture comes to the middle. */
  show: (x: number, y: number) => void;
}

export function Minimap({ graph, layout, view, frame, show }: Props) {
  const scale = Math.min(WIDTH / layout.width, HEIGHT / layout.height);
  const move = (event: PointerEvent<SVGSVGElement>) => {
    if (event.buttons === 0) return;
    event.stopPropagation();
    const box = event.currentTarget.getBoundingClientRect();
    show((event.clientX - box.left) / scale, (event.clientY - box.top) / scale);
  };
  const width = Math.ceil(layout.width * scale);
  const height = Math.ceil(layout.height * scale);
  return (
    <div className={styles.minimap} title={t("The whole graph")}>
      <svg width={width} height={height} aria-hidden="true" onPointerDown={move} onPointerMove={move}>
        <g transform={`scale(${scale})`}>
          {graph.nodes.map((node, at) => {
            const { x, y, width: wide, height: high } = layout.nodes[at] as Placed;
            const state = node.states[0]?.[0];
            const look = node.kind === "open" ? styles.minimapGroup : state ? `solid-${state}` : styles.minimapNode;
            return <rect key={node.key} className={look} x={x} y={y} width={wide} height={high} />;
          })}
        </g>
        <rect
          className={styles.minimapView}
          x={(-view.x / view.scale) * scale}
          y={(-view.y / view.scale) * scale}
          width={(frame.width / view.scale) * scale}
          height={(frame.height / view.scale) * scale}
        />
      </svg>
    </div>
  );
}
