import { expect, test } from "vitest";
import { readChosen, readGraphPlace, readPlace, writePlace } from "./place";

test("a place is in the address as it was", () => {
  const places = [
    { box: "", x: 0, y: 1200, row: "/dags/a%2Fb", below: -7 },
    { box: "grid-frame", x: 44, y: 90 },
  ];
  expect(readPlace(writePlace(places))).toEqual(places);
  expect(writePlace([])).toBe("");
});

test("what is in view of a graph and which rows are chosen is in the address", () => {
  const graph = { x: 1200, y: -40, scale: 0.85 };
  const hash = writePlace([{ box: "", x: 0, y: 5 }], { graph, chosen: ["a b", "ä/1"] });
  expect([readGraphPlace(hash), readChosen(hash), readPlace(hash)]).toEqual([
    graph,
    ["a b", "ä/1"],
    [{ box: "", x: 0, y: 5 }],
  ]);
  expect(readGraphPlace("#graph=1 2 0") ?? readGraphPlace("#graph=x") ?? readGraphPlace("")).toBeUndefined();
});

test("what somebody else wrote behind the sign is no place", () => {
  for (const hash of ["", "#", "#top", "#at=", "#at=1", "#at=[1,2,3]", '#at=["",null,"x"]', "#at=%7B%7D", "#at=%"])
    expect([hash, readPlace(hash)]).toEqual([hash, []]);
  expect(readPlace(`#${"at=[]&".repeat(9)}`)).toEqual([]);
});
