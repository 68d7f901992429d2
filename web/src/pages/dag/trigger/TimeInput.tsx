/** A time of the chosen zone, as a field. */

import { useId, useState } from "react";
import { useZone } from "../../../state/times";
import { formatLocal, parseLocal } from "../../../state/zonedTimes";

/** `at`: an instant in UTC, or what is typed while it names none; empty for none. */
export function TimeInput({
  label,
  at,
  set,
  fault,
}: {
  label: string;
  at: string;
  set: (at: string) => void;
  fault?: string;
}) {
  const zone = useZone();
  const id = useId();
  const [typed, setTyped] = useState<string>();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        step="1"
        value={typed ?? formatLocal(at, zone)}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-fault`}
        onBlur={() => setTyped(undefined)}
        onChange={(event) => {
          const text = event.target.value;
          setTyped(text);
          set(text === "" ? "" : (parseLocal(text, zone) ?? text));
        }}
      />
      <p id={`${id}-fault`} className="fault" aria-live="polite">
        {fault ?? ""}
      </p>
    </div>
  );
}
