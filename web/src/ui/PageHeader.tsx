/** The head of a view, at most 120 px high (96 px on a phone): where one is, its name, its state, a line of facts, the primary acts, the tabs. */

import { type ReactNode, useEffect, useRef } from "react";
import styles from "./pageHeader.module.css";

interface Props {
  /** The links that lead here: the DAG of a run, the run of a task. */
  path?: ReactNode;
  title: ReactNode;
  /** The state, beside the name. */
  state?: ReactNode;
  /** One line: schedule, next and last run, duration. What does not fit is cut. */
  facts?: ReactNode;
  /** At most two buttons, and a `Menu` for the rest. */
  acts?: ReactNode;
  /** `TabLinks`. */
  tabs?: ReactNode;
  /** On a wide window the facts stand beside the name: for a view that needs the height. */
  isLow?: boolean;
}

export function PageHeader({ path, title, state, facts, acts, tabs, isLow }: Props) {
  return (
    <header className={isLow ? `${styles.header} ${styles.low}` : styles.header} data-page-header="">
      <div className={styles.line}>
        <div className={styles.name}>
          {path && <span className={styles.path}>{path}</span>}
          <h1 className="name">{title}</h1>
          {state}
        </div>
        {acts && <div className={styles.acts}>{acts}</div>}
      </div>
      {facts && <div className={styles.facts}>{facts}</div>}
      {tabs}
    </header>
  );
}

/** A row of controls below the header: one line; what is rare belongs into a `Popover`. */
export function Toolbar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.toolbar} role="group" aria-label={label}>
      {children}
    </div>
  );
}

/** What fills the rest of the window below the header and the controls: its height is set to what is free, and it scrolls by itself. */
export function Fill({ children, className, min = 320 }: { children: ReactNode; className?: string; min?: number }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const fit = () => {
      const top = element.getBoundingClientRect().top + window.scrollY;
      element.style.height = `${Math.max(min, Math.floor(window.innerHeight - top - 16))}px`;
    };
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(document.body);
    window.addEventListener("resize", fit);
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", fit);
    };
  }, [min]);
  return (
    <div ref={box} className={`${styles.fill} ${className ?? ""}`} data-window="">
      {children}
    </div>
  );
}
