import { expect, test } from "vitest";
import { listFolders } from "./folderTree";

test("folders are a tree that begins where paths part, and each counts the DAGs in it", () => {
  const rows = listFolders([
    { value: "/srv/dags", dags: 2 },
    { value: "/srv/dags/sales/daily", dags: 3 },
    { value: "/srv/dags/sales/weekly", dags: 1 },
    { value: "/srv/dags/ops/night/late", dags: 4 },
  ]);
  expect(rows.map((one) => [one.level, one.name, one.dags])).toEqual([
    [0, "srv/dags", 10],
    [1, "ops/night/late", 4],
    [1, "sales", 4],
    [2, "daily", 3],
    [2, "weekly", 1],
  ]);
  expect(rows[1]?.path).toBe("/srv/dags/ops/night/late");
});

test("folders without a common one stand beside each other, by the last two parts of their paths", () => {
  expect(
    listFolders([
      { value: "/home/me/dags", dags: 1 },
      { value: "/opt/python/gnomon/examples", dags: 2 },
    ]).map((one) => one.name),
  ).toEqual(["me/dags", "gnomon/examples"]);
});

test("without folders there is no tree", () => {
  expect(listFolders([])).toEqual([]);
});
