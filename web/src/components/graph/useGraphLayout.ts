/** The layout of a graph, computed in a worker; while a new one is computed the last one stays. */

import { useEffect, useMemo, useState } from "react";
import type { Direction, GraphBox, LayoutAnswer } from "./layout";
import { askLayout, findLayout } from "./layoutClient";

export function useGraphLayout(
  boxes: GraphBox[],
  edges: [number, number][],
  direction: Direction,
): { layout: LayoutAnswer | undefined; problem: string } {
  const [answer, setAnswer] = useState<LayoutAnswer>();
  const [problem, setProblem] = useState("");
  const key = useMemo(() => JSON.stringify([boxes, edges, direction]), [boxes, edges, direction]);
  const known = findLayout<LayoutAnswer>(key);
  useEffect(() => {
    let isWanted = true;
    setProblem("");
    const found = findLayout<LayoutAnswer>(key);
    if (found) setAnswer(found);
    else
      void askLayout<LayoutAnswer>(key, { boxes, edges, direction }).then(
        (one) => isWanted && setAnswer(one),
        (error: Error) => isWanted && setProblem(error.message),
      );
    return () => {
      isWanted = false;
    };
  }, [key, boxes, edges, direction]);
  return { layout: known ?? (answer?.places.length === boxes.length ? answer : undefined), problem };
}
