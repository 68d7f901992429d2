/** Of several ways to fold a graph the first that can be read when it is shown whole. */

import { findFit } from "./fit";
import { layOutGraph } from "./layOutGraph";
import type { GraphLayout, GraphRequest, Size } from "./layout";

/** A picture that would be smaller than this folds its groups. */
const FIT_MIN = 0.6;

export interface LayoutQuestion {
  /** The least folded first. */
  requests: GraphRequest[];
  /** What the picture is to fit. */
  frame: Size;
}

export interface LayoutAnswer {
  layout: GraphLayout;
  /** Which of the requests was laid out. */
  choice: number;
}

export function chooseLayout({ requests, frame }: LayoutQuestion): LayoutAnswer {
  for (const [choice, request] of requests.entries()) {
    const layout = layOutGraph(request);
    if (choice === requests.length - 1 || findFit(layout, frame) >= FIT_MIN) return { layout, choice };
  }
  throw new Error("no graph was asked for");
}
