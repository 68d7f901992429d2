/** A field that searches while one types: the address follows a moment after the last key. */

import { useEffect, useState } from "react";

const TYPED_MS = 150;

export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (text: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(value ?? "");
  useEffect(() => setTyped(value ?? ""), [value]);
  useEffect(() => {
    if (typed === (value ?? "")) return undefined;
    const timer = window.setTimeout(() => onChange(typed || undefined), TYPED_MS);
    return () => window.clearTimeout(timer);
  }, [typed]);
  return (
    <label>
      {label} <input type="search" value={typed} onChange={(event) => setTyped(event.target.value)} />
    </label>
  );
}
