/** Source with line numbers, each a link to its line. Only the lines in view are in the document. */

import { useOverscan } from "../../../state/printing";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { t, tn } from "../../../state/language";
import { Button } from "../../../ui/Button";
import { CopyIcon } from "../../../ui/icons";
import { type Token, tokenize } from "./pythonTokens";
import styles from "./code.module.css";

const LINE_PX = 20;

export function SourceView({
  source,
  line,
  choose,
}: {
  source: string;
  line: number | undefined;
  choose: (line: number) => void;
}) {
  const rows = useMemo(() => tokenize(source), [source]);
  const frame = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => LINE_PX,
    overscan: useOverscan(30),
  });
  useEffect(() => {
    if (line !== undefined && line <= rows.length) lines.scrollToIndex(line - 1, { align: "center" });
  }, [line, rows, lines]);
  return (
    <>
      <div className={styles.head}>
        <span className="soft">{tn("{count} line", "{count} lines", rows.length)}</span>
        <Button isSmall icon={CopyIcon} onClick={() => void navigator.clipboard?.writeText(source)}>
          {t("Copy")}
        </Button>
      </div>
      <div data-window="" className={styles.frame} ref={frame} tabIndex={0} role="region" aria-label={t("Source|code")}>
        <div style={{ height: lines.getTotalSize(), position: "relative" }}>
          {lines.getVirtualItems().map((one) => {
            const number = one.index + 1;
            return (
              <div
                key={one.key}
                className={number === line ? `${styles.line} ${styles.chosen}` : styles.line}
                data-index={one.index}
                ref={lines.measureElement}
                style={{ transform: `translateY(${one.start}px)` }}
              >
                <button
                  type="button"
                  className={styles.lineNumber}
                  tabIndex={-1}
                  aria-label={t("Link to line {number}", { number })}
                  onClick={() => choose(number)}
                >
                  {number}
                </button>
                <code>
                  <Tokens tokens={rows[one.index] ?? []} />
                </code>
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

export function Tokens({ tokens }: { tokens: Token[] }) {
  return tokens.map((token, at) =>
    token.kind === "plain" ? (
      token.text
    ) : (
      <span key={at} className={styles[token.kind]}>
        {token.text}
      </span>
    ),
  );
}
