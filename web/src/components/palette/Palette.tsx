/** The command palette: type a part of the name of a DAG, a run, a task, a page or an act; Enter goes there or does it. */

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { t } from "../../state/language";
import { SearchIcon } from "../../ui/icons";
import type { PaletteEntry } from "./findEntries";
import { groupByKind, sortByKind } from "./groups";
import { splitMarks } from "./rank";
import styles from "./palette.module.css";

const TYPED_MS = 80;

export function Palette({ close }: { close: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { dagId } = useParams({ strict: false });
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [entries, setEntries] = useState<PaletteEntry[]>([]);
  const [chosen, setChosen] = useState(0);
  const [said, setSaid] = useState("");
  /** The text that the entries are of; undefined: none have come. */
  const [read, setRead] = useState<string>();
  /** Enter was pressed before the entries of the text had come: the first of them is meant. */
  const isAwaited = useRef(false);

  const input = useRef<HTMLInputElement>(null);

  useLayoutEffect(() => {
    // The keys that are typed right after Ctrl-K are for this field.
    dialog.current?.showModal();
    input.current?.focus();
  }, []);
  const take = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    if (entry.to) {
      close();
      void navigate(entry.to as Parameters<typeof navigate>[0]);
    } else {
      entry.act?.().then(setSaid, (fault: unknown) => setSaid((fault as Error).message));
    }
  };
  const takeFirst = useEffectEvent((entry: PaletteEntry | undefined) => {
    isAwaited.current = false;
    take(entry);
  });
  useEffect(() => {
    const stop = new AbortController();
    const timer = window.setTimeout(
      () => {
        void import("./findEntries")
          .then(({ findEntries }) => findEntries(client, typed, dagId, stop.signal))
          .then(
            ({ entries: found, problem }) => {
              const sorted = sortByKind(found);
              setEntries(sorted);
              setRead(typed);
              setChosen(0);
              if (problem) setSaid(problem);
              if (isAwaited.current) takeFirst(sorted[0]);
            },
            (fault: unknown) => {
              if (!stop.signal.aborted) {
                setEntries([]);
                setRead(typed);
                setSaid((fault as Error).message);
              }
            },
          );
      },
      typed ? TYPED_MS : 0,
    );
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [client, typed, dagId]);

  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen(Math.max(0, Math.min(entries.length - 1, chosen + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (read === typed) take(entries[chosen]);
      else isAwaited.current = true;
    }
  };
  useEffect(() => {
    // In braces: newer browsers return a promise, which is no function that ends the effect.
    document.getElementById(`palette-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={t("Command palette")}
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div className={styles.field}>
        <SearchIcon size={18} strokeWidth={1.75} aria-hidden="true" />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries[chosen] ? `palette-${chosen}` : undefined}
          aria-label={t("Find a DAG, run, task, page or act")}
          placeholder={t("Search, or type: pause my_dag")}
          value={typed}
          spellCheck={false}
          onChange={(event) => {
            isAwaited.current = false;
            setTyped(event.target.value);
            setSaid("");
          }}
          onKeyDown={press}
        />
      </div>
      <div id="palette-list" role="listbox" aria-label={t("Found")} className={styles.list}>
        {groupByKind(entries).map(([kind, group]) => (
          <ul key={kind} role="group" aria-label={kind} data-label={kind}>
            {group.map(({ entry, at }) => (
              <Row
                key={entry.key}
                entry={entry}
                typed={typed}
                at={at}
                isChosen={at === chosen}
                take={() => take(entry)}
                choose={() => setChosen(at)}
              />
            ))}
          </ul>
        ))}
      </div>
      <div className={styles.foot}>
        <span role="status">{said || (typed && read === typed && entries.length === 0 ? t("Nothing fits.") : "")}</span>
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {t("choose")}
        </span>
        <span>
          <kbd>↵</kbd> {t("open")}
        </span>
        <span>
          <kbd>Esc</kbd> {t("close")}
        </span>
      </div>
    </dialog>
  );
}

interface RowProps {
  entry: PaletteEntry;
  /** What was looked for: its words are marked in the label. */
  typed: string;
  at: number;
  isChosen: boolean;
  take: () => void;
  choose: () => void;
}

function Row({ entry, typed, at, isChosen, take, choose }: RowProps) {
  const { icon: Sign } = entry;
  return (
    <li
      id={`palette-${at}`}
      role="option"
      aria-selected={isChosen}
      onClick={take}
      onPointerMove={() => {
        if (!isChosen) choose();
      }}
    >
      <Sign size={16} strokeWidth={1.75} aria-hidden="true" />
      <span className="unseen">{entry.kind}</span>{" "}
      <span className="name">
        <Marked text={entry.label} typed={typed} />
      </span>{" "}
      {entry.about && <span className={styles.about}>{entry.about}</span>}
      {entry.keys && <kbd aria-hidden="true">{entry.keys}</kbd>}
    </li>
  );
}

/** The label with the words that were typed, as far as they stand in it. */
function Marked({ text, typed }: { text: string; typed: string }) {
  return splitMarks(text, typed).map((part, at) => (at % 2 === 1 ? <b key={at}>{part}</b> : part));
}
