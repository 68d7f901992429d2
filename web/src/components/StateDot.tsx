/** A state as a dot: the colour alone beside its word, with the sign of the state where the word is missing. */

import { stateClass, stateName, stateShape } from "./StateBadge";
import styles from "./stateDot.module.css";

interface Props {
  state: string | null | undefined;
  /** Larger, with the sign of the state. */
  hasSign?: boolean;
  /** Nothing beside it names the state: screen readers are told it. */
  isNamed?: boolean;
}

export function StateDot({ state, hasSign, isNamed }: Props) {
  return (
    <i
      className={`${styles.dot} solid ${stateClass(state)} ${hasSign ? styles.sign : ""}`}
      {...(isNamed ? { role: "img", "aria-label": stateName(state) } : { "aria-hidden": true })}
    >
      {hasSign && stateShape(state)}
    </i>
  );
}
