/** A button that opens a box with anything in it: filters, display options, explanations. Escape and a click beside it close it, and the focus goes back. */

import { Popover as Box, PopoverDisclosure, PopoverProvider, usePopoverStore } from "@ariakit/react/popover";
import { type ReactNode, type RefObject, useId } from "react";
import { type ButtonLook, buttonClass } from "./Button";
import { ExpandIcon, type Icon } from "./icons";
import styles from "./popover.module.css";

interface Props {
  label: ReactNode;
  /** The name of the button and of the box, where the label alone does not say it. */
  name?: string;
  icon?: Icon;
  look?: ButtonLook;
  isSmall?: boolean;
  /** Without the arrow that says that something opens. */
  isBare?: boolean;
  className?: string;
  /** The box stands beside its button in the document, so that both are of one landmark. */
  isInPlace?: boolean;
  /** What the tour calls the button. */
  tour?: string;
  placement?: "bottom-start" | "bottom-end";
  children: ReactNode | ((close: () => void) => ReactNode);
}

export function Popover({
  label,
  name,
  icon: Sign,
  look,
  isSmall,
  isBare,
  className,
  isInPlace,
  tour,
  placement = "bottom-start",
  children,
}: Props) {
  const store = usePopoverStore({ placement });
  const id = useId();
  return (
    <PopoverProvider store={store}>
      <PopoverDisclosure id={id} className={className ?? buttonClass(look, isSmall)} aria-label={name} data-tour={tour}>
        {Sign && <Sign size={16} strokeWidth={1.75} aria-hidden="true" />}
        {label}
        {!isBare && <ExpandIcon size={14} aria-hidden="true" className={styles.arrow} />}
      </PopoverDisclosure>
      <Box
        className={styles.box}
        gutter={4}
        overflowPadding={8}
        portal={!isInPlace}
        unmountOnHide
        aria-labelledby={id}
        // A link leads to another view: the box of this one closes.
        onClick={(event) => {
          if ((event.target as Element).closest("a[href]")) store.hide();
        }}
      >
        {typeof children === "function" ? children(store.hide) : children}
      </Box>
    </PopoverProvider>
  );
}

/** A box beside an element that is no button of Ariakit: lists with many of them make it only when it opens. */
export function AnchoredBox({
  anchor,
  label,
  className,
  close,
  children,
}: {
  anchor: RefObject<HTMLElement | null>;
  label: string;
  className?: string;
  close: () => void;
  children: ReactNode;
}) {
  const store = usePopoverStore({
    open: true,
    setOpen: (isOpen) => {
      if (!isOpen) close();
    },
  });
  return (
    <Box
      store={store}
      getAnchorRect={() => anchor.current?.getBoundingClientRect() ?? null}
      finalFocus={anchor}
      className={`${styles.box} ${className ?? ""}`}
      gutter={4}
      overflowPadding={8}
      portal
      unmountOnHide
      aria-label={label}
    >
      {children}
    </Box>
  );
}
