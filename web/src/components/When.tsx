import { Ago, useNow } from "./Ago";
import { Time } from "./Time";

const DAY_MS = 86_400_000;

/** How far away an instant is within a day, and its date beyond that. */
export function When({ at }: { at: string }) {
  return Math.abs(useNow() - Date.parse(at)) < DAY_MS ? <Ago at={at} /> : <Time at={at} />;
}
