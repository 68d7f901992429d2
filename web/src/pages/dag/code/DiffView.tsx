/** Two sources by their changed lines, with some unchanged lines around. */

import { useOverscan } from "../../../state/printing";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { t, tn } from "../../../state/language";
import { type DiffLine, diffLines, foldSame } from "./lineDiff";
import { splitLines, tokenize } from "./pythonTokens";
import { Tokens } from "./SourceView";
import styles from "./code.module.css";

const AROUND = 3;
const MARKS = { same: " ", removed: "−", added: "+" };

export function DiffView({ before, after, names }: { before: string; after: string; names: [string, string] }) {
  const [whole, setWhole] = useState(false);
  const lines = useMemo(() => diffLines(splitLines(before), splitLines(after)), [before, after]);
  const rows = useMemo(() => (whole ? lines : foldSame(lines, AROUND)), [lines, whole]);
  const tokens = useMemo(() => [tokenize(before), tokenize(after)] as const, [before, after]);
  const frame = useRef<HTMLDivElement>(null);
  const view = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 20,
    overscan: useOverscan(30),
  });
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return (
    <>
      <div className={styles.head}>
        <span>
          {names[0]} → {names[1]}: {tn("{count} line removed", "{count} lines removed", count("removed"))},{" "}
          {tn("{count} line added", "{count} lines added", count("added"))}
        </span>
        <label>
          <input type="checkbox" checked={whole} onChange={(event) => setWhole(event.target.checked)} />{" "}
          {t("all lines")}
        </label>
      </div>
      {count("removed") + count("added") === 0 && <p>{t("The two sources are the same.")}</p>}
      <div data-window="" className={styles.frame} ref={frame} tabIndex={0} role="region" aria-label={t("Difference")}>
        <div style={{ height: view.getTotalSize(), position: "relative" }}>
          {view.getVirtualItems().map((one) => {
            const row = rows[one.index];
            const at = { transform: `translateY(${one.start}px)` };
            if (row === undefined) return null;
            if (typeof row === "number") {
              return (
                <div
                  key={one.key}
                  data-index={one.index}
                  ref={view.measureElement}
                  className={`${styles.line} ${styles.fold}`}
                  style={at}
                >
                  {tn("{count} unchanged line", "{count} unchanged lines", row)}
                </div>
              );
            }
            return (
              <div
                key={one.key}
                data-index={one.index}
                ref={view.measureElement}
                className={`${styles.line} ${styles[row.kind] ?? ""}`}
                style={at}
              >
                <span className={styles.lineNumber}>{row.before ?? ""}</span>
                <span className={styles.lineNumber}>{row.after ?? ""}</span>
                <code>
                  <span
                    className={styles.mark}
                    aria-label={row.kind === "same" ? undefined : row.kind === "added" ? t("added") : t("removed|line")}
                  >
                    {MARKS[row.kind]}{" "}
                  </span>
                  <Tokens
                    tokens={
                      (row.after !== undefined ? tokens[1][row.after - 1] : tokens[0][(row.before ?? 1) - 1]) ?? []
                    }
                  />
                </code>
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}
