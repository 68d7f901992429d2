/** Lays graphs out away from the thread of the page. */

import { layOutFlat } from "./flat";
import type { LayoutAnswer, LayoutRequest } from "./layout";
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

self.onmessage = (event: MessageEvent<LayoutRequest | NestedRequest>) => {
  self.postMessage("nested" in event.data ? answerNested(event.data) : answerFlat(event.data));
};

function answerFlat({ number, boxes, edges, direction }: LayoutRequest): LayoutAnswer {
  return { number, ...layOutFlat(boxes, edges, direction) };
}

function answerNested({ number, nested }: NestedRequest): NestedAnswer {
  const began = performance.now();
  const layout = layOutNested(nested);
  return { number, layout, ms: performance.now() - began };
}
