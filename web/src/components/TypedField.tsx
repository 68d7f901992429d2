/** A text field that tells its text when its user stops typing, so that the address and the server are not busy with each key. */

import { type InputHTMLAttributes, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";

const TYPED_MS = 150;

interface TypedFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange"> {
  label: ReactNode;
  value: string;
  onTyped: (text: string) => void;
}

export function TypedField({ label, value, onTyped, ...rest }: TypedFieldProps) {
  const [typed, setTyped] = useTyped(value, onTyped);
  return (
    <label>
      {label} <input {...rest} value={typed} onChange={(event) => setTyped(event.target.value)} />
    </label>
  );
}

/** The text as it is typed, and the function that takes it; `onTyped` gets it a moment after the last key. */
export function useTyped(value: string, onTyped: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    if (value !== told.current) setTyped(value);
    told.current = value;
  }, [value]);
  const tell = useEffectEvent(() => {
    told.current = typed;
    onTyped(typed);
  });
  useEffect(() => {
    if (typed === told.current) return undefined;
    const timer = window.setTimeout(() => tell(), TYPED_MS);
    return () => window.clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}
