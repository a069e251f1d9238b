import type { Days } from "./days.js";

/** Returns the link to the records in a range that match a filter. Omits empty parts. */
export const linkToRecords = (
  { from, to }: Days,
  filter: Readonly<Record<string, string | null | undefined>> = {},
) =>
  `/console/records?${new URLSearchParams(Object.entries({ from, to, ...filter }).filter((part): part is [string, string] => Boolean(part[1])))}`;
