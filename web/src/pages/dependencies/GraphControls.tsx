/** The controls of the graph of DAGs and assets, in one line: search, folding, what is wrong, what the lines mean, picture or table. */

import { t, tn } from "../../state/language";
import { Button, Segments } from "../../ui/Button";
import { CloseIcon, HelpIcon, WarningIcon } from "../../ui/icons";
import { Popover } from "../../ui/Popover";
import { Toolbar } from "../../ui/PageHeader";
import { SearchBox } from "../../ui/SearchBox";
import { EdgeLegend } from "./EdgeLegend";
import type { Fold, ShownGraph, WholeGraph } from "./graphModel";
import type { GraphView } from "./graphView";

const FOLDS: [Fold, string][] = [
  ["none", /* text */ "not at all"],
  ["folder", /* text */ "by folder"],
  ["tag", /* text */ "by first tag"],
  ["owner", /* text */ "by owner"],
];
const SHOWN_MAX = 20;

interface Props {
  whole: WholeGraph;
  shown: ShownGraph;
  fold: Fold | undefined;
  view: GraphView;
  set: (some: GraphView) => void;
}

export function GraphControls({ whole, shown, fold, view, set }: Props) {
  const wrong = shown.nodes.filter((one) => one.error !== undefined);
  return (
    <Toolbar label={t("Controls of the graph")}>
      <SearchBox
        label={t("Search")}
        placeholder={t("part of a name")}
        value={view.find}
        onChange={(find) => set({ find })}
      />
      <label>
        {t("Fold")}{" "}
        <select
          value={fold ?? ""}
          onChange={(event) => set({ fold: (event.target.value || undefined) as Fold | undefined, open: undefined })}
        >
          <option value="">{t("if it does not fit")}</option>
          {FOLDS.map(([one, words]) => (
            <option key={one} value={one}>
              {t(words)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={view.assets !== "hidden"}
          onChange={(event) => set({ assets: event.target.checked ? undefined : "hidden" })}
        />{" "}
        {t("assets")}
      </label>
      {view.dag !== undefined && (
        <Button icon={CloseIcon} onClick={() => set({ dag: undefined })}>
          {t("Show all, not only around {dag}", { dag: view.dag })}
        </Button>
      )}
      {wrong.length > 0 && (
        <Popover
          icon={WarningIcon}
          label={tn("{count} is wrong", "{count} are wrong", wrong.length)}
          name={`${tn("{count} is wrong", "{count} are wrong", wrong.length)}: ${tn(
            "{count} node has a circle or a dependency that can never be met",
            "{count} nodes have a circle or a dependency that can never be met",
            wrong.length,
          )}`}
        >
          <ul>
            {wrong.slice(0, SHOWN_MAX).map((one) => (
              <li key={one.key}>
                <b className="name">{one.name}</b>: {one.error}
              </li>
            ))}
          </ul>
        </Popover>
      )}
      <Segments
        label={t("How the graph is shown")}
        value={view.as ?? "picture"}
        options={[
          { value: "picture", label: t("Picture") },
          { value: "table", label: t("As a table") },
        ]}
        choose={(as) => set({ as: as === "table" ? as : undefined })}
      />
      <Popover icon={HelpIcon} label="" isBare look="quiet" name={t("Kinds of lines")} placement="bottom-end">
        <EdgeLegend />
        <p className="soft">
          {tn("{count} node", "{count} nodes", shown.nodes.length)},{" "}
          {tn("{count} edge", "{count} edges", shown.edges.length)}
          {whole.unrelated > 0 &&
            `; ${tn("{count} DAG without any relation is not shown", "{count} DAGs without any relation are not shown", whole.unrelated)}`}
        </p>
      </Popover>
    </Toolbar>
  );
}
