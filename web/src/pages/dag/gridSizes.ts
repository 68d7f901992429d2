/** The sizes of the grid, in pixels, and the numbers of its first cell: what is drawn, what is scrolled to and what is pointed at must agree. */

export const ROW_PX = 28;
export const COLUMN_PX = 28;
/** The days above the bars. */
const DAYS_PX = 16;
/** The room of the bars. */
export const BARS_PX = 34;
export const HEAD_PX = DAYS_PX + BARS_PX;
/** For screen readers, which count from 1: the days and bars are the first row, the names the first column. */
export const FIRST_ROW = 2;
export const FIRST_COLUMN = 2;
