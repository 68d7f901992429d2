/** The picture of a DAG: nodes and lines that can be moved, zoomed and walked by keys; the chosen node is told in words below. */

import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import type { Structure } from "../../../api/shapes";
import { usePanZoom } from "../../../components/graph/usePanZoom";
import { useSize } from "../../../components/useSize";
import { t, tn } from "../../../state/language";
import type { StateCounts } from "../cellStates";
import { drawEdges } from "./edgePaths";
import { findMatches, findReach, foldGraph, type GraphNode } from "./foldGraph";
import { NodeFacts } from "./NodeFacts";
import { NodeShape } from "./NodeShape";
import { sumStates } from "./nodeStates";
import { type LaidOut, useLayout } from "./useLayout";
import { walk } from "./walk";
import styles from "../../../components/graph/graph.module.css";

const ZOOM = 1.3;
/** A graph opens no smaller than this, so that its names can be read. */
const READABLE = 0.5;
const HEIGHT_MIN = 240;
const FOUND_MAX = 8;
/** Around what is in view, this much is drawn too, in px of the picture. */
const AROUND = 200;
const EMPTY: ReadonlySet<number> = new Set();

export interface TaskGraphProps {
  structure: Structure;
  runId: string | undefined;
  states: StateCounts[];
  open: ReadonlySet<string>;
  find: string;
  direction: "LR" | "TB";
  toggle: (group: string) => void;
}

export function TaskGraph({ structure, runId, states, open, find, direction, toggle }: TaskGraphProps) {
  const graph = useMemo(() => foldGraph(structure, open), [structure, open]);
  const { laidOut, problem } = useLayout(graph, direction);
  if (problem)
    return (
      <p className="notice" role="alert">
        {problem}
      </p>
    );
  if (!laidOut)
    return (
      <p className="soft" aria-busy="true">
        {t("Laying out the graph …")}
      </p>
    );
  return (
    <Picture
      laidOut={laidOut}
      structure={structure}
      runId={runId}
      states={states}
      find={find}
      direction={direction}
      toggle={toggle}
    />
  );
}

type PictureProps = Omit<TaskGraphProps, "open"> & { laidOut: LaidOut };

