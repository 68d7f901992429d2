/** The places of the nodes, computed by a worker. While a new layout is computed, the last one stays. */

import { useEffect, useMemo, useState } from "react";
import type { LayoutAnswer } from "./chooseLayout";
import type { Direction, GraphLayout, Size } from "./layout";
import { askLayout, findLayout } from "./layoutClient";
import type { PictureGraph } from "./picture";
import { describeGraph } from "./shapes";

export interface LaidOut {
  graph: PictureGraph;
  layout: GraphLayout;
  /** How long the worker computed. */
  ms: number;
}

/** A low frame in a window that scrolls counts as this part of the window. */
const WINDOW_PART = 0.7;
/** A lower frame has not got its height yet. */
const FRAME_MIN = 200;

type Answer = LayoutAnswer & { ms: number };

/** `graphs`: ways to fold the same graph, the least folded first; the first one that can be read in the frame is laid out. */
export function useGraphLayout(
  graphs: readonly PictureGraph[],
  direction: Direction,
  frame: Size,
): { laidOut: LaidOut | undefined; problem: string } {
  const [last, setLast] = useState<LaidOut>();
  const [problem, setProblem] = useState("");
  const isMeasured = frame.width > 0 && frame.height >= FRAME_MIN;
  // The frame decides once how a graph is folded: a window that changes its size does not move all nodes.
  const [first, setFirst] = useState<Size>();
  if (isMeasured && first === undefined)
    setFirst({ width: frame.width, height: Math.max(frame.height, window.innerHeight * WINDOW_PART) });
  const question = useMemo(() => {
    if (!first) return undefined;
    const aspect = first.width / Math.max(1, first.height);
    const requests = graphs.map((graph) => describeGraph(graph, direction, aspect));
    return { requests, frame: first, key: JSON.stringify(requests) };
  }, [graphs, direction, first]);
  const known = question && findLayout<Answer>(question.key);
  useEffect(() => {
    if (!question) return undefined;
    let isWanted = true;
    setProblem("");
    const { key, requests, frame: size } = question;
    const show = ({ choice, layout, ms }: Answer) =>
      isWanted && setLast({ graph: graphs[choice] as PictureGraph, layout, ms });
    const answer = findLayout<Answer>(key);
    if (answer) show(answer);
    else
      void askLayout<Answer>(key, { requests, frame: size }).then(
        show,
        (error: Error) => isWanted && setProblem(error.message),
      );
    return () => {
      isWanted = false;
    };
  }, [question, graphs]);
  const laidOut = useMemo(
    () => (known ? { graph: graphs[known.choice] as PictureGraph, layout: known.layout, ms: known.ms } : last),
    [known, graphs, last],
  );
  return { laidOut, problem };
}
