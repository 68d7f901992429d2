/** A node of the picture: the mark of its state, its name, a line below it; for a group a button that opens or folds it and the shares of its states. */

import { memo } from "react";
import { t } from "../../state/language";
import { stateShape } from "../StateBadge";
import type { Placed } from "./layout";
import type { PictureNode, StateCounts } from "./picture";
import { fitName, TEXT_LEFT } from "./shapes";
import { LINE_PX } from "./texts";
import styles from "./graph.module.css";

const MARK_X = 19;
const TOP = 8;
const SHARES_PX = 3;
const NOTE_CHAR_PX = 6.3;
const HEADER = 34;

export interface NodeShapeProps {
  node: PictureNode;
  place: Placed;
  /** Classes: chosen, on the path, among what was searched for. */
  look: string;
}

export const NodeShape = memo(function NodeShape({ node, place, look }: NodeShapeProps) {
  const { lines } = fitName(node.name || t("(none)"));
  const state = node.states[0]?.[0];
  const hasRun = node.states.length > 0;
  const isOpen = node.kind === "open";
  const isGroup = isOpen || node.kind === "group";
  const classes = [
    styles.node,
    styles[`node-${node.kind}`],
    node.isDashed && styles.dashed,
    (node.isWrong || state === "failed") && styles.wrong,
    state === "running" && styles.running,
    look,
  ];
  return (
    <g
      className={classes.filter(Boolean).join(" ")}
      transform={`translate(${place.x} ${place.y})`}
      data-node={node.key}
    >
      <title>{`${node.name}\n${node.note}`}</title>
      {node.kind === "group" && (
        <rect className={styles.behind} x={6} y={8} width={place.width - 12} height={place.height - 4} rx={8} />
      )}
      <rect className={styles.box} width={place.width} height={place.height} rx={isOpen ? 10 : 8} />
      {isOpen ? (
        <text className={styles.title} x={12} y={HEADER / 2 + 5}>
          {shorten(node.name, place.width - 60)}
          <tspan className={styles.note} dx={8}>
            {place.width > 260 ? shorten(node.note, place.width - 70 - node.name.length * 8) : ""}
          </tspan>
        </text>
      ) : (
        <>
          <Mark state={state} hasRun={hasRun} kind={node.kind} y={place.height / 2} />
          {lines.map((line, at) => (
            <text key={at} className={styles.title} x={TEXT_LEFT} y={TOP + 12 + at * LINE_PX}>
              {line}
            </text>
          ))}
          <text className={styles.note} x={TEXT_LEFT} y={TOP + 12 + lines.length * LINE_PX + 1}>
            {node.sign && <tspan>{node.sign} </tspan>}
            {shorten(node.note, place.width - TEXT_LEFT - (isGroup ? 34 : 12))}
          </text>
          {(node.count ?? 1) > 1 && hasRun && <Shares states={node.states} place={place} />}
        </>
      )}
      {isGroup && <FoldButton isOpen={isOpen} x={place.width - 26} y={isOpen ? HEADER / 2 : place.height / 2} />}
    </g>
  );
});

const KIND_MARKS: Partial<Record<PictureNode["kind"], string>> = { asset: "◈", alias: "≈", unknown: "?", missing: "?" };

function Mark({
  state,
  hasRun,
  kind,
  y,
}: {
  state: string | null | undefined;
  hasRun: boolean;
  kind: PictureNode["kind"];
  y: number;
}) {
  const sign = KIND_MARKS[kind];
  return (
    <g className={styles.mark} transform={`translate(${MARK_X} ${y})`}>
      <circle className={sign ? styles.kind : hasRun ? `solid-${state ?? "none"}` : styles.idle} r={8.5} />
      <text className={sign ? styles.kindSign : styles.sign} y={3.5} textAnchor="middle">
        {sign ?? (hasRun ? stateShape(state) : "")}
      </text>
    </g>
  );
}

/** The share of each state, as a bar along the lower side. */
function Shares({ states, place }: { states: StateCounts; place: Placed }) {
  const total = states.reduce((sum, [, count]) => sum + count, 0);
  const scale = (place.width - 16) / total;
  return (
    <>
      {states.map(([state, count], at) => (
        <rect
          key={state ?? ""}
          className={`solid-${state ?? "none"}`}
          x={8 + scale * states.slice(0, at).reduce((sum, [, before]) => sum + before, 0)}
          y={place.height - SHARES_PX - 2}
          width={Math.max(1, scale * count - 1)}
          height={SHARES_PX}
          rx={1}
        />
      ))}
    </>
  );
}

function FoldButton({ isOpen, x, y }: { isOpen: boolean; x: number; y: number }) {
  return (
    <g className={styles.fold} data-fold="" transform={`translate(${x} ${y - 10})`}>
      <rect width={20} height={20} rx={5} />
      <path d={isOpen ? "M6 10H14" : "M6 10H14M10 6V14"} />
    </g>
  );
}

function shorten(words: string, width: number): string {
  const most = Math.floor(width / NOTE_CHAR_PX);
  return words.length > most ? `${words.slice(0, Math.max(0, most - 1))}…` : words;
}
