import { formatMoment, formatTime, useZone } from "../state/times";
import { useNow } from "./Ago";

interface Props {
  at: string | null | undefined;
  /** With its date instead of "today", for sentences that go on before it. */
  isDate?: boolean;
  /** To the second, as `2026-11-28 01:15:00`: where the exact instant is the fact. */
  isExact?: boolean;
}

/** An instant in the chosen zone; to the second, and in UTC, in the title. */
export function Time({ at, isDate, isExact }: Props) {
  const zone = useZone();
  const now = useNow();
  if (!at) return <span className="soft none">–</span>;
  const exact = formatTime(at, zone);
  return (
    <time dateTime={at} title={zone === "UTC" ? `${exact} UTC` : `${exact}, ${formatTime(at, "UTC")} UTC`}>
      {isExact ? exact : formatMoment(at, zone, now, isDate)}
    </time>
  );
}
