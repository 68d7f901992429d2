/** A card that opens while the pointer or the focus rests on something, and a short text in the same way. It stays while the pointer is on it; Escape closes it. */

import {
  Hovercard,
  HovercardAnchor,
  HovercardProvider,
  Tooltip as Tip,
  TooltipAnchor,
  TooltipProvider,
} from "@ariakit/react";
import type { ReactElement, ReactNode } from "react";
import styles from "./hoverCard.module.css";

const REST_MS = 350;

/** `children`: one element that takes the focus. The content is made only while the card is open. */
export function HoverCard({
  children,
  content,
  label,
}: {
  children: ReactElement;
  content: () => ReactNode;
  label?: string;
}) {
  return (
    <HovercardProvider timeout={REST_MS} placement="bottom-start">
      <HovercardAnchor render={children} />
      <Hovercard className={styles.card} gutter={6} portal unmountOnHide aria-label={label}>
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
