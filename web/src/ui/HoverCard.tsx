/** A card that opens while the pointer or the focus rests on something, and a short text in the same way. It stays while the pointer is on it; Escape closes it. */

import { Hovercard, HovercardAnchor, HovercardProvider, useHovercardStore } from "@ariakit/react/hovercard";
import { Tooltip as Tip, TooltipAnchor, TooltipProvider } from "@ariakit/react/tooltip";
import type { ReactElement, ReactNode } from "react";
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
  const store = useHovercardStore({ timeout: REST_MS, placement: "bottom-start" });
  return (
    <HovercardProvider store={store}>
      <HovercardAnchor
        render={children}
        onFocus={() => store.show()}
        onClick={() => store.show()}
        onBlur={(event) => {
          if (!store.getState().contentElement?.contains(event.relatedTarget)) store.hide();
        }}
      />
      <Hovercard
        className={styles.card}
        gutter={6}
        portal
        unmountOnHide
        role={isTip ? "tooltip" : "dialog"}
        aria-label={label}
      >
        <Content of={content} />
      </Hovercard>
    </HovercardProvider>
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
