/** What comes directly before and after a node, as choices, and how many nodes there are on the whole way. */

import { t } from "../../state/language";
import { Button } from "../../ui/Button";
import { findReach, listMembers, type PictureGraph } from "./picture";
import styles from "./nodeDetails.module.css";

const NAMES_MAX = 30;

interface Props {
  graph: PictureGraph;
  at: number;
  choose: (at: number) => void;
}

export function Neighbours({ graph, at, choose }: Props) {
  const reach = findReach(graph, at);
  const own = graph.nodes[at]?.kind === "open" ? listMembers(graph, at) : new Set([at]);
  const list = (side: 0 | 1) => [
    ...new Set(
      graph.edges.flatMap(({ ends }) =>
        own.has(ends[side]) && !own.has(ends[1 - side] as number) ? [ends[1 - side] as number] : [],
      ),
    ),
  ];
  return (
    <>
      <Names label={t("Upstream")} graph={graph} nodes={list(1)} all={reach.upstream.size} choose={choose} />
      <Names label={t("Downstream")} graph={graph} nodes={list(0)} all={reach.downstream.size} choose={choose} />
    </>
  );
}

function Names({
  label,
  graph,
  nodes,
  all,
  choose,
}: {
  label: string;
  graph: PictureGraph;
  nodes: number[];
  all: number;
  choose: (at: number) => void;
}) {
  return (
    <section className={styles.near}>
      <h2>
        {label} <span className="soft">{t("{near} next to it, {all} in all", { near: nodes.length, all })}</span>
      </h2>
      {nodes.slice(0, NAMES_MAX).map((at) => (
        <Button key={at} isSmall onClick={() => choose(at)}>
          {graph.nodes[at]?.fullName ?? graph.nodes[at]?.name}
        </Button>
      ))}
      {nodes.length > NAMES_MAX && (
        <span className="soft"> {t("and {count} more", { count: nodes.length - NAMES_MAX })}</span>
      )}
    </section>
  );
}
