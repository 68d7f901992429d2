/** The changes of a scenario: as texts of the address, as JSON of the API, and as TOML for `gnomon simulate`. */

export const KEYS = [
  "set",
  "delay",
  "fail",
  "freeze",
  "schedule",
  "pool",
  "parallelism",
  "length",
  "assume",
  "expect",
] as const;
export type ChangeKey = (typeof KEYS)[number];

/** How a change is written: what of it, and to what. */
export interface Change {
  key: ChangeKey;
  /** Of a DAG, task or pool; of an expectation its text; empty where the value alone says it. */
  name: string;
  value: string;
}

/** named: a value for each name; list: names alone; one: a value alone. */
const SHAPES: Record<ChangeKey, "named" | "list" | "one"> = {
  set: "named",
  delay: "named",
  fail: "list",
  freeze: "list",
  schedule: "named",
  pool: "named",
  parallelism: "one",
  length: "named",
  assume: "one",
  expect: "list",
};
const NUMBERS: readonly ChangeKey[] = ["pool", "parallelism", "length"];
/** The most changes in an address. */
const CHANGES_MAX = 100;

export function shapeOf(key: ChangeKey): "named" | "list" | "one" {
  return SHAPES[key];
}

/** `set load.copy=+50%`, `freeze report`, `parallelism 16`. */
export function writeChange({ key, name, value }: Change): string {
  const shape = shapeOf(key);
  return `${key} ${shape === "named" ? `${name}=${value}` : shape === "list" ? name : value}`;
}

export function readChange(text: string): Change | undefined {
  const at = text.indexOf(" ");
  const key = KEYS.find((one) => one === text.slice(0, at));
  const rest = text.slice(at + 1).trim();
  if (at < 0 || key === undefined || rest === "") return undefined;
  const shape = shapeOf(key);
  if (shape === "list") return { key, name: rest, value: "" };
  if (shape === "one") return { key, name: "", value: rest };
  const split = key === "schedule" ? rest.indexOf("=") : rest.lastIndexOf("=");
  if (split <= 0) return undefined;
  return { key, name: rest.slice(0, split), value: rest.slice(split + 1) };
}

export function readChanges(texts: readonly string[]): Change[] {
  return texts
    .slice(0, CHANGES_MAX)
    .map(readChange)
    .filter((change) => change !== undefined);
}

/** With another change of the same thing in the place of the former one. */
export function putChange(changes: readonly Change[], change: Change): Change[] {
  const at = changes.findIndex(({ key, name }) => key === change.key && name === change.name);
  return at < 0 ? [...changes, change] : changes.with(at, change);
}

export type Scenario = Record<string, unknown>;

/** The scenario as the API takes it. */
export function buildScenario(changes: readonly Change[], span: string): Scenario {
  const scenario: Scenario = { for: span };
  for (const { key, name, value } of changes) {
    const shape = shapeOf(key);
    const given: string | number = NUMBERS.includes(key) && /^-?\d+$/.test(value) ? Number(value) : value;
    if (shape === "one") scenario[key] = given;
    else if (shape === "list") scenario[key] = [...((scenario[key] as string[] | undefined) ?? []), name];
    else scenario[key] = { ...((scenario[key] as object | undefined) ?? {}), [name]: given };
  }
  return scenario;
}

/** The same as a file for `gnomon simulate`; a table comes after all values. */
export function writeToml(scenario: Scenario): string {
  const write = (value: unknown) => JSON.stringify(value);
  const entries = Object.entries(scenario);
  const values = entries.filter(([, value]) => typeof value !== "object" || Array.isArray(value));
  const tables = entries.filter(([, value]) => typeof value === "object" && !Array.isArray(value));
  return [
    ...values.map(([key, value]) =>
      Array.isArray(value) ? `${key} = [${value.map(write).join(", ")}]` : `${key} = ${write(value)}`,
    ),
    ...tables.map(
      ([key, table]) =>
        `\n[${key}]\n${Object.entries(table as object)
          .map(([name, value]) => `${write(name)} = ${write(value)}`)
          .join("\n")}`,
    ),
    "",
  ].join("\n");
}
