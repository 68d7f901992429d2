/** An icon with a text: opened by the pointer, by the focus and by a tap; it stays while the pointer is on it, and Escape closes it. */

import type { ReactNode } from "react";
import { IconButton } from "../ui/Button";
import { HoverCard } from "../ui/HoverCard";
import { InfoIcon } from "../ui/icons";

export function InfoTip({ label, children }: { label: string; children: ReactNode }) {
  return (
    <HoverCard isTip label={label} content={() => children}>
      <IconButton isSmall icon={InfoIcon} label={label} title={undefined} />
    </HoverCard>
  );
}
