/** Items of a page of which no size is asked for. */
export const DEFAULT_PAGE_SIZE = 20;
/** Most items that a page, or another list with a size, may have. */
export const MOST_PAGE_SIZE = 100;
/** The same of a list without pages of which nobody can say how long it is; longer ones need a size. */
export const MOST_LIST_SIZE = 1_000;
