/** Lays graphs out away from the thread of the page. */

import { chooseLayout, type LayoutAnswer, type LayoutQuestion } from "./chooseLayout";

self.onmessage = ({ data }: MessageEvent<LayoutQuestion & { number: number }>) => {
  const began = performance.now();
  const answer: LayoutAnswer = chooseLayout(data);
  self.postMessage({ ...answer, number: data.number, ms: performance.now() - began });
};
