/** One line of a log. */

import { memo, type MouseEvent } from "react";
import { LINE_BYTES_MAX, type LogLine } from "../../../api/logs";
import { t } from "../../../state/language";
import { formatTime, type Zone } from "../../../state/times";
import { parseAnsi } from "./ansi";
import styles from "./log.module.css";

/** Files of a log with a colour of their own; further ones begin again. */
const SOURCE_COLOURS = 4;

interface LogRowProps {
  number: number;
  line: LogLine | undefined;
  zone: Zone;
  /** Other lines have a time: one without it leaves the room. */
  hasTimes: boolean;
  /** The number of its file, where the log has several. */
  source: number | undefined;
  find: string;
  isChosen: boolean;
  /** Undefined: no group begins here. */
  isFolded: boolean | undefined;
  choose: (line: number, isRange: boolean) => void;
  fold: (line: number) => void;
  expand: (line: number, bytes: number) => void;
}

export const LogRow = memo(function LogRow({
  number,
  line,
  zone,
  hasTimes,
  source,
  find,
  isChosen,
  isFolded,
  choose,
  fold,
  expand,
}: LogRowProps) {
  const onChoose = (event: MouseEvent) => choose(number, event.shiftKey);
  return (
    <div
      className={`${styles.line} ${styles[`level-${line?.level}`] ?? ""} ${isChosen ? styles.chosen : ""} ${source === undefined ? "" : styles.ofFile}`}
      data-line={number < 0 ? undefined : number + 1}
      data-source={source === undefined ? undefined : source % SOURCE_COLOURS}
    >
      {number < 0 ? (
        <span className={styles.number} />
      ) : (
        <button
          type="button"
          className={styles.number}
          tabIndex={-1}
          title={t("Link to this line; with Shift to a range")}
          onClick={onChoose}
        >
          {number + 1}
        </button>
      )}
      {hasTimes && <span className={styles.time}>{line?.at ? formatTime(line.at, zone).slice(11) : ""}</span>}
      {line?.level && <span className={styles.level}>{line.level}</span>}
      {isFolded !== undefined && (
        <button type="button" className={styles.fold} aria-expanded={!isFolded} onClick={() => fold(number)}>
          {isFolded ? "▸" : "▾"} {(line?.text ?? "").replace("::group::", "") || t("group")}
        </button>
      )}
      {isFolded === undefined && (
        <span className={styles.text}>
          {line === undefined ? "…" : <LogText text={line.text} find={find} />}
          {line?.is_cut && (
            <>
              {" "}
              <button type="button" className={styles.show} onClick={() => expand(number, LINE_BYTES_MAX)}>
                {t("… show the line ({size} characters)", { size: line.size })}
              </button>
            </>
          )}
        </span>
      )}
    </div>
  );
});

function LogText({ text, find }: { text: string; find: string }) {
  return parseAnsi(text).map((piece, at) => (
    <span key={at} className={piece.look || undefined}>
      {markFound(piece.text, find)}
    </span>
  ));
}

/** The text with what was searched for marked: ASCII letters in either case, as the server searches. */
function markFound(text: string, find: string) {
  if (find === "") return text;
  const lower = text.toLowerCase();
  const wanted = find.toLowerCase();
  if (lower.length !== text.length || !lower.includes(wanted)) return text;
  const parts = [];
  let last = 0;
  for (let at = lower.indexOf(wanted); at >= 0 && parts.length < 200; at = lower.indexOf(wanted, last)) {
    parts.push(text.slice(last, at), <mark key={at}>{text.slice(at, at + find.length)}</mark>);
    last = at + find.length;
  }
  return [...parts, text.slice(last)];
}
