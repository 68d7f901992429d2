/** The picture of the graph: boxes and lines that can be moved, zoomed and walked by keys; the chosen node is told in words below. */

import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { type Direction, drawLine, type LayoutAnswer, wrapName } from "../../components/graph/layout";
import { useGraphLayout } from "../../components/graph/useGraphLayout";
import { usePanZoom } from "../../components/graph/usePanZoom";
import { useNarrow } from "../../components/useNarrow";
import { useSize } from "../../components/useSize";
import { t, tn } from "../../state/language";
import { findWorstState, type GraphNode, reach, type ShownGraph } from "./graphModel";
import { NodeDetails } from "./NodeDetails";
import styles from "../../components/graph/graph.module.css";

const LINE_PX = 16;
const CHAR_PX = 7.4;
const ZOOM = 1.3;
/** A graph opens no smaller than this, so that its names can be read. */
const READABLE = 0.55;
const HEIGHT_MIN = 220;
const FOUND_MAX = 8;
/** Around what is in view, this much is drawn too, in px of the picture. */
const AROUND = 200;
const SYMBOLS: Record<GraphNode["kind"], string> = {
  dag: "",
  asset: "◈ ",
  alias: "≈ ",
  unknown: "? ",
  missing: "? ",
  group: "▣ ",
};

export interface GraphPictureProps {
  graph: ShownGraph;
  runs: Record<string, string[] | [string, string]> | undefined;
  find: string;
  canFold: boolean;
  groupOf: Map<string, string> | undefined;
  toggle: (group: string) => void;
  focus: (dagId: string) => void;
}

