/** A graph that is laid out, with its controls, its small map and the sheet of the chosen node. */

import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from "react";
import { t } from "../../state/language";
import { coversView, Sheet } from "../../ui/Sheet";
import { readGraphPlace } from "../share/place";
import { useNarrow } from "../useNarrow";
import { Controls } from "./Controls";
import { EdgeLines } from "./EdgeLines";
import { FoundNodes } from "./FoundNodes";
import type { GraphPictureProps } from "./pictureProps";
import type { Direction, Placed, Point, Size } from "./layout";
import { Minimap } from "./Minimap";
import { findReach, type PictureNode, type Reach } from "./picture";
import { NodeShape } from "./NodeShape";
import type { LaidOut } from "./useGraphLayout";
import { usePanZoom } from "./usePanZoom";
import { useInView } from "./view";
import { walk } from "./walk";
import styles from "./graph.module.css";

const ZOOM = 1.3;
/** A graph opens no smaller than this, so that its names can be read. */
const READABLE = 0.85;
/** The width of the sheet where it lies over the picture. */
const SHEET_PX = 544;
/** Smaller text is not drawn: it cannot be read. */
const TEXT_MIN = 0.28;

type PictureProps = GraphPictureProps & { laidOut: LaidOut; frame: Size };

export function Picture({
  laidOut,
  frame,
  direction,
  find,
  listMatches,
  chosen,
  choose,
  activate,
  toggle,
  describe,
  controls,
  fileName,
  isPane = false,
}: PictureProps) {
  const { graph, layout, ms } = laidOut;
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef<SVGGElement>(null);
  const { view, zoom, fit, show, center, reveal, handlers, wasDragged } = usePanZoom(box);
  const isNarrow = useNarrow();
  const [isOpened, setOpened] = useState(false);
  const [pointed, setPointed] = useState<string>();
  const [isWhole, setWhole] = useState(false);
  const places = useMemo(() => new Map(graph.nodes.map(({ key }, at) => [key, at])), [graph]);
  const current = chosen === undefined ? undefined : places.get(chosen);
  const isSheetOpen = !isPane && current !== undefined && (!isNarrow || isOpened);
  const matches = useMemo(() => (find ? listMatches(graph) : []), [find, graph, listMatches]);
  const lit = (pointed === undefined ? undefined : places.get(pointed)) ?? current;
  const reach = useMemo(() => (lit === undefined ? undefined : findReach(graph, lit)), [graph, lit]);
  const inView = useInView(layout, view, frame, isWhole);
  const fitted = useRef<string>(undefined);
  const extent = `${layout.width} ${layout.height}`;
  useEffect(() => {
    if (frame.width === 0 || fitted.current === extent) return;
    const kept = fitted.current === undefined ? readGraphPlace(window.location.hash) : undefined;
    fitted.current = extent;
    if (kept) show(kept);
    else fit(layout, READABLE, findStart(layout.nodes, direction));
  }, [layout, extent, frame.width, fit, show, direction]);

  const chooseAt = (at: number | undefined, isFar = false) => {
    choose(at === undefined ? undefined : graph.nodes[at]?.key);
    const place = at === undefined ? undefined : layout.nodes[at];
    if (place && isFar) center(place.x + place.width / 2, place.y + place.height / 2, coversView() ? SHEET_PX : 0);
  };
  // The sheet takes room beside the picture: what was chosen stays in view.
  const showChosen = useEffectEvent(() => {
    const place = current === undefined ? undefined : layout.nodes[current];
    if (place && isSheetOpen) reveal(place);
  });
  useEffect(() => showChosen(), [frame.width]);
  const chooseMatch = useEffectEvent(() => {
    if (matches[0] !== undefined) chooseAt(matches[0], true);
  });
  useEffect(() => chooseMatch(), [find, graph]);

  const nodeAt = (event: MouseEvent | PointerEvent) => {
    const element = event.target as Element;
    const key = element.closest("[data-node]")?.getAttribute("data-node") ?? undefined;
    const at = key === undefined ? undefined : places.get(key);
    return { at, key, isFold: element.closest("[data-fold]") !== null };
  };
  const onClick = (event: MouseEvent) => {
    if (wasDragged()) return;
    const { at, isFold } = nodeAt(event);
    const node = at === undefined ? undefined : graph.nodes[at];
    if (node && isFold) return toggle(node, graph);
    setOpened(true);
    chooseAt(at);
  };
  const open = (node: PictureNode) => (isGroup(node.kind) ? toggle(node, graph) : activate(node));
  const onKeyDown = (event: KeyboardEvent) => {
    const node = current === undefined ? undefined : graph.nodes[current];
    if (event.key === "Enter" && node) open(node);
    else if (event.key === "+" || event.key === "=") zoom(ZOOM);
    else if (event.key === "-") zoom(1 / ZOOM);
    else if (event.key === "0") fit(layout);
    else if (event.key === "Escape" && current !== undefined) chooseAt(undefined);
    else if (event.key.startsWith("Arrow"))
      chooseAt(current === undefined ? 0 : (walk(graph, layout.nodes, current, event.key, direction) ?? current), true);
    else return;
    event.preventDefault();
  };
  const details = isSheetOpen ? describe(current, graph, (at) => chooseAt(at, true)) : undefined;
  const look = (at: number) =>
    [
      at === current && styles.chosen,
      matches.includes(at) && styles.found,
      reach && isOnPath(reach, lit as number, at) && styles.onPath,
    ]
      .filter(Boolean)
      .join(" ");
  const isAllShown =
    view.x >= 0 &&
    view.y >= 0 &&
    view.x + layout.width * view.scale <= frame.width &&
    view.y + layout.height * view.scale <= frame.height;
  const shapes = graph.nodes.map(
    (node, at) =>
      inView.node(at) && <NodeShape key={node.key} node={node} place={layout.nodes[at] as Placed} look={look(at)} />,
  );
  return (
    <>
      <p className="unseen" id="graph-keys">
        {t(
          "Arrow keys go along the lines, Enter opens, + and − zoom, 0 shows all; drag or turn the wheel to move, Ctrl and the wheel zoom.",
        )}
      </p>
      <div
        className={styles.frame}
        ref={box}
        tabIndex={0}
        role="group"
        aria-label={t("Picture of the graph")}
        aria-describedby="graph-keys"
        data-layout-ms={Math.round(ms)}
        data-graph-place={`${(frame.width / 2 - view.x) / view.scale} ${(frame.height / 2 - view.y) / view.scale} ${view.scale}`}
        onKeyDown={onKeyDown}
        {...handlers}
        onClick={onClick}
        onDoubleClick={(event) => {
          const { at, isFold } = nodeAt(event);
          const node = at === undefined ? undefined : graph.nodes[at];
          if (node && !isFold) open(node);
        }}
        onPointerOver={(event) => setPointed(event.pointerType === "mouse" ? nodeAt(event).key : undefined)}
        onPointerLeave={() => setPointed(undefined)}
      >
        <svg width="100%" height="100%" aria-hidden="true">
          <g
            ref={shown}
            className={`${reach ? styles.dimmed : ""} ${view.scale < TEXT_MIN && !isWhole ? styles.far : ""}`}
            transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}
          >
            {shapes.filter((_, at) => graph.nodes[at]?.kind === "open")}
            {layout.blocks.map((block, at) => (
              <rect
                key={at}
                className={styles.block}
                x={block.x}
                y={block.y}
                width={block.width}
                height={block.height}
                rx={10}
              />
            ))}
            <EdgeLines graph={graph} layout={layout} direction={direction} isInView={inView.line} />
            {reach && (
              <EdgeLines
                graph={graph}
                layout={layout}
                direction={direction}
                isInView={inView.line}
                only={reach.edges}
              />
            )}
            {shapes.filter((_, at) => graph.nodes[at]?.kind !== "open")}
          </g>
        </svg>
      </div>
      {find && <FoundNodes graph={graph} matches={matches} choose={(at) => chooseAt(at, true)} />}
      <Controls
        zoom={zoom}
        fit={() => fit(layout)}
        shown={shown}
        size={layout}
        drawWhole={setWhole}
        fileName={fileName}
      >
        {controls}
      </Controls>
      {!isNarrow && !isPane && !isAllShown && (
        <Minimap graph={graph} layout={layout} view={view} frame={frame} show={(x, y) => center(x, y, 0, 0)} />
      )}
      <Sheet
        title={details?.title}
        aside={details?.aside}
        open={isSheetOpen}
        close={() => (isNarrow ? setOpened(false) : chooseAt(undefined))}
      >
        <div role="region" aria-label={t("The chosen node")} aria-live="polite">
          {details?.content}
        </div>
      </Sheet>
    </>
  );
}

/** The middle of the first node along the direction, of several the one at the edge: there one begins to read. */
function findStart(nodes: readonly Placed[], direction: Direction): Point {
  const turn = ({ x, y }: Point) => (direction === "LR" ? [x, y] : [y, x]) as [number, number];
  const first = nodes.reduce((best, node) => {
    const [[along, across], [alongBest, acrossBest]] = [turn(node), turn(best)];
    return along < alongBest - 1 || (along < alongBest + 1 && across < acrossBest) ? node : best;
  }, nodes[0] as Placed);
  return { x: first.x + first.width / 2, y: first.y + first.height / 2 };
}

function isGroup(kind: string): boolean {
  return kind === "group" || kind === "open";
}

function isOnPath(reach: Reach, from: number, at: number): boolean {
  return at === from || reach.upstream.has(at) || reach.downstream.has(at);
}
