/** The lines of one log that are in memory, and how long the log is. A bounded number of lines is kept, however long the log is. */

import { type LineQuery, type LogGroup, type LogLine, type LogLines, SEVERAL_MAX } from "../../../api/logs";

const KEPT_LINES = 20_000;
const KEPT_CHARACTERS = 16_000_000;
const BLOCK = 200;

export class LogStore {
  total = 0;
  isCounted = false;
  /** While the log is not counted: so many of its last lines are in memory, with the numbers -1 for the last, -2 for the one before, ... */
  tail = 0;
  isOver = false;
  /** A line that was read has a time. */
  hasTimes = false;
  isRead = false;
  files: LogLines["files"] = [];
  groups: LogGroup[] = [];
  error: Error | undefined;
  /** Increases with every change. */
  version = 0;
  private readonly lines = new Map<number, LogLine>();
  private characters = 0;
  private readonly asked = new Set<number>();
  private readonly listeners = new Set<() => void>();
  private readonly stop = new AbortController();

  constructor(private readonly read: (query: LineQuery, signal: AbortSignal) => Promise<LogLines>) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getVersion = (): number => this.version;

  get(line: number): LogLine | undefined {
    return this.lines.get(line);
  }

  /** The number of the file with the line; undefined: the log has one file, or the line is not counted yet. */
  sourceOf(line: number): number | undefined {
    if (this.files.length < 2 || line < 0) return undefined;
    return Math.max(
      0,
      this.files.findLastIndex((file) => file.first_line <= line),
    );
  }

  /** Ask for what was written since the last call, with its first lines. */
  async extend(): Promise<void> {
    const answer = await this.ask(
      this.isCounted ? { first: this.total, count: BLOCK } : { first: -BLOCK, count: BLOCK },
    );
    if (answer === undefined) return;
    const groups = answer.groups.length;
    if (
      this.isRead &&
      this.error === undefined &&
      answer.total === this.total &&
      answer.is_over === this.isOver &&
      answer.is_counted === this.isCounted &&
      groups === this.groups.length
    )
      return;
    this.total = answer.total;
    this.isCounted = answer.is_counted;
    this.isOver = answer.is_over;
    this.files = answer.files;
    this.groups = answer.groups;
    this.isRead = true;
    this.dropTail();
    this.tail = answer.lines.filter((line) => line.number < 0).length;
    this.keep(answer.lines);
  }

  /** Ask for those of the lines that are not in memory and not asked for. */
  want(numbers: readonly number[]): void {
    const missing = numbers.filter(
      (line) => !this.lines.has(line) && !this.asked.has(line) && line >= 0 && line < this.total,
    );
    if (missing.length === 0) return;
    const first = missing[0] as number;
    const last = missing[missing.length - 1] as number;
    if (last - first <= 2 * BLOCK)
      void this.load({ first: Math.max(0, first - 20), count: last - first + 40 }, missing);
    else
      for (let from = 0; from < missing.length; from += SEVERAL_MAX)
        void this.load({ at: missing.slice(from, from + SEVERAL_MAX) }, missing.slice(from, from + SEVERAL_MAX));
  }

  /** Read a line that is cut, as long as the server gives it. */
  async expand(line: number, lineBytes: number): Promise<void> {
    const answer = await this.ask({ first: line, count: 1, lineBytes });
    if (answer) this.keep(answer.lines);
  }

  close(): void {
    this.stop.abort();
    this.listeners.clear();
  }

  private async load(query: LineQuery, numbers: number[]): Promise<void> {
    for (const line of numbers) this.asked.add(line);
    const answer = await this.ask(query);
    for (const line of numbers) this.asked.delete(line);
    if (answer) this.keep(answer.lines);
  }

  private async ask(query: LineQuery): Promise<LogLines | undefined> {
    try {
      const answer = await this.read(query, this.stop.signal);
      if (this.error !== undefined) {
        this.error = undefined;
        this.changed();
      }
      return answer;
    } catch (error) {
      if (this.stop.signal.aborted) return undefined;
      this.error = error as Error;
      this.changed();
      return undefined;
    }
  }

  private dropTail(): void {
    for (let line = -this.tail; line < 0; line += 1) {
      this.characters -= this.lines.get(line)?.text.length ?? 0;
      this.lines.delete(line);
    }
  }

  private keep(found: readonly LogLine[]): void {
    for (const line of found) {
      const before = this.lines.get(line.number);
      if (before !== undefined && before.text.length > line.text.length) continue; // a line that was expanded stays so
      this.characters += line.text.length - (before?.text.length ?? 0);
      this.lines.delete(line.number);
      this.lines.set(line.number, line);
      if (line.at !== null) this.hasTimes = true;
    }
    for (const [number, line] of this.lines) {
      if (this.lines.size <= KEPT_LINES && this.characters <= KEPT_CHARACTERS) break;
      this.lines.delete(number);
      this.characters -= line.text.length;
    }
    this.changed();
  }

  private changed(): void {
    this.version += 1;
    for (const listener of this.listeners) listener();
  }
}
