/** The options of a log: search with count and jumps, level, file, wrapping, groups, download. */

import { type ReactNode, useEffect, useState } from "react";
import type { Level } from "../../../api/logs";
import { Refusal } from "../../../components/Answer";
import { t, tn } from "../../../state/language";
import { formatCount } from "../../../state/numbers";
import { type Preference, usePreference } from "../../../state/preferences";
import { Button, buttonClass, IconButton } from "../../../ui/Button";
import {
  CopyIcon,
  DownloadIcon,
  ExpandIcon,
  FillIcon,
  FoldIcon,
  ShrinkIcon,
  UnfoldIcon,
  UpIcon,
  WarningIcon,
  WrapIcon,
} from "../../../ui/icons";
import type { LineSpan } from "./lineSpan";
import type { LineView } from "./logFolds";
import { type Anchor, END } from "./LogScroller";
import type { LogStore } from "./logStore";
import type { LogOptions } from "./logOptions";
import { type Found, FOUND_MAX } from "./useLogSearch";
import styles from "./log.module.css";

export const WRAP: Preference<"wrap" | "scroll"> = { name: "log.wrap", values: ["wrap", "scroll"] };
const LEVELS: { value: Level; label: string }[] = [
  { value: "info", label: /* text */ "info and above" },
  { value: "warning", label: /* text */ "warnings and above" },
  { value: "error", label: /* text */ "errors and above" },
  { value: "critical", label: /* text */ "critical only" },
];

interface LogToolbarProps {
  store: LogStore;
  options: LogOptions;
  set: (some: LogOptions) => void;
  found: Found;
  filtered: Found | undefined;
  view: LineView;
  anchor: Anchor;
  jump: (line: number) => void;
  toEnd: () => void;
  /** Jump to the next error; undefined: it is being searched for. */
  toError: (() => void) | undefined;
  /** What the jump to an error has found. */
  said: string;
  address: string;
  span: LineSpan | undefined;
  copy: () => Promise<number>;
  foldAll: (() => void) | undefined;
  isFolded: boolean;
  isWhole: boolean;
  setWhole: (isWhole: boolean) => void;
  /** Before the search: which try it is. */
  lead: ReactNode;
}

export function LogToolbar(props: LogToolbarProps) {
  const { store, options, set, filtered, view, anchor, toEnd, toError, said, address, foldAll, isFolded } = props;
  const { isWhole, setWhole, lead } = props;
  const [wrap, setWrap] = usePreference(WRAP);
  return (
    <div className={styles.tools} role="group" aria-label={t("Tools of the log")}>
      {lead}
      <Search {...props} />
      <select
        aria-label={t("Level")}
        value={options.level ?? ""}
        onChange={(event) => set({ level: (event.target.value || undefined) as Level | undefined })}
      >
        <option value="">{t("all levels")}</option>
        {LEVELS.map((one) => (
          <option key={one.value} value={one.value}>
            {t(one.label)}
          </option>
        ))}
      </select>
      {(store.files.length > 1 || options.source !== undefined) && (
        <select
          aria-label={t("File")}
          value={options.source ?? ""}
          onChange={(event) =>
            set({ source: event.target.value === "" ? undefined : Number(event.target.value), line: undefined })
          }
        >
          <option value="">{t("all files")}</option>
          {options.source !== undefined && store.files.length <= 1 ? (
            <option value={options.source}>{store.files[0]?.name}</option>
          ) : (
            store.files.map((file, at) => (
              <option key={file.name} value={at}>
                {file.name}
              </option>
            ))
          )}
        </select>
      )}
      <IconButton
        isSmall
        icon={WarningIcon}
        label={t("Go to the next error")}
        isBusy={toError === undefined}
        onClick={toError}
      />
      <IconButton
        isSmall
        icon={WrapIcon}
        label={t("Wrap long lines")}
        aria-pressed={wrap === "wrap"}
        onClick={() => setWrap(wrap === "wrap" ? "scroll" : "wrap")}
      />
      {foldAll && (
        <IconButton
          isSmall
          icon={isFolded ? UnfoldIcon : FoldIcon}
          label={isFolded ? t("Unfold all groups") : t("Fold all groups")}
          onClick={foldAll}
        />
      )}
      <a
        className={buttonClass("quiet", true)}
        href={address}
        download="task.log"
        aria-label={t("Download")}
        title={t("Download")}
      >
        <DownloadIcon size={16} aria-hidden="true" />
      </a>
      <IconButton
        isSmall
        icon={isWhole ? ShrinkIcon : FillIcon}
        label={isWhole ? t("Leave the whole window") : t("Log in the whole window")}
        aria-pressed={isWhole}
        onClick={() => setWhole(!isWhole)}
      />
      <Copy {...props} />
      {anchor !== END && (
        <Button isSmall onClick={toEnd}>
          {store.isOver ? t("To the end") : t("Follow")}
        </Button>
      )}
      <span className={`soft ${styles.status}`} role="status">
        {said && `${said} · `}
        {filtered
          ? tn("{count} line of this level", "{count} lines of this level", view.count)
          : tn("{count} line", "{count} lines", store.total)}
        {!store.isCounted && store.isRead && ` ${t("(counting …)")}`}
        {filtered && !filtered.isDone && ` ${t("(searching …)")}`}
        {filtered && view.count >= FOUND_MAX && ` ${t("(no more are listed)")}`}
        {store.isRead && !store.isOver && anchor === END && ` · ${t("following")}`}
      </span>
    </div>
  );
}

