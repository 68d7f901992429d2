/** What the forecast shows, as its address says it. */

export interface ForecastView {
  search?: string | undefined;
  /** How many hours; undefined: all that was predicted. */
  hours?: number | undefined;
}

export const HOURS = [1, 3, 6, 12, 24] as const;

export function readHours(value: unknown): number | undefined {
  return HOURS.find((hours) => String(hours) === String(value));
}
