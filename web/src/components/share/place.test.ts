import { expect, test } from "vitest";
import { readPlace, writePlace } from "./place";

test("a place is in the address as it was", () => {
  const places = [
    { box: "", x: 0, y: 1200, row: "/dags/a%2Fb", below: -7 },
    { box: "grid-frame", x: 44, y: 90 },
  ];
  expect(readPlace(writePlace(places))).toEqual(places);
  expect(writePlace([])).toBe("");
});

test("what somebody else wrote behind the sign is no place", () => {
  for (const hash of ["", "#", "#top", "#at=", "#at=1", "#at=[1,2,3]", '#at=["",null,"x"]', "#at=%7B%7D", "#at=%"])
    expect([hash, readPlace(hash)]).toEqual([hash, []]);
  expect(readPlace(`#${"at=[]&".repeat(9)}`)).toEqual([]);
});
