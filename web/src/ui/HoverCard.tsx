/** A card that opens while the pointer or the focus rests on something, and a short text in the same way. It stays while the pointer is on it; Escape closes it. */

import { Hovercard, useHovercardStore } from "@ariakit/react/hovercard";
import { Role } from "@ariakit/react/role";
import { Tooltip as Tip, TooltipAnchor, TooltipProvider } from "@ariakit/react/tooltip";
import { type ReactElement, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import styles from "./hoverCard.module.css";

const REST_MS = 350;

interface Props {
  /** One element that takes the focus. */
  children: ReactElement;
  /** Made only while the card is open. */
  content: () => ReactNode;
  label?: string;
  /** The card has words alone, nothing to act on. */
  isTip?: boolean;
}

export function HoverCard({ children, content, label, isTip }: Props) {
  // A list has a card in each of its rows: all that a card needs is made when the pointer or the focus first comes to it.
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [open, setOpen] = useState(false);
  const rest = useRef<number | undefined>(undefined);
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => () => window.clearTimeout(rest.current), []);
  const show = (element: HTMLElement) => {
    window.clearTimeout(rest.current);
    setAnchor(element);
    setOpen(true);
  };
  return (
    <>
      <Role
        render={children}
        onPointerEnter={(event) => {
          const element = event.currentTarget;
          if (event.pointerType === "mouse") rest.current = window.setTimeout(() => show(element), REST_MS);
        }}
        onPointerLeave={() => window.clearTimeout(rest.current)}
        onFocus={(event) => show(event.currentTarget)}
        onClick={(event) => show(event.currentTarget)}
        onBlur={(event) => {
          if (!card.current?.contains(event.relatedTarget)) setOpen(false);
        }}
      />
      {anchor && <Card {...{ anchor, open, setOpen, card, content, label, isTip }} />}
    </>
  );
}

interface CardProps extends Omit<Props, "children"> {
  anchor: HTMLElement;
  open: boolean;
  setOpen: (open: boolean) => void;
  card: RefObject<HTMLDivElement | null>;
}

function Card({ anchor, open, setOpen, card, content, label, isTip }: CardProps) {
  const store = useHovercardStore({ timeout: REST_MS, placement: "bottom-start", open, setOpen });
  useLayoutEffect(() => store.setAnchorElement(anchor), [store, anchor]);
  return (
    <Hovercard
      store={store}
      ref={card}
      className={styles.card}
      gutter={6}
      portal
      unmountOnHide
      role={isTip ? "tooltip" : "dialog"}
      aria-label={label}
    >
      <Content of={content} />
    </Hovercard>
  );
}

function Content({ of }: { of: () => ReactNode }) {
  return <>{of()}</>;
}

/** A line of text: the name of an icon, an absolute time, a full path. */
export function Tooltip({ children, text }: { children: ReactElement; text: ReactNode }) {
  return (
    <TooltipProvider timeout={REST_MS}>
      <TooltipAnchor render={children} />
      <Tip className={styles.tip} gutter={4} unmountOnHide>
        {text}
      </Tip>
    </TooltipProvider>
  );
}
