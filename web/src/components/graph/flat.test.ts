import { expect, test } from "vitest";
import { layOutFlat } from "./flat";

const BOXES = [
  { width: 200, height: 30 },
  { width: 100, height: 30 },
  { width: 150, height: 60 },
];
const EDGES: [number, number][] = [
  [0, 1],
  [1, 2],
];

test("a chain goes to the right, or down, and its edges lead from side to side", () => {
  const across = layOutFlat(BOXES, EDGES, "LR");
  const down = layOutFlat(BOXES, EDGES, "TB");
  expect(across.places.map(({ x }) => x)).toEqual(
    [...across.places.map(({ x }) => x)].sort((one, other) => one - other),
  );
  expect(down.places.map(({ y }) => y)).toEqual([...down.places.map(({ y }) => y)].sort((one, other) => one - other));
  expect([across.width > 450, across.height < 150, down.width < 250, down.height > 120]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  for (const [at, [from, to]] of EDGES.entries()) {
    const points = down.points[at] ?? [];
    const [start, end] = [down.places[from], down.places[to]];
    expect(points[0]).toEqual({
      x: (start?.x ?? 0) + (BOXES[from]?.width ?? 0) / 2,
      y: (start?.y ?? 0) + (BOXES[from]?.height ?? 0),
    });
    expect(points.at(-1)).toEqual({ x: (end?.x ?? 0) + (BOXES[to]?.width ?? 0) / 2, y: end?.y });
  }
});

test("every box is within the picture, in either direction", () => {
  for (const direction of ["LR", "TB"] as const) {
    const { places, width, height } = layOutFlat(BOXES, EDGES, direction);
    for (const [at, box] of BOXES.entries()) {
      const place = places[at] ?? { x: -1, y: -1 };
      expect(
        [place.x >= 0, place.y >= 0, place.x + box.width <= width, place.y + box.height <= height],
        direction,
      ).toEqual([true, true, true, true]);
    }
  }
});
