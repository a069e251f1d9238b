export const DEFAULT_PAGE_SIZE = 20;
/** Maximum size of a page. Also the maximum length of a list without pages if the client requests no size. */
export const MAX_PAGE_SIZE = 100;
/** Maximum size that a client can request for a list without pages. */
export const MAX_LIST_SIZE = 1_000;
