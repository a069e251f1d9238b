export const DEFAULT_PAGE_SIZE = 20;
/** Maximum size of a page, or of any other list with a size. */
export const MAX_PAGE_SIZE = 100;
/** Maximum length of a list without a size. Clients that need more must request a size. */
export const MAX_LIST_SIZE = 1_000;
