/** The body of a row of the audit log, in its parts: JSON with `before`, `after` and `from`, or a sentence. */

export interface Change {
  /** What was changed, where the body names it: pairs of its kind and name, as `pool` and `small`. */
  about: [string, string][];
  before?: unknown;
  after?: unknown;
  from?: string;
  text: string;
}

export function describeChange(body: string | null | undefined): Change {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body ?? "");
  } catch {
    return { about: [], text: body ?? "" };
  }
  if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)) return { about: [], text: body ?? "" };
  const { before, after, from, ...rest } = parsed as Record<string, unknown>;
  const names = Object.entries(rest).filter(([, value]) => typeof value === "string");
  const others = Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value !== "string"));
  return {
    about: names.map(([name, value]) => [name, String(value)]),
    text: Object.keys(others).length > 0 ? show(others) : "",
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(from === undefined || from === null ? {} : { from: String(from) }),
  };
}

/** A field that a change set, with its values as text: without `before` it is new, without `after` it is gone. An empty name: the value is no object. */
export interface ChangedField {
  name: string;
  before?: string;
  after?: string;
}

/** The fields of both values that are not the same. */
export function compareFields(before: unknown, after: unknown): ChangedField[] {
  const old = readFields(before);
  const now = readFields(after);
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((name) => old[name] !== now[name])
    .map((name) => ({
      name,
      ...(name in old ? { before: old[name] as string } : {}),
      ...(name in now ? { after: now[name] as string } : {}),
    }));
}

function readFields(value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) return { "": show(value) };
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, show(one)]));
}

/** Slots that the planner left without a run, of the row of the event `slots_passed`; times are ISO instants. */
export interface SkippedSlots {
  first: string;
  until: string;
  count: number;
  reason: string;
}

/** The skipped slots of the body of a row; undefined for the body of another event. */
export function readSkippedSlots(event: string, body: string | null | undefined): SkippedSlots | undefined {
  if (event !== "slots_passed") return undefined;
  try {
    const { first, until, count, reason } = JSON.parse(body ?? "") as Record<string, unknown>;
    if (typeof first !== "number" || typeof until !== "number" || typeof count !== "number") return undefined;
    return { first: readMicroseconds(first), until: readMicroseconds(until), count, reason: String(reason ?? "") };
  } catch {
    return undefined;
  }
}

function readMicroseconds(instant: number): string {
  return new Date(instant / 1_000).toISOString();
}

function show(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