export function GraphPicture({ graph, runs, find, canFold, groupOf, toggle, focus }: GraphPictureProps) {
  const [frame, width, height] = useSize<HTMLDivElement>();
  const { view: seen, zoom, fit, center, handlers, wasDragged } = usePanZoom(frame);
  const navigate = useNavigate();
  const drawn = useMemo(() => describe(graph), [graph]);
  const direction: Direction = useNarrow() ? "TB" : "LR";
  const { layout, problem } = useGraphLayout(drawn.boxes, drawn.edges, direction);
  const [chosen, setChosen] = useState<string>();
  const at = useMemo(() => new Map(graph.nodes.map((one, index) => [one.key, index])), [graph]);
  const current = chosen !== undefined && at.has(chosen) ? chosen : undefined;
  const fitted = useRef<LayoutAnswer | undefined>(undefined);
  useEffect(() => {
    if (!layout || width === 0 || fitted.current === layout) return;
    fitted.current = layout;
    fit(layout.width, layout.height, READABLE);
  }, [layout, width, fit]);
  const matches = useMemo(() => findMatches(graph, find), [graph, find]);
  const reveal = (key: string) => {
    const index = at.get(key);
    const place = index === undefined ? undefined : layout?.places[index];
    const box = index === undefined ? undefined : drawn.boxes[index];
    if (place && box) center(place.x + box.width / 2, place.y + box.height / 2);
  };
  const choose = (key: string | undefined, isFar = false) => {
    setChosen(key);
    if (key !== undefined && isFar) reveal(key);
  };
  const chooseFound = useEffectEvent(() => {
    if (find && matches[0]) choose(matches[0].key, true);
  });
  useEffect(() => chooseFound(), [find, layout]);
  const open = (node: GraphNode) => {
    if (node.kind === "group") toggle(node.name);
    else if (node.kind === "dag") void navigate({ to: "/dags/$dagId", params: { dagId: node.name }, search: {} });
    else if (node.assetId !== undefined)
      void navigate({ to: "/assets/$assetId", params: { assetId: String(node.assetId) }, search: {} });
  };
  const lit = useMemo(
    () =>
      current === undefined
        ? undefined
        : new Set([...reach(graph.edges, current, "from", "to"), ...reach(graph.edges, current, "to", "from")]),
    [graph, current],
  );
  const onKey = (event: KeyboardEvent) => {
    const node = current === undefined ? undefined : graph.nodes[at.get(current) as number];
    if (event.key === "Enter" && node) open(node);
    else if (event.key === "+" || event.key === "=") zoom(ZOOM);
    else if (event.key === "-") zoom(1 / ZOOM);
    else if (event.key === "0" && layout) fit(layout.width, layout.height);
    else if (event.key === "Escape") choose(undefined);
    else if (event.key.startsWith("Arrow") && layout)
      choose(walk(graph, layout, drawn.boxes, current, event.key, direction), true);
    else return;
    event.preventDefault();
  };
  const isInView = (index: number) => {
    const place = layout?.places[index];
    const box = drawn.boxes[index];
    if (!place || !box) return false;
    const { x, y, scale } = seen;
    return (
      (place.x + box.width + AROUND) * scale + x > 0 &&
      (place.x - AROUND) * scale + x < width &&
      (place.y + box.height + AROUND) * scale + y > 0 &&
      (place.y - AROUND) * scale + y < height
    );
  };
  return (
    <section className={styles.graph}>
      <div className="acts">
        <button type="button" onClick={() => zoom(ZOOM)} aria-label={t("Larger")}>
          +
        </button>
        <button type="button" onClick={() => zoom(1 / ZOOM)} aria-label={t("Smaller")}>
          −
        </button>
        <button type="button" onClick={() => layout && fit(layout.width, layout.height)}>
          {t("Show all")}
        </button>
        {find && (
          <span role="status">
            {tn("{count} node has this in its name", "{count} nodes have this in their name", matches.length)}
          </span>
        )}
        {matches.slice(0, FOUND_MAX).map((one) => (
          <button key={one.key} type="button" className="tag name" onClick={() => choose(one.key, true)}>
            {one.kind === "group" ? t("group {name}", { name: one.name }) : one.name}
          </button>
        ))}
      </div>
      <p className="soft" id="graph-keys">
        {t(
          "Arrow keys go along the lines, Enter opens, + and − zoom, 0 shows all; drag to move, Ctrl and the wheel zoom.",
        )}
      </p>
      {problem && (
        <p className="notice" role="alert">
          {problem}
        </p>
      )}
      <div
        className={styles.frame}
        ref={frame}
        tabIndex={0}
        style={{
          height: layout
            ? Math.max(HEIGHT_MIN, layout.height * Math.max(READABLE, Math.min(1, width / layout.width)) + 8)
            : undefined,
        }}
        role="group"
        aria-label={t("Picture of the graph")}
        aria-describedby="graph-keys"
        onKeyDown={onKey}
        {...handlers}
        onClick={(event) => {
          if (!wasDragged() && event.target === event.currentTarget.firstElementChild) choose(undefined);
        }}
      >
        <svg width="100%" height="100%" aria-hidden="true">
          {layout && (
            <g transform={`translate(${seen.x} ${seen.y}) scale(${seen.scale})`}>
              {graph.edges.map((edge, index) => {
                const [from, to] = drawn.edges[index] as [number, number];
                if (!isInView(from) && !isInView(to) && graph.edges.length > 400) return null;
                const isNear = current !== undefined && (edge.from === current || edge.to === current);
                const state =
                  lit === undefined
                    ? ""
                    : isNear
                      ? styles.near
                      : lit.has(edge.from) && lit.has(edge.to)
                        ? ""
                        : styles.dim;
                return (
                  <path
                    key={index}
                    className={`${styles.edge} ${styles[`edge-${edge.kind}`] ?? ""} ${edge.isWrong ? styles.wrong : ""} ${state}`}
                    d={drawLine(layout.points[index] ?? [])}
                    markerEnd="url(#arrow)"
                  />
                );
              })}
              {graph.nodes.map(
                (node, index) =>
                  isInView(index) && (
                    <NodeShape
                      key={node.key}
                      node={node}
                      place={layout.places[index] as { x: number; y: number }}
                      box={drawn.boxes[index] as { width: number; height: number }}
                      lines={drawn.lines[index] as string[]}
                      worst={findWorstState(node.dagIds, runs)}
                      isChosen={node.key === current}
                      isDim={lit !== undefined && !lit.has(node.key)}
                      isFound={find !== "" && matches.includes(node)}
                      choose={() => {
                        if (!wasDragged()) choose(node.key);
                      }}
                      open={() => open(node)}
                    />
                  ),
              )}
            </g>
          )}
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0 0L8 4L0 8z" />
            </marker>
          </defs>
        </svg>
      </div>
      <NodeDetails
        graph={graph}
        node={current === undefined ? undefined : graph.nodes[at.get(current) as number]}
        runs={runs}
        canFold={canFold}
        groupOf={groupOf}
        toggle={toggle}
        focus={focus}
        choose={(key) => choose(key, true)}
      />
      <EdgeLegend />
    </section>
  );
}

interface NodeShapeProps {
  node: GraphNode;
  place: { x: number; y: number };
  box: { width: number; height: number };
  lines: string[];
  worst: { state: string; count: number } | undefined;
  isChosen: boolean;
  isDim: boolean;
  isFound: boolean;
  choose: () => void;
  open: () => void;
}

