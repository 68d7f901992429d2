/** A value as a tree that opens level by level; long texts and long lists are cut with "show". */

import { useState } from "react";
import { t, tn } from "../state/language";
import styles from "./json.module.css";

const TEXT_MAX = 2_000;
const ITEMS_STEP = 100;
const OPEN_ITEMS = 10;

export function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }) {
  const label = name === undefined ? null : <span className={styles.name}>{name}: </span>;
  if (value === null || typeof value !== "object")
    return (
      <div className={styles.line}>
        {label}
        <Leaf value={value} />
      </div>
    );
  return <Branch value={value as Record<string, unknown> | unknown[]} name={name} depth={depth} />;
}

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== "string")
    return <span className={styles.other}>{value === undefined ? "–" : String(value)}</span>;
  const isLong = value.length > TEXT_MAX;
  return (
    <>
      <span className={styles.text}>{isLong && !isWhole ? value.slice(0, TEXT_MAX) : value}</span>
      {isLong && (
        <button type="button" className={styles.more} onClick={() => setWhole(!isWhole)}>
          {isWhole ? t("show less") : t("… show all {count} characters", { count: value.length })}
        </button>
      )}
    </>
  );
}

function Branch({
  value,
  name,
  depth,
}: {
  value: Record<string, unknown> | unknown[];
  name: string | undefined;
  depth: number;
}) {
  const isList = Array.isArray(value);
  const size = isList ? value.length : Object.keys(value).length;
  const [isOpen, setOpen] = useState(depth === 0 || (depth < 2 && size <= OPEN_ITEMS));
  const [shown, setShown] = useState(ITEMS_STEP);
  const summary = isList
    ? tn("list of {count} item", "list of {count} items", size)
    : tn("object with {count} key", "object with {count} keys", size);
  if (size === 0)
    return (
      <div className={styles.line}>
        {name !== undefined && <span className={styles.name}>{name}: </span>}
        {isList ? "[]" : "{}"}
      </div>
    );
  const entries: [string, unknown][] = !isOpen
    ? []
    : isList
      ? value.slice(0, shown).map((one, at) => [String(at), one])
      : Object.entries(value).slice(0, shown);
  return (
    <div className={styles.line}>
      <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "▾" : "▸"} {name !== undefined && <span className={styles.name}>{name}: </span>}
        <span className="soft">{summary}</span>
      </button>
      {isOpen && (
        <div className={styles.items}>
          {entries.map(([key, one]) => (
            <JsonTree key={key} name={key} value={one} depth={depth + 1} />
          ))}
          {size > shown && (
            <button type="button" className={styles.more} onClick={() => setShown(shown + ITEMS_STEP * 5)}>
              {t("… show more of {count}", { count: size })}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
