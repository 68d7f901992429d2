/** What a search has found in the picture: how many nodes, and the first of them as a choice. */

import { t, tn } from "../../state/language";
import { Button } from "../../ui/Button";
import type { PictureGraph, PictureNode } from "./picture";
import styles from "./graph.module.css";

const SHOWN_MAX = 8;

interface Props {
  graph: PictureGraph;
  matches: readonly number[];
  choose: (at: number) => void;
}

export function FoundNodes({ graph, matches, choose }: Props) {
  return (
    <div className={styles.matches}>
      <span role="status">
        {tn("{count} node has this in its name", "{count} nodes have this in their name", matches.length)}
      </span>
      {matches.slice(0, SHOWN_MAX).map((at) => {
        const node = graph.nodes[at] as PictureNode;
        return (
          <Button key={node.key} look="quiet" isSmall onClick={() => choose(at)}>
            {node.kind === "group" ? t("group {name}", { name: node.name }) : (node.fullName ?? node.name)}
          </Button>
        );
      })}
    </div>
  );
}
