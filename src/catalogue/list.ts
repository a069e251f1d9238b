import { z } from "zod";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../domain/page.js";

/** Returns true if a query parameter is a valid page size. */
export const isSize = (text: string) =>
  /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PAGE_SIZE;

/** Query parameters of lists with pages. Lists with filters extend them. */
export const listQuery = z.strictObject({
  limit: z
    .string()
    .refine(isSize, {
      error: ({ input }) =>
        `expected a whole number from 1 to ${MAX_PAGE_SIZE}, got ${JSON.stringify(input).slice(0, 60)}`,
    })
    .optional()
    .meta({
      type: "integer",
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      default: DEFAULT_PAGE_SIZE,
      description: "Maximum number of items.",
    }),
  cursor: z
    .string()
    .optional()
    .meta({ description: "`next_cursor` of the previous page; the first page if omitted." }),
});

/** Converts the query parameters to the arguments of a list in the graph. */
export const pageOf = ({ limit, cursor }: z.infer<typeof listQuery>) => ({
  first: limit === undefined ? DEFAULT_PAGE_SIZE : Number(limit),
  after: cursor ?? null,
});

/** The shape of `next_cursor`. */
export const nextCursorShape = z.string().nullable().meta({ description: "Null on the last page." });

/** Describes the list of a page. */
export const pageItems = <Items extends z.ZodType>(items: Items) =>
  items.meta({ description: "Items of the page." });

/** Creates the shape of a page of a list. `name` is the name of the shape, such as `Members`. */
export const pageShape = <Item extends z.ZodType>(name: string, item: Item) =>
  z.object({ items: pageItems(z.array(item)), next_cursor: nextCursorShape }).meta({ id: name });

/** Returns the cursor of the next page; null on the last one. */
export const nextCursor = (pageInfo: { hasNextPage: boolean; endCursor?: string | null }): string | null =>
  pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
