/** Lays graphs out away from the thread of the page. */

import { layOutLayers } from "./layered";
import type { LayoutAnswer, LayoutRequest, Point } from "./layout";
import { layOutNested, type NestedGraph, type NestedLayout } from "./nested";

export interface NestedRequest {
  number: number;
  nested: NestedGraph;
}

export interface NestedAnswer {
  number: number;
  layout: NestedLayout;
  /** How long the worker computed. */
  ms: number;
}

const MARGIN = 20;

self.onmessage = (event: MessageEvent<LayoutRequest | NestedRequest>) => {
  self.postMessage("nested" in event.data ? answerNested(event.data) : answerFlat(event.data));
};

function answerFlat({ number, boxes, edges }: LayoutRequest): LayoutAnswer {
  const { nodes, bends, width, height } = layOutLayers(boxes, edges);
  const shift = ({ x, y }: Point): Point => ({ x: x + MARGIN, y: y + MARGIN });
  const places = nodes.map(shift);
  const side = (box: number, isRight: boolean): Point => {
    const [place, size] = [places[box] as Point, boxes[box] as { width: number; height: number }];
    return { x: place.x + (isRight ? size.width : 0), y: place.y + size.height / 2 };
  };
  const points = edges.map(([from, to], at) => [side(from, true), ...(bends[at] as Point[]).map(shift), side(to, false)]);
  return { number, places, points, width: width + 2 * MARGIN, height: height + 2 * MARGIN };
}

function answerNested({ number, nested }: NestedRequest): NestedAnswer {
  const began = performance.now();
  const layout = layOutNested(nested);
  return { number, layout, ms: performance.now() - began };
}