function NodeShape({ node, place, box, lines, worst, isChosen, isDim, isFound, choose, open }: NodeShapeProps) {
  const classes = `${styles.node} ${styles[`node-${node.kind}`] ?? ""} ${isChosen ? styles.chosen : ""} ${isDim ? styles.dim : ""} ${isFound ? styles.found : ""} ${node.error === undefined ? "" : styles.wrong} ${node.paused ? styles.paused : ""}`;
  return (
    <g className={classes} transform={`translate(${place.x} ${place.y})`} onClick={choose} onDoubleClick={open}>
      <title>{node.name}</title>
      <rect
        width={box.width}
        height={box.height}
        rx={node.kind === "dag" || node.kind === "group" ? 6 : box.height / 2}
      />
      {worst && <rect className={`fill-${worst.state}`} width={7} height={box.height - 8} x={5} y={4} rx={3} />}
      {lines.map((line, at) => (
        <text key={at} x={18} y={LINE_PX + 3 + at * LINE_PX}>
          {at === 0 ? SYMBOLS[node.kind] : ""}
          {line}
        </text>
      ))}
      {node.kind === "group" && (
        <text className={styles.small} x={18} y={LINE_PX + 3 + lines.length * LINE_PX}>
          {tn("{count} DAG", "{count} DAGs", node.dagIds.length)}
          {worst && worst.state !== "success" ? `, ${worst.count} ${worst.state}` : ""}
        </text>
      )}
    </g>
  );
}

function EdgeLegend() {
  const kinds: [string, string][] = [
    ["waits", t("waits for its runs")],
    ["triggers", t("triggers")],
    ["writes", t("writes the asset")],
    ["schedules", t("schedules the DAG")],
    ["reads", t("reads it")],
    ["alias", t("alias")],
  ];
  return (
    <ul className="legend" aria-label={t("Kinds of lines")}>
      {kinds.map(([kind, words]) => (
        <li key={kind}>
          <svg width={28} height={10} aria-hidden="true">
            <path className={`${styles.edge} ${styles[`edge-${kind}`] ?? ""}`} d="M1 5H27" />
          </svg>{" "}
          {words}
        </li>
      ))}
    </ul>
  );
}

function describe(graph: ShownGraph) {
  const lines = graph.nodes.map((node) => wrapName(node.name || t("(none)")));
  const boxes = graph.nodes.map((node, at) => {
    const own = lines[at] as string[];
    const longest = Math.max(...own.map((line) => line.length), node.kind === "group" ? 18 : 0);
    return {
      width: Math.ceil(longest * CHAR_PX) + 46,
      height: (own.length + (node.kind === "group" ? 1 : 0)) * LINE_PX + 12,
    };
  });
  const at = new Map(graph.nodes.map((one, index) => [one.key, index]));
  return {
    lines,
    boxes,
    edges: graph.edges.map((edge): [number, number] => [at.get(edge.from) as number, at.get(edge.to) as number]),
  };
}

function findMatches(graph: ShownGraph, find: string): GraphNode[] {
  const text = find.toLowerCase();
  return text === ""
    ? []
    : graph.nodes.filter(
        (one) =>
          one.name.toLowerCase().includes(text) || one.dagIds.some((dagId) => dagId.toLowerCase().includes(text)),
      );
}

/** In the direction of the lines along one to the nearest node before or after; across it to the nearest node on that side. */
function walk(
  graph: ShownGraph,
  layout: LayoutAnswer,
  boxes: { width: number; height: number }[],
  from: string | undefined,
  key: string,
  direction: Direction,
): string | undefined {
  if (from === undefined) return graph.nodes[0]?.key;
  const index = graph.nodes.findIndex((one) => one.key === from);
  const [back, ahead, before] =
    direction === "LR" ? ["ArrowLeft", "ArrowRight", "ArrowUp"] : ["ArrowUp", "ArrowDown", "ArrowLeft"];
  /** x along the lines, y across them. */
  const middle = (at: number) => {
    const [x, y] = [
      (layout.places[at]?.x ?? 0) + (boxes[at]?.width ?? 0) / 2,
      (layout.places[at]?.y ?? 0) + (boxes[at]?.height ?? 0) / 2,
    ];
    return direction === "LR" ? { x, y } : { x: y, y: x };
  };
  const here = middle(index);
  const along = key === back || key === ahead;
  const linked = new Set(
    graph.edges.flatMap((edge) =>
      key === ahead && edge.from === from ? [edge.to] : key === back && edge.to === from ? [edge.from] : [],
    ),
  );
  let best = from;
  let least = Infinity;
  graph.nodes.forEach((node, at) => {
    const there = middle(at);
    const isAhead = along ? linked.has(node.key) : key === before ? there.y < here.y - 1 : there.y > here.y + 1;
    const away = along ? Math.abs(there.y - here.y) : Math.abs(there.y - here.y) + 3 * Math.abs(there.x - here.x);
    if (node.key !== from && isAhead && away < least) [best, least] = [node.key, away];
  });
  return best;
}