function Picture({ laidOut, structure, runId, states, find, direction, toggle }: PictureProps) {
  const { graph, layout, texts } = laidOut;
  const [frame, width, height] = useSize<HTMLDivElement>();
  const { view: seen, zoom, fit, center, handlers, wasDragged } = usePanZoom(frame);
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<string>();
  const [pointed, setPointed] = useState<number>();
  const lines = useMemo(() => drawEdges(graph, layout, direction), [graph, layout, direction]);
  const fitted = useRef(0);
  useEffect(() => {
    if (width === 0 || fitted.current === layout.width + layout.height) return;
    fitted.current = layout.width + layout.height;
    fit(layout.width, layout.height, READABLE);
  }, [layout, width, fit]);
  const found = chosen === undefined ? -1 : graph.nodes.findIndex((node) => node.key === chosen);
  const current = found < 0 ? undefined : found;
  const lit = current ?? pointed;
  const near = useMemo(() => (lit === undefined ? undefined : findReach(graph, lit)), [graph, lit]);
  const matches = useMemo(() => findMatches(graph.nodes, structure, find), [graph, structure, find]);
  const choose = (at: number | undefined, isFar = false) => {
    const place = at === undefined ? undefined : layout.nodes[at];
    setChosen(at === undefined ? undefined : graph.nodes[at]?.key);
    if (place && isFar) center(place.x + place.width / 2, place.y + place.height / 2);
  };
  const chooseFound = useEffectEvent(() => {
    if (find && matches[0] !== undefined) choose(matches[0], true);
  });
  useEffect(() => chooseFound(), [find, graph]);
  const openNode = (node: GraphNode) => {
    if (node.kind === "group" || node.kind === "open") toggle(node.name);
    else if (node.kind === "outside" && node.outside?.kind === "dag")
      void navigate({ to: "/dags/$dagId/graph", params: { dagId: node.outside.name }, search: {} });
    else if (node.task && runId !== undefined)
      void navigate({
        to: "/dags/$dagId/runs/$runId/tasks/$taskId",
        params: { dagId: structure.dag_id, runId, taskId: node.task.task_id },
        search: {},
      });
  };
  const onKey = (event: KeyboardEvent) => {
    const node = current === undefined ? undefined : graph.nodes[current];
    if (event.key === "Enter" && node) openNode(node);
    else if (event.key === "+" || event.key === "=") zoom(ZOOM);
    else if (event.key === "-") zoom(1 / ZOOM);
    else if (event.key === "0") fit(layout.width, layout.height);
    else if (event.key === "Escape") choose(undefined);
    else if (event.key.startsWith("Arrow"))
      choose(current === undefined ? 0 : (walk(graph, layout, current, event.key, direction) ?? current), true);
    else return;
    event.preventDefault();
  };
  const { x, y, scale } = seen;
  const isInView = (at: number) => {
    const place = layout.nodes[at];
    return (
      place !== undefined &&
      (place.x + place.width + AROUND) * scale + x > 0 &&
      (place.x - AROUND) * scale + x < width &&
      (place.y + place.height + AROUND) * scale + y > 0 &&
      (place.y - AROUND) * scale + y < height
    );
  };
  const isDim = (at: number) =>
    near !== undefined &&
    at !== lit &&
    !near.upstream.has(at) &&
    !near.downstream.has(at) &&
    graph.nodes[at]?.kind !== "open";
  const inPath = near === undefined ? EMPTY : new Set([...near.upstream, ...near.downstream, lit as number]);
  return (
    <div className={styles.graph}>
      <div className="acts">
        <button type="button" onClick={() => zoom(ZOOM)} aria-label={t("Larger")}>
          +
        </button>
        <button type="button" onClick={() => zoom(1 / ZOOM)} aria-label={t("Smaller")}>
          −
        </button>
        <button type="button" onClick={() => fit(layout.width, layout.height)}>
          {t("Show all")}
        </button>
        {find && (
          <span role="status">
            {tn("{count} node has this in its name", "{count} nodes have this in their name", matches.length)}
          </span>
        )}
        {matches.slice(0, FOUND_MAX).map((at) => (
          <button key={graph.nodes[at]?.key} type="button" className="tag name" onClick={() => choose(at, true)}>
            {nameMatch(graph.nodes[at])}
          </button>
        ))}
      </div>
      <p className="soft" id="task-graph-keys">
        {t(
          "Arrow keys go along the lines, Enter opens, + and − zoom, 0 shows all; drag to move, Ctrl and the wheel zoom.",
        )}
      </p>
      <div
        className={styles.frame}
        ref={frame}
        tabIndex={0}
        role="group"
        aria-label={t("Picture of the graph")}
        aria-describedby="task-graph-keys"
        data-layout-ms={Math.round(laidOut.ms)}
        style={{
          height: Math.max(
            HEIGHT_MIN,
            layout.height * Math.max(READABLE, Math.min(1, width / Math.max(1, layout.width))) + 24,
          ),
        }}
        onKeyDown={onKey}
        {...handlers}
        onClick={(event) => {
          if (!wasDragged() && event.target === event.currentTarget.firstElementChild) choose(undefined);
        }}
      >
        <svg width="100%" height="100%" aria-hidden="true">
          <g transform={`translate(${x} ${y}) scale(${scale})`}>
            {graph.nodes.map(
              (node, at) =>
                node.kind === "open" &&
                isInView(at) && (
                  <NodeShape
                    key={node.key}
                    node={node}
                    place={layout.nodes[at]}
                    text={texts[at]}
                    states={sumStates(states, node.tasks)}
                    look={(at === current && styles.chosen) || ""}
                    choose={() => !wasDragged() && choose(at)}
                    open={() => openNode(node)}
                    point={(on) => setPointed(on ? at : undefined)}
                  />
                ),
            )}
            {graph.edges.map((edge, at) => {
              const [from, to] = edge.ends;
              const line = lines[at];
              if (!line || (!isInView(from) && !isInView(to) && graph.edges.length > 400)) return null;
              const look = near === undefined ? "" : inPath.has(from) && inPath.has(to) ? styles.near : styles.dim;
              return (
                <g
                  key={`${from}>${to}`}
                  className={`${styles.edge} ${edge.isOutside ? styles["edge-writes"] : ""} ${look}`}
                >
                  <path d={line.line} />
                  <path className={styles.arrow} d={line.arrow} />
                  {edge.label && (
                    <text x={line.middle.x} y={line.middle.y - 4} textAnchor="middle">
                      {edge.label.slice(0, 60)}
                    </text>
                  )}
                </g>
              );
            })}
            {graph.nodes.map(
              (node, at) =>
                node.kind !== "open" &&
                isInView(at) && (
                  <NodeShape
                    key={node.key}
                    node={node}
                    place={layout.nodes[at]}
                    text={texts[at]}
                    states={sumStates(states, node.tasks)}
                    look={`${at === current ? styles.chosen : ""} ${isDim(at) ? styles.dim : ""} ${find && matches.includes(at) ? styles.found : ""}`}
                    choose={() => !wasDragged() && choose(at)}
                    open={() => openNode(node)}
                    point={(on) => setPointed(on ? at : undefined)}
                  />
                ),
            )}
          </g>
        </svg>
      </div>
      <NodeFacts
        graph={graph}
        at={current}
        structure={structure}
        runId={runId}
        states={states}
        toggle={toggle}
        choose={(at) => choose(at, true)}
      />
    </div>
  );
}

/** The full id of a task, because tasks of several groups can have the same name inside. */
function nameMatch(node: GraphNode | undefined): string {
  return node?.task?.display_name ?? node?.task?.task_id ?? node?.name ?? "";
}
