export interface TotalFinder {
  add(tonnes: string, line: number): void;
  /** The line of a row that is the sum of all others; undefined if there is none. */
  find(): number | undefined;
}

const FEWEST_ROWS = 3;
/** Sums of a spreadsheet are not exact in their last digits, nor are those here. */
const TOLERANCE = 1e-9;

/**
 * Finds the row that is the total of all others among the amounts of one column. Its amount is half of the whole, so that
 * the sum and the largest amount tell, however long the file is.
 */
export function createTotalFinder(): TotalFinder {
  let [rows, whole, largest, lineOfLargest] = [0, 0, 0, 0];
  return {
    add(tonnes, line) {
      const amount = Number(tonnes);
      rows += 1;
      whole += amount;
      // Of equal ones the last, as totals stand below.
      if (amount >= largest) [largest, lineOfLargest] = [amount, line];
    },
    find() {
      const isTotal = largest > 0 && Math.abs(2 * largest - whole) <= TOLERANCE * whole;
      return rows >= FEWEST_ROWS && isTotal ? lineOfLargest : undefined;
    },
  };
}
