/** Finds a total in one column of amounts. */
export interface TotalFinder {
  add(tonnes: string, line: number): void;
  /** Returns the line of the row that is the sum of all others; undefined if no row is. */
  find(): number | undefined;
}

const MIN_ROWS = 3;
/** Relative tolerance, because sums in spreadsheets and here are floating-point numbers. */
const TOLERANCE = 1e-9;

/**
 * Creates a finder of the row with the total of all others. Its amount is half of the sum of all rows, so the finder
 * keeps only the sum and the largest amount.
 */
export function createTotalFinder(): TotalFinder {
  let [rows, whole, largest, lineOfLargest] = [0, 0, 0, 0];
  return {
    add(tonnes, line) {
      const amount = Number(tonnes);
      rows += 1;
      whole += amount;
      // The last of equal amounts, because totals come last.
      if (amount >= largest) [largest, lineOfLargest] = [amount, line];
    },
    find() {
      const isTotal = largest > 0 && Math.abs(2 * largest - whole) <= TOLERANCE * whole;
      return rows >= MIN_ROWS && isTotal ? lineOfLargest : undefined;
    },
  };
}
