/** How much of what there is is in use, as a bar. */

import styles from "./meter.module.css";

export function Meter({ used, slots }: { used: number; slots: number }) {
  // What has no slots is full: what asks for it waits.
  const share = slots > 0 ? Math.min(1, used / slots) : used > 0 || slots === 0 ? 1 : 0;
  const isFull = slots >= 0 && used >= slots;
  return (
    <span className={isFull ? `${styles.meter} ${styles.full}` : styles.meter} aria-hidden="true">
      <span style={{ width: `${share * 100}%` }} />
    </span>
  );
}
