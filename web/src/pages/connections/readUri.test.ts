import { expect, test } from "vitest";
import { readUri } from "./readUri";

const EMPTY = { host: "", port: "", login: "", password: "", schema: "", extra: "" };

test("a URI stands for the fields", () => {
  expect(readUri("postgresql://ann:s%40:x@db.example:5432/sales?sslmode=require")).toEqual({
    conn_type: "postgres",
    host: "db.example",
    port: "5432",
    login: "ann",
    password: "s@:x",
    schema: "sales",
    extra: '{"sslmode":"require"}',
  });
  expect(readUri("google-cloud-platform://?__extra__=%7B%22a%22%3A%201%7D")).toEqual({
    ...EMPTY,
    conn_type: "google_cloud_platform",
    extra: '{"a": 1}',
  });
  expect(readUri("redis://[::1]:6379")).toEqual({ ...EMPTY, conn_type: "redis", host: "::1", port: "6379" });
});

test("a host, and an address with its protocol, are no URI of a connection", () => {
  for (const text of ["", "db.example", "db.example:5432", "https://api.example:8443/v1"])
    expect(readUri(text)).toBeUndefined();
});

test("what cannot be read is named", () => {
  expect(readUri("postgres://u:p@h:port/db")).toEqual({ fault: expect.stringContaining("port 'port' is no number") });
  expect(readUri("postgres://u:p@h:99999/db")).toEqual({ fault: expect.stringContaining("99999") });
  expect(readUri("postgres://u:100%@h/db")).toEqual({ fault: expect.stringContaining("cannot be read") });
});
