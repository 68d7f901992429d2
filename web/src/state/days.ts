/** Days and times of a zone. */

/** What tells the local time of an instant; a zone that the browser does not know counts as UTC. */
export class ZoneClock {
  private readonly format: Intl.DateTimeFormat;

  constructor(zone: string) {
    this.format = buildFormat(zone);
  }

  /** `2026-03-29` */
  day(at: number): string {
    const fields = this.fields(at);
    return `${fields.year}-${fields.month}-${fields.day}`;
  }

  /** `02:30`, with seconds where they are not zero. */
  time(at: number): string {
    const fields = this.fields(at);
    return `${fields.hour}:${fields.minute}${fields.second === "00" ? "" : `:${fields.second}`}`;
  }

  hour(at: number): number {
    return Number(this.fields(at).hour);
  }

  /** The time, with the day where it is another one. */
  label(at: number, day: string): string {
    return this.day(at) === day ? this.time(at) : `${this.day(at).slice(5)} ${this.time(at)}`;
  }

  private fields(at: number): Record<string, string> {
    return Object.fromEntries(this.format.formatToParts(at).map((one) => [one.type, one.value]));
  }
}

function buildFormat(zone: string): Intl.DateTimeFormat {
  const options: Intl.DateTimeFormatOptions = {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  };
  try {
    return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  }
}
