/** A labelled field that searches while one types, for a box of filters: the address follows a moment after the last key. In a line of controls stands a `SearchBox`. */

import { TypedField } from "./TypedField";

interface Props {
  label: string;
  value: string | undefined;
  /** Undefined: the field is empty. */
  onChange: (text: string | undefined) => void;
  placeholder?: string;
  type?: "search" | "number";
}

export function SearchField({ label, value, onChange, placeholder, type = "search" }: Props) {
  return (
    <TypedField
      label={label}
      type={type}
      min={type === "number" ? 0 : undefined}
      value={value ?? ""}
      placeholder={placeholder}
      onTyped={(text) => onChange(text || undefined)}
    />
  );
}
