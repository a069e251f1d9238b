import pg from "pg";

const readTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

/**
 * Parses a time, or throws. The library returns null for a time that it cannot parse, and a key with a null expiry
 * would never expire. It parses `infinity` as the number, which compares correctly with dates.
 */
function requireTime(text: string): Date | number {
  const time: Date | number | null = readTime(text);
  if (time !== null) return time;
  throw new Error(`expected a time in ISO 8601, got ${text}: set PostgreSQL's DateStyle to ISO`);
}

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.TIMESTAMPTZ]: requireTime,
};

/** Parsers for `Database.select`: numbers for 64-bit integers, dates for times, and the driver's for the rest. */
export const COLUMN_TYPES = {
  getTypeParser: (type: number, format?: "text" | "binary") =>
    PARSERS[type] ?? pg.types.getTypeParser(type, format),
} as pg.CustomTypesConfig;
