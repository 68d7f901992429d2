/** A scrolled list of lines of any number and any height. Only what is in view is in the document.
 *
 * The place is a line, not a height: the bar of the browser is moved to where the line is. So lines may wrap, and a list may be longer than the
 * tallest element of a browser. `END` stays at the end while the list grows. */

import {
  type KeyboardEvent,
  type ReactNode,
  type UIEvent,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import styles from "./log.module.css";

export const END = "end";
export type Anchor = number | typeof END;
const LINE_PX = 20;
const SPACE_MAX_PX = 8_000_000;

interface LogScrollerProps {
  count: number;
  anchor: Anchor;
  move: (anchor: Anchor) => void;
  isWrapped: boolean;
  label: string;
  /** Called with the places that are drawn. */
  onShow: (first: number, last: number) => void;
  children: (place: number) => ReactNode;
}

export function LogScroller({ count, anchor, move, isWrapped, label, onShow, children }: LogScrollerProps) {
  const frame = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const expected = useRef(-1);
  const drawn = useRef<{ anchor: Anchor; height: number }>(undefined);
  const height = useHeight(frame);
  const [fits, setFits] = useState(false);
  const rows = Math.max(1, Math.floor(height / LINE_PX));
  const most = Math.max(0, isWrapped ? count - 1 : count - rows);
  const top = anchor === END ? most : Math.max(0, Math.min(anchor, Math.max(count - 1, 0)));
  const space = fits ? 0 : Math.min(most * LINE_PX, SPACE_MAX_PX);
  const isScaled = most * LINE_PX > SPACE_MAX_PX;
  const lead = anchor === END ? rows * 2 : rows;
  const first = Math.max(0, Math.floor(top) - lead);
  const last = Math.min(count, Math.floor(top) + 2 * rows + 2);

  useEffect(() => onShow(first, last), [first, last, count, onShow]);

  useLayoutEffect(() => {
    const box = frame.current;
    const lines = list.current;
    if (!box || !lines) return;
    const row = lines.children[Math.floor(top) - first] as HTMLElement | undefined;
    const above = (row?.offsetTop ?? 0) + (top % 1) * (row?.offsetHeight ?? 0);
    const room = Math.min(0, box.clientHeight - lines.offsetHeight);
    const isEnd = anchor === END || (last === count && -above < room);
    lines.style.transform = `translateY(${isEnd && last === count ? room : -above}px)`;
    const isWhole = first === 0 && last === count && lines.offsetHeight <= box.clientHeight;
    if (isWhole !== fits) setFits(isWhole);
    // The user has scrolled, and the event that says so comes after this: what arrived meanwhile does not move the list back.
    const isScrolled =
      drawn.current?.anchor === anchor &&
      drawn.current.height === height &&
      box.clientHeight === height &&
      expected.current <= box.scrollHeight - box.clientHeight &&
      Math.abs(box.scrollTop - expected.current) > 1;
    drawn.current = { anchor, height };
    if (isScrolled) return;
    const place = anchor === END ? space : most === 0 ? 0 : Math.min(1, top / most) * space;
    if (Math.abs(box.scrollTop - place) > 1) box.scrollTop = place;
    expected.current = box.scrollTop;
    // `children` is another function with each drawing: what is drawn is measured each time.
  }, [anchor, children, count, first, fits, height, last, most, space, top]);

  const go = (to: number) => move(to >= most ? END : Math.max(0, to));
  const turnWheel = useEffectEvent((event: WheelEvent) => {
    if (event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    go(top + event.deltaY / LINE_PX);
  });

  useEffect(() => {
    const box = frame.current;
    if (!box || !isScaled) return undefined;
    const turn = (event: WheelEvent) => turnWheel(event);
    box.addEventListener("wheel", turn, { passive: false });
    return () => box.removeEventListener("wheel", turn);
  }, [isScaled]);

  const onScroll = (event: UIEvent<HTMLDivElement>) => {
    const box = event.currentTarget;
    // A frame that became higher or lower was scrolled by the browser, not by the user.
    if (box.clientHeight !== height || Math.abs(box.scrollTop - expected.current) <= 1 || space === 0) return;
    expected.current = box.scrollTop;
    move(box.scrollTop >= space - 1 ? END : (box.scrollTop / space) * most);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, number> = {
      PageUp: -(rows - 1),
      PageDown: rows - 1,
      ArrowUp: -1,
      ArrowDown: 1,
      Home: -count,
      End: count,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    go(top + step);
  };
  const places = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  return (
    <div
      className={isWrapped ? `${styles.frame} ${styles.wrapped}` : styles.frame}
      ref={frame}
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label={label}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: space + height }}>
        <div className={styles.window} style={{ height }}>
          <div className={styles.lines} ref={list}>
            {places.map((place) => children(place))}
          </div>
        </div>
      </div>
    </div>
  );
}

/** The inner height of the element, in pixels. */
function useHeight(frame: React.RefObject<HTMLDivElement | null>): number {
  const [height, setHeight] = useState(560);
  useEffect(() => {
    const box = frame.current;
    if (!box) return undefined;
    const observer = new ResizeObserver(() => setHeight(box.clientHeight));
    observer.observe(box);
    return () => observer.disconnect();
  }, [frame]);
  return height;
}
