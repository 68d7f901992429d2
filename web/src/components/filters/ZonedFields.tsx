/** Filters with a date: what is typed is of the chosen zone, what is in the address is an instant. */

import { useState } from "react";
import { useZone } from "../../state/times";
import { endOfDay, formatLocal, parseLocal, startOfDay } from "../../state/zonedTimes";

interface ZonedFieldProps {
  label: string;
  /** An instant. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A time. One that a change of the clocks leaves out is kept as it is typed, and is no filter. */
export function MomentField({ label, value, onChange }: ZonedFieldProps) {
  const zone = useZone();
  const [typed, setTyped] = useState<string>();
  const type = (text: string) => {
    const at = parseLocal(text, zone);
    setTyped(text);
    if (text === "" || at) onChange(at);
  };
  return (
    <label>
      {label}{" "}
      <input
        type="datetime-local"
        value={typed ?? formatLocal(value, zone).slice(0, 16)}
        onChange={(event) => type(event.target.value)}
        onBlur={() => setTyped(undefined)}
      />
    </label>
  );
}

/** A day, as the instant at which it begins, or with `isLast` as its last one, so that the day is part of the span. */
export function DayField({ label, value, onChange, isLast = false }: ZonedFieldProps & { isLast?: boolean }) {
  const zone = useZone();
  const toInstant = isLast ? endOfDay : startOfDay;
  return (
    <label>
      {label}{" "}
      <input
        type="date"
        value={formatLocal(value, zone).slice(0, 10)}
        onChange={(event) => onChange(event.target.value ? toInstant(event.target.value, zone) : undefined)}
      />
    </label>
  );
}
