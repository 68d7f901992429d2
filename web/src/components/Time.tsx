import { formatTime, useZone } from "../state/times";

/** An instant in the chosen zone; in UTC in the title. */
export function Time({ at }: { at: string | null | undefined }) {
  const zone = useZone();
  if (!at) return <span className="soft">–</span>;
  return (
    <time dateTime={at} title={`${formatTime(at, "UTC")} UTC`}>
      {formatTime(at, zone)}
    </time>
  );
}
