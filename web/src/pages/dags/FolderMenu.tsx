/** The folders of DAG files as a tree: one is chosen, and the list shows its DAGs and those of the folders in it. */

import type { FilterChoices } from "../../api/shapes";
import { t } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { FolderIcon, OpenFolderIcon } from "../../ui/icons";
import { Popover } from "../../ui/Popover";
import { listFolders } from "./folderTree";
import styles from "./folders.module.css";

interface Props {
  folders: FilterChoices["folders"] | undefined;
  chosen: readonly string[];
  /** Undefined: all folders. */
  choose: (path: string | undefined) => void;
}

export function FolderMenu({ folders, chosen, choose }: Props) {
  const rows = listFolders(folders ?? []);
  if (rows.length < 2 && chosen.length === 0) return null;
  return (
    <Popover label={t("Folder")} icon={FolderIcon} isBare>
      {(close) => (
        <ul className={styles.tree}>
          {rows.map((one) => {
            const isChosen = chosen.includes(one.path);
            const Sign = isChosen ? OpenFolderIcon : FolderIcon;
            return (
              <li key={one.path}>
                <button
                  type="button"
                  aria-pressed={isChosen}
                  style={{ paddingInlineStart: `${0.5 + one.level}rem` }}
                  title={one.path}
                  onClick={() => {
                    choose(isChosen ? undefined : one.path);
                    close();
                  }}
                >
                  <Sign size={14} aria-hidden="true" />
                  <span className="name">{one.name}</span>
                  <span className="soft">{formatCount(one.dags)}</span>
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </Popover>
  );
}
