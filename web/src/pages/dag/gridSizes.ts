/** The sizes of the grid, in pixels: what is drawn and what is scrolled to must agree. */

export const ROW_PX = 28;
export const COLUMN_PX = 28;
/** The days above the bars. */
export const DAYS_PX = 16;
/** The room of the bars. */
export const BARS_PX = 34;
export const HEAD_PX = DAYS_PX + BARS_PX;
