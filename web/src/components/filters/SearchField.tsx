/** A text of the filters, taken while one types. */

import { useEffect, useState } from "react";

const TYPED_MS = 120;

export interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
  type?: "search" | "text" | "number";
}

export function SearchField({ label, value, onChange, placeholder, type = "search" }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = window.setTimeout(() => onChange(typed), TYPED_MS);
    return () => window.clearTimeout(timer);
  });
  return (
    <label>
      {label}{" "}
      <input
        type={type}
        min={type === "number" ? 0 : undefined}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        placeholder={placeholder}
      />
    </label>
  );
}
