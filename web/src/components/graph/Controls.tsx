/** The controls over the picture: larger, smaller, all of it, what the view adds, and saving it as a file. */

import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { t } from "../../state/language";
import { showToast } from "../../state/toasts";
import { IconButton } from "../../ui/Button";
import { DownloadIcon, FitIcon, MinusIcon, PlusIcon } from "../../ui/icons";
import { Menu, MenuItem } from "../../ui/Menu";
import { saveFile } from "../saveFile";
import { drawPng, writeSvg } from "./exportPicture";
import type { Size } from "./layout";
import styles from "./graph.module.css";

const ZOOM = 1.3;

interface Props {
  zoom: (factor: number) => void;
  fit: () => void;
  /** What is saved, with its size. */
  shown: RefObject<SVGGElement | null>;
  size: Size;
  /** Whether also what is out of view is drawn: a file has all. */
  drawWhole: (isWhole: boolean) => void;
  fileName: string;
  children?: ReactNode;
}

export function Controls({ zoom, fit, shown, size, drawWhole, fileName, children }: Props) {
  const [format, setFormat] = useState<"svg" | "png">();
  useEffect(() => {
    if (format === undefined || !shown.current) return;
    const svg = writeSvg(shown.current, size.width, size.height);
    drawWhole(false);
    setFormat(undefined);
    if (format === "svg") saveFile(`${fileName}.svg`, new Blob([svg], { type: "image/svg+xml" }));
    else
      void drawPng(svg, size.width, size.height).then(
        (png) => saveFile(`${fileName}.png`, png),
        (error: Error) => showToast(error.message, undefined, true),
      );
  }, [format, shown, size, drawWhole, fileName]);
  const save = (next: "svg" | "png") => {
    drawWhole(true);
    setFormat(next);
  };
  return (
    <div className={styles.controls} role="toolbar" aria-label={t("Controls of the picture")}>
      <IconButton icon={PlusIcon} label={t("Larger")} onClick={() => zoom(ZOOM)} />
      <IconButton icon={MinusIcon} label={t("Smaller")} onClick={() => zoom(1 / ZOOM)} />
      <IconButton icon={FitIcon} label={t("Show all")} onClick={fit} />
      {children}
      <Menu name={t("Save the picture")} icon={DownloadIcon}>
        <MenuItem onSelect={() => save("svg")}>{t("As SVG")}</MenuItem>
        <MenuItem onSelect={() => save("png")}>{t("As PNG")}</MenuItem>
      </Menu>
    </div>
  );
}
