/** The body of a row of the audit log, in its parts: JSON with `before`, `after` and `from`, or a sentence. */

export interface Change {
  /** What was changed, where the body names it: `pool small`. */
  about: string;
  before?: string;
  after?: string;
  from?: string;
  text: string;
}

export function describeChange(body: string | null | undefined): Change {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body ?? "");
  } catch {
    return { about: "", text: body ?? "" };
  }
  if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)) return { about: "", text: body ?? "" };
  const { before, after, from, ...rest } = parsed as Record<string, unknown>;
  const names = Object.entries(rest).filter(([, value]) => typeof value === "string");
  const others = Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value !== "string"));
  return {
    about: names.map(([name, value]) => `${name} ${String(value)}`).join(", "),
    text: Object.keys(others).length > 0 ? show(others) : "",
    ...(before === undefined ? {} : { before: show(before) }),
    ...(after === undefined ? {} : { after: show(after) }),
    ...(from === undefined || from === null ? {} : { from: String(from) }),
  };
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
