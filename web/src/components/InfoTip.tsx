/** An ⓘ with a text: opened by the pointer, by the focus and by a tap; it stays while the pointer is on it, and Escape closes it. */

import { type CSSProperties, type ReactNode, useEffect, useId, useRef, useState } from "react";
import styles from "./tip.module.css";

const LEAVE_MS = 200;
const WIDTH_MAX = 360;
const EDGE = 8;

export function InfoTip({ label, children }: { label: string; children: ReactNode }) {
  const [place, setPlace] = useState<CSSProperties>();
  const button = useRef<HTMLButtonElement>(null);
  const leaving = useRef<number>(undefined);
  const id = useId();
  const open = () => {
    window.clearTimeout(leaving.current);
    const at = button.current?.getBoundingClientRect();
    if (!at) return;
    const width = Math.min(WIDTH_MAX, window.innerWidth - 2 * EDGE);
    const left = Math.max(EDGE, Math.min(at.left, window.innerWidth - width - EDGE));
    const isLow = at.bottom > window.innerHeight * 0.7;
    setPlace({
      left,
      maxWidth: width,
      ...(isLow ? { bottom: window.innerHeight - at.top + 4 } : { top: at.bottom + 4 }),
    });
  };
  const leave = () => {
    leaving.current = window.setTimeout(() => {
      if (document.activeElement !== button.current) setPlace(undefined);
    }, LEAVE_MS);
  };
  const isOpen = place !== undefined;
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = (event: Event) => {
      if (!(event instanceof KeyboardEvent) || event.key === "Escape") setPlace(undefined);
    };
    document.addEventListener("keydown", close);
    window.addEventListener("scroll", close, true);
    return () => {
      document.removeEventListener("keydown", close);
      window.removeEventListener("scroll", close, true);
    };
  }, [isOpen]);
  useEffect(() => () => window.clearTimeout(leaving.current), []);
  return (
    <span className={styles.tip} onPointerEnter={open} onPointerLeave={leave}>
      <button
        type="button"
        className={styles.button}
        ref={button}
        aria-label={label}
        aria-describedby={isOpen ? id : undefined}
        onFocus={open}
        onBlur={() => setPlace(undefined)}
        onClick={open}
      >
        i
      </button>
      {isOpen && (
        <span role="tooltip" id={id} className={styles.text} style={place}>
          {children}
        </span>
      )}
    </span>
  );
}
