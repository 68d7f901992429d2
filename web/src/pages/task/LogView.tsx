/** The log of a try: only the lines in view are in the document; the search filters and counts. */

import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { type InstancePlace, logQuery } from "../../api/queries";
import type { TaskLog } from "../../api/shapes";
import { Answer } from "../../components/Answer";
import { formatTime, useZone } from "../../state/times";
import { findLines, readLines } from "./logLines";

const LINE_PX = 20;

interface LogViewProps {
  at: InstancePlace;
  tryNumber: number;
  isRunning: boolean;
  find: string;
  setFind: (text: string) => void;
}

export function LogView({ at, tryNumber, isRunning, find, setFind }: LogViewProps) {
  const log = useQuery(logQuery(at, tryNumber, isRunning));
  return (
    <section>
      <h2>Log of try {tryNumber}</h2>
      {tryNumber === 0 ? <p className="soft">The task has not been tried yet.</p> : (
        <Answer query={log} what="the log">{(found) => <Lines log={found} find={find} setFind={setFind} />}</Answer>
      )}
    </section>
  );
}

function Lines({ log, find, setFind }: { log: TaskLog; find: string; setFind: (text: string) => void }) {
  const zone = useZone();
  const all = useMemo(() => readLines(log), [log]);
  const shown = useMemo(() => findLines(all, find), [all, find]);
  const frame = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({ count: shown.length, getScrollElement: () => frame.current, estimateSize: () => LINE_PX, overscan: 30 });
  return (
    <>
      <label>Search <input type="search" value={find} onChange={(event) => setFind(event.target.value)} /></label>{" "}
      <span className="soft" role="status">{shown.length.toLocaleString("en")} of {all.length.toLocaleString("en")} lines</span>
      <div className="log" ref={frame} tabIndex={0} role="log" aria-label="Log">
        <div className="grid-body" style={{ height: lines.getTotalSize() }}>
          {lines.getVirtualItems().map((item) => {
            const line = shown[item.index];
            return line && (
              <div key={item.key} data-index={item.index} ref={lines.measureElement} className={`log-line level-${line.level}`} style={{ transform: `translateY(${item.start}px)` }}>
                <span className="soft">{line.number} {formatTime(line.at, zone).slice(11)}</span> {line.text}
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}
