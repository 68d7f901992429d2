/** The places of the nodes, computed by a worker. While a new layout is computed, the last one stays. */

import { useEffect, useMemo, useState } from "react";
import type { FoldedGraph } from "./foldGraph";
import { askLayout, findLayout } from "../../../components/graph/layoutClient";
import type { NestedAnswer } from "../../../components/graph/layoutWorker";
import type { NestedGraph, NestedLayout } from "../../../components/graph/nested";
import { fitText, type FittedText, LINE_PX, measureText } from "./textLines";

export interface LaidOut {
  graph: FoldedGraph;
  texts: FittedText[];
  layout: NestedLayout;
  /** How long the worker computed. */
  ms: number;
}

const COUNTS_PX = 190;
const META_PX = 22;
const MARGIN_PX = 10;

export function useLayout(
  graph: FoldedGraph,
  direction: "LR" | "TB",
): { laidOut: LaidOut | undefined; problem: string } {
  const [last, setLast] = useState<LaidOut>();
  const [problem, setProblem] = useState("");
  const asked = useMemo(() => {
    const texts = graph.nodes.map((node) => fitText(node.name, measureText));
    const nested = describe(graph, texts, direction);
    return { graph, texts, nested, key: JSON.stringify(nested) };
  }, [graph, direction]);
  const answer = findLayout<NestedAnswer>(asked.key);
  const known = useMemo(() => answer && build(asked, answer), [asked, answer]);
  useEffect(() => {
    let isWanted = true;
    setProblem("");
    const found = findLayout<NestedAnswer>(asked.key);
    if (found) setLast(build(asked, found));
    else
      void askLayout<NestedAnswer>(asked.key, { nested: asked.nested }).then(
        (one) => isWanted && setLast(build(asked, one)),
        (error: Error) => isWanted && setProblem(error.message),
      );
    return () => {
      isWanted = false;
    };
  }, [asked]);
  return { laidOut: known ?? last, problem };
}

interface Asked {
  graph: FoldedGraph;
  texts: FittedText[];
}

function build({ graph, texts }: Asked, { layout, ms }: NestedAnswer): LaidOut {
  return { graph, texts, layout, ms };
}

/** An open group has room for its button, and a node that stands for several tasks for their counts. */
function findWidth(node: FoldedGraph["nodes"][number], text: FittedText): number {
  if (node.kind === "open") return text.width + 90;
  return node.kind === "group" || node.task?.is_mapped ? Math.max(text.width, COUNTS_PX) : text.width;
}

function describe(graph: FoldedGraph, texts: FittedText[], direction: "LR" | "TB"): NestedGraph {
  return {
    direction,
    nodes: graph.nodes.map((node, at) => ({
      width: findWidth(node, texts[at] as FittedText),
      height: (texts[at] as FittedText).lines.length * LINE_PX + META_PX + MARGIN_PX,
      parent: node.parent,
      isOpenGroup: node.kind === "open",
    })),
    edges: graph.edges.map((edge) => edge.ends),
  };
}
