/** Default page size. */
export const DEFAULT_PAGE_SIZE = 20;
/** Maximum size of a page, and of any other list with a size. */
export const MOST_PAGE_SIZE = 100;
/** Maximum length of a list read without a size; clients that need more must ask for a size. */
export const MOST_LIST_SIZE = 1_000;
