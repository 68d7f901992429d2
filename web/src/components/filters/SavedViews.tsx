/** Views of a list by name: the filters of the address, which the account keeps, or without accounts this browser. */

import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { t } from "../../state/language";
import { chooseDefault, deleteView, hasAccountViews, loadViews, saveView, useSavedViews } from "../../state/savedViews";
import { showToast } from "../../state/toasts";
import { CloseIcon } from "../../ui/icons";
import { Popover } from "../../ui/Popover";
import styles from "./filters.module.css";

export function SavedViews({ path, search }: { path: string; search: object }) {
  const views = useSavedViews(path);
  const [name, setName] = useState("");
  useEffect(() => void loadViews(), []);
  const save = async () => {
    const { page: _page, cursor: _cursor, view: _view, ...kept } = search as Record<string, unknown>;
    const saved = name.trim();
    const before = views.find((one) => one.name === saved);
    setName("");
    if (await saveView(path, { name: saved, search: kept })) {
      showToast(
        t("The view {name} is saved.", { name: saved }),
        async () => void (before ? await saveView(path, before) : await deleteView(path, saved)),
      );
    }
  };
  const remove = async (gone: (typeof views)[number]) => {
    if (await deleteView(path, gone.name))
      showToast(t("The view {name} is deleted.", { name: gone.name }), async () => void (await saveView(path, gone)));
  };
  return (
    <Popover label={t("Views")} look="quiet" placement="bottom-end">
      <p className="soft">
        {hasAccountViews()
          ? t(
              "Views belong to your account: they are there in each browser. To share one, open it and send its address.",
            )
          : t("Views are kept in this browser. To share one, open it and send its address.")}
      </p>
      {views.length > 0 && (
        <ul className={styles.views}>
          {views.map((one) => (
            <li key={one.name}>
              <Link to={path} search={one.search} className="name">
                {one.name}
              </Link>
              <label>
                <input
                  type="checkbox"
                  checked={Boolean(one.isDefault)}
                  onChange={(event) => void chooseDefault(path, event.target.checked ? one.name : undefined)}
                />{" "}
                {t("default")}
              </label>
              <button
                type="button"
                className="plain"
                aria-label={t("Delete the view {name}", { name: one.name })}
                onClick={() => void remove(one)}
              >
                <CloseIcon size={14} aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        className={styles.saveView}
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim()) void save();
        }}
      >
        <label>
          {t("Save this view as")}{" "}
          <input value={name} maxLength={60} onChange={(event) => setName(event.target.value)} />
        </label>
        <button disabled={!name.trim()}>{t("Save")}</button>
      </form>
    </Popover>
  );
}
