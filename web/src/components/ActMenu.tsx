/** The acts on a run or a task: the one that comes first as a button, the others in a menu. What an act touches is listed in a dialog before it is done. */

import { type ReactNode, useState } from "react";
import type { ActName, ActScope, ActTarget } from "../api/acts";
import { t } from "../state/language";
import { Button } from "../ui/Button";
import { AgainIcon } from "../ui/icons";
import { Menu, MenuItem, MenuSeparator } from "../ui/Menu";
import { Act } from "./Act";
import { type ActChoice, ActDialog } from "./ActDialog";

interface ActMenuProps {
  target: ActTarget;
  choices: readonly ActChoice[];
  /** The parts of the scope that can be chosen for this target. */
  scopes: readonly (keyof ActScope)[];
  /** The act of the button, with its words. */
  first?: { choice: ActChoice; words: string; /** In their place, where there is no room. */ short?: ReactNode };
  isSmall?: boolean;
  onDone?: (act: ActName) => void;
  /** Further items of the menu: what changes nothing of the run. */
  children?: ReactNode;
}

export function ActMenu({ target, choices, scopes, first, isSmall, onDone, children }: ActMenuProps) {
  const [chosen, setChosen] = useState<ActChoice>();
  const menu = (
    <Menu name={t("More acts")} isSmall={isSmall}>
      <Act dagId={target.dagId}>
        {choices.map((one) => (
          <MenuItem key={one.label} isDangerous={one.act === "delete"} onSelect={() => setChosen(one)}>
            {t(one.label)} …
          </MenuItem>
        ))}
        {children && <MenuSeparator />}
      </Act>
      {children}
    </Menu>
  );
  return (
    <>
      {first && (
        <Act dagId={target.dagId}>
          <Button
            look={isSmall ? "plain" : "primary"}
            isSmall={isSmall}
            icon={AgainIcon}
            aria-label={first.short === undefined ? undefined : first.words}
            title={first.words}
            onClick={() => setChosen(first.choice)}
          >
            {first.short === undefined ? first.words : first.short}
          </Button>
        </Act>
      )}
      {/* One menu before and after the rights of the account are known: one that is open stays open. */}
      {children ? menu : <Act dagId={target.dagId}>{menu}</Act>}
      <Act dagId={target.dagId}>
        {chosen && (
          <ActDialog
            key={chosen.label}
            target={target}
            choice={chosen}
            scopes={scopes}
            close={() => setChosen(undefined)}
            onDone={() => onDone?.(chosen.act)}
          />
        )}
      </Act>
    </>
  );
}
