/** The log of a try: live, searched on the server, with levels, groups, links to lines. Its options are in the address. */

import {
  type ReactNode,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type LogPlace, logFileAddress } from "../../../api/logs";
import { Failure } from "../../../components/Answer";
import { t } from "../../../state/language";
import { usePreference } from "../../../state/preferences";
import { useZone } from "../../../state/times";
import { copyLines } from "./copyLines";
import { type Anchor, END, LogScroller } from "./LogScroller";
import { LogRow } from "./LogRow";
import styles from "./log.module.css";
import { chooseFolded, chooseLines, foldLines, listGroupsOf, showTail } from "./logFolds";
import type { LogOptions } from "./logOptions";
import { LogToolbar, WRAP } from "./LogToolbar";
import { formatSpan, parseSpan } from "./lineSpan";
import { useLog } from "./useLog";
import { useLogSearch } from "./useLogSearch";
import { useNextError } from "./useNextError";

interface LogViewProps {
  place: LogPlace;
  options: LogOptions;
  set: (some: LogOptions) => void;
  /** Before the tools: which try it is. */
  lead?: ReactNode;
}

export function LogView({ place, options, set, lead }: LogViewProps) {
  const store = useLog(place);
  const zone = useZone();
  const [wrap] = usePreference(WRAP);
  const find = options.find ?? "";
  const isGrowing = store.isRead && !store.isOver;
  const filtered = useLogSearch(place, "", options.level, isGrowing);
  const found = useLogSearch(place, find, options.level, isGrowing);
  const span = useMemo(() => parseSpan(options.line), [options.line]);
  const [opened] = useState(span?.first);
  const [chosenFolds, setFolds] = useState<ReadonlyMap<number, boolean>>(new Map());
  const folded = useMemo(() => chooseFolded(store.groups, chosenFolds, opened), [store.groups, chosenFolds, opened]);
  const [isWhole, setWhole] = useState(false);
  const [opening] = useState<Anchor>(span ? Math.max(0, span.first - 3) : END);
  const [anchor, setAnchor] = useState<Anchor>(opening);
  const [isAtTail, setAtTail] = useState(span === undefined);
  // The end of a long log is shown while its lines are counted. Their numbers are known afterwards.
  const isTail = isAtTail && !store.isCounted && store.tail > 0 && !options.level;
  const view = useMemo(
    () =>
      options.level
        ? chooseLines(filtered.numbers)
        : isTail
          ? showTail(store.tail)
          : foldLines(store.total, store.groups, folded),
    [options.level, filtered.numbers, isTail, store.tail, store.total, store.groups, folded],
  );
  const tailBefore = useRef(0);
  const keepPlace = useEffectEvent(() => {
    if (tailBefore.current > 0 && !isTail && isAtTail && store.isCounted && anchor !== END)
      setAnchor(Math.max(0, anchor + view.count - tailBefore.current));
    tailBefore.current = isTail ? store.tail : 0;
  });
  useLayoutEffect(() => keepPlace(), [isTail, store.tail]);
  const folds = useMemo(
    () =>
      options.level
        ? new Map<number, boolean>()
        : new Map(store.groups.map((one) => [one.first, folded.has(one.first)])),
    [options.level, store.groups, folded],
  );
  const onShow = useCallback(
    (first: number, last: number) => {
      if (store.error === undefined)
        store.want(Array.from({ length: Math.max(0, last - first) }, (_, at) => view.lineAt(first + at)));
    },
    [store, view],
  );
  const jump = useCallback(
    (line: number) => {
      const hiding = listGroupsOf(store.groups, line).filter((one) => folded.has(one));
      const place = isTail
        ? line
        : hiding.length === 0
          ? view.placeOf(line)
          : foldLines(store.total, store.groups, new Set([...folded].filter((one) => !hiding.includes(one)))).placeOf(
              line,
            );
      if (hiding.length > 0) setFolds((before) => new Map([...before, ...hiding.map((one) => [one, false] as const)]));
      setAtTail(false);
      setAnchor(Math.max(0, place - 3));
    },
    [view, isTail, folded, store],
  );
  const errors = useNextError(place, (line) => {
    jump(line);
    set({ line: line + 1 });
  });
  const jumpToSpan = useEffectEvent(() => {
    if (span && (options.level || (store.isCounted && anchor === opening))) jump(span.first);
  });
  // Only when the filter has found its lines, and when it is known what is folded above the line: later the user moves.
  useEffect(() => jumpToSpan(), [options.level, filtered.isDone, store.isCounted]);
  const choose = useCallback(
    (line: number, isRange: boolean) => set({ line: formatSpan(line, isRange ? span : undefined) }),
    [set, span],
  );
  const fold = useCallback(
    (line: number) => setFolds((before) => new Map([...before, [line, !folded.has(line)]])),
    [folded],
  );
  const expand = useCallback((line: number, bytes: number) => void store.expand(line, bytes), [store]);
  if (store.error !== undefined && !store.isRead)
    return <Failure what={t("the log")} error={store.error} retry={() => void store.extend()} />;
  return (
    <div
      className={isWhole ? `${styles.view} ${styles.whole}` : styles.view}
      onKeyDown={(event) => {
        if (isWhole && event.key === "Escape") setWhole(false);
      }}
    >
      <LogToolbar
        store={store}
        options={options}
        set={set}
        found={found}
        filtered={options.level ? filtered : undefined}
        view={view}
        anchor={anchor}
        jump={jump}
        toEnd={() => setAnchor(END)}
        address={logFileAddress(place)}
        span={span}
        copy={() => (span ? copyLines(place, span) : Promise.resolve(0))}
        foldAll={
          store.groups.length === 0 || options.level
            ? undefined
            : () => setFolds(new Map(store.groups.map((one) => [one.first, folded.size === 0])))
        }
        isFolded={folded.size > 0}
        toError={errors.isSearching ? undefined : errors.search}
        said={errors.said}
        isWhole={isWhole}
        setWhole={setWhole}
        lead={lead}
      />
      {store.error !== undefined && (
        <Failure what={t("the log")} error={store.error} retry={() => void store.extend()} />
      )}
      {!store.isRead && (
        <p className={`soft ${styles.note}`} aria-busy="true">
          {t("Reading {what} …", { what: t("the log") })}
        </p>
      )}
      {store.isRead && store.isOver && store.isCounted && store.total === 0 && (
        <p className={`soft ${styles.note}`}>{t("The task wrote no line.")}</p>
      )}
      <LogScroller
        count={view.count}
        anchor={anchor}
        move={setAnchor}
        isWrapped={wrap === "wrap"}
        label={t("Log")}
        onShow={onShow}
      >
        {(at) => {
          const line = view.lineAt(at);
          return (
            <LogRow
              key={line}
              number={line}
              line={store.get(line)}
              zone={zone}
              hasTimes={store.hasTimes}
              source={store.sourceOf(line)}
              find={find}
              isChosen={span !== undefined && line >= span.first && line <= span.last}
              isFolded={folds.get(line)}
              choose={choose}
              fold={fold}
              expand={expand}
            />
          );
        }}
      </LogScroller>
    </div>
  );
}
