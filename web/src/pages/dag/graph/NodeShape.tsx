/** A node of the graph: a task, a folded or an open group, or something outside of the DAG. */

import type { Placed } from "../../../components/graph/nested";
import { stateName, stateShape } from "../../../components/StateBadge";
import { t, tn } from "../../../state/language";
import { describeCounts, type StateCounts } from "../cellStates";
import type { GraphNode } from "./foldGraph";
import { type FittedText, LINE_PX } from "./textLines";
import styles from "../../../components/graph/graph.module.css";

const LEFT = 18;

export interface NodeShapeProps {
  node: GraphNode;
  place: Placed | undefined;
  text: FittedText | undefined;
  states: StateCounts;
  look: string;
  choose: () => void;
  open: () => void;
  point: (on: boolean) => void;
}

export function NodeShape({ node, place, text, states, look, choose, open, point }: NodeShapeProps) {
  if (!place || !text) return null;
  const worst = states[0]?.[0];
  const isOpen = node.kind === "open";
  return (
    <g
      className={`${styles.node} ${styles[`node-${node.kind === "outside" ? (node.outside?.kind ?? "dag") : node.kind}`] ?? ""} ${look}`}
      transform={`translate(${place.x} ${place.y})`}
      data-node={node.key}
      onClick={choose}
      onDoubleClick={open}
      onPointerEnter={() => point(true)}
      onPointerLeave={() => point(false)}
    >
      <title>{`${node.name}\n${describeNode(node, states)}`}</title>
      <rect width={place.width} height={place.height} rx={6} />
      {states.length > 0 && !isOpen && (
        <rect className={`solid-${worst ?? "none"}`} width={7} height={place.height - 8} x={5} y={4} rx={3} />
      )}
      {text.lines.map((line, at) => (
        <text key={at} x={LEFT} y={LINE_PX + 1 + at * LINE_PX}>
          {at === 0 ? sign(node) : ""}
          {line}
        </text>
      ))}
      {!isOpen && (
        <text
          className={styles.small}
          x={LEFT}
          y={LINE_PX + 2 + text.lines.length * LINE_PX}
        >{`${states.length > 0 ? `${stateShape(worst)} ` : ""}${shorten(describeNode(node, states), place.width)}`}</text>
      )}
    </g>
  );
}

/** What stands below the name: the states, or what the node is. */
function describeNode(node: GraphNode, states: StateCounts): string {
  if (states.length > 0) return describeCounts(states);
  if (node.kind === "group") return tn("{count} task", "{count} tasks", node.tasks.length);
  if (node.kind === "outside") return node.outside?.kind === "dag" ? t("another DAG") : t("asset");
  const rule = node.task?.trigger_rule;
  return rule && rule !== "all_success" ? rule : (node.task?.operator ?? stateName(null));
}

function sign(node: GraphNode): string {
  if (node.kind === "open") return "▾ ";
  if (node.kind === "group") return "▸ ";
  if (node.kind === "outside") return node.outside?.kind === "dag" ? "⧉ " : "◈ ";
  return `${node.task?.is_setup ? "⤒ " : ""}${node.task?.is_teardown ? "⤓ " : ""}${node.task?.is_mapped ? "⊞ " : ""}`;
}

function shorten(words: string, width: number): string {
  const most = Math.floor((width - LEFT - 20) / 6.4);
  return words.length > most ? `${words.slice(0, Math.max(1, most - 1))}…` : words;
}
