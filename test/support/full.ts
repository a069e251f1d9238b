/**
 * True in `npm run faults`. Other runs, such as CI's, have a short form of the same tests: fewer kinds of a fault, fewer
 * repetitions, one form of each largest input.
 */
export const IS_FULL = process.env["TEST_FULL"] === "1";

/** Returns the items that `isShort` selects; in the full form, all. */
export const inShort = <Item>(items: readonly Item[], isShort: (item: Item, index: number) => boolean) =>
  IS_FULL ? items : items.filter(isShort);