function Search({ options, set, found, jump, anchor, view }: LogToolbarProps) {
  const find = options.find ?? "";
  const [current, setCurrent] = useState<number>();
  const [typed, setTyped] = useState<string>();
  const seen = anchor === END ? Number.MAX_SAFE_INTEGER : view.lineAt(Math.min(view.count - 1, Math.floor(anchor) + 3));
  const go = (step: 1 | -1) => {
    const count = found.numbers.length;
    if (count === 0) return;
    const from =
      current !== undefined && found.numbers[current] !== undefined
        ? current
        : findNear(found.numbers, seen, step) - step;
    const next = (from + step + count) % count;
    setCurrent(next);
    jump(found.numbers[next] as number);
    set({ line: (found.numbers[next] as number) + 1 });
  };
  const isTyped = typed !== undefined && typed === find;
  useEffect(() => {
    // A text that was typed shows the next line with it; one that came with the address leaves the view where the address puts it.
    if (!isTyped || found.numbers.length === 0) return;
    const at = findNear(found.numbers, seen, 1);
    setTyped(undefined);
    setCurrent(at);
    jump(found.numbers[at] as number);
  }, [isTyped, found.numbers, seen, jump]);
  return (
    <>
      <input
        type="search"
        aria-label={t("Search")}
        placeholder={t("Search the log")}
        value={find}
        maxLength={1000}
        onChange={(event) => {
          setCurrent(undefined);
          setTyped(event.target.value);
          set({ find: event.target.value || undefined });
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
        }}
      />
      {find && (
        <span className={styles.found}>
          <IconButton
            isSmall
            icon={UpIcon}
            label={t("previous match")}
            disabled={found.numbers.length === 0}
            onClick={() => go(-1)}
          />
          <IconButton
            isSmall
            icon={ExpandIcon}
            label={t("next match")}
            disabled={found.numbers.length === 0}
            onClick={() => go(1)}
          />
          <span role="status" aria-label={t("Matches")}>
            {current !== undefined ? `${formatCount(current + 1)} / ` : ""}
            {tn("{count} line matches", "{count} lines match", found.numbers.length)}
            {found.isDone ? "" : " …"}
          </span>
          {found.error && <Refusal error={found.error} />}
        </span>
      )}
    </>
  );
}

/** The index of the first number from the line on; for a step back that of the last one before it. */
function findNear(numbers: readonly number[], line: number, step: 1 | -1): number {
  const at = numbers.findIndex((one) => one >= line);
  const next = at < 0 ? numbers.length : at;
  return step > 0 ? (next === numbers.length ? 0 : next) : next - 1;
}

function Copy({ span, copy }: LogToolbarProps) {
  const [said, setSaid] = useState("");
  if (!span) return null;
  const count = span.last - span.first + 1;
  const run = () =>
    copy().then(
      (copied) => setSaid(tn("{count} line is copied.", "{count} lines are copied.", copied)),
      (error: Error) => setSaid(error.message),
    );
  return (
    <>
      <Button isSmall icon={CopyIcon} onClick={() => void run()} title={t("With the address of the lines, for a chat")}>
        {tn("Copy line", "Copy {count} lines", count)}
      </Button>
      {said && (
        <span className="soft" role="status">
          {said}
        </span>
      )}
    </>
  );
}
