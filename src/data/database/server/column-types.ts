import pg from "pg";

const readTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

/**
 * Reads a time, and throws if it cannot. The library returns null for such a time, and a key whose expiry is null would
 * never expire. It turns `infinity` into the number, which compares with dates as it should.
 */
function requireTime(text: string): Date | number {
  const time: Date | number | null = readTime(text);
  if (time !== null) return time;
  throw new Error(`expected a time in ISO 8601, got ${text}: PostgreSQL's DateStyle has to be ISO`);
}

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.TIMESTAMPTZ]: requireTime,
};

/** Parsers of `Database.select`: 64-bit integers become numbers, times become dates, the rest is as in the driver. */
export const COLUMN_TYPES = {
  getTypeParser: (type: number, format?: "text" | "binary") =>
    PARSERS[type] ?? pg.types.getTypeParser(type, format),
} as pg.CustomTypesConfig;
