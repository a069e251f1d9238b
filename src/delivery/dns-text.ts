import { Resolver } from "node:dns/promises";

/** Strings of a name's TXT records; empty if the name or its records definitely do not exist. */
export type TextRecords = readonly string[];

/** Reads the TXT records of a name, each as one string; null if no name server gave a definite answer. */
export type FindTexts = (name: string) => Promise<TextRecords | null>;

const TIME_LIMIT_MS = 5_000;
const TRIES = 2;

/** Codes of definite answers: the name does not exist, or has no TXT record. */
const ABSENT: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"]);

/** Creates the lookup of TXT records through these name servers, or the system's. */
export const createFindTexts =
  (servers: readonly string[] = []): FindTexts =>
  async (name) => {
    const resolver = new Resolver({ timeout: TIME_LIMIT_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    // The resolver's own timeout grows with each try, and applies to each server.
    const timer = setTimeout(() => resolver.cancel(), TRIES * TIME_LIMIT_MS);
    try {
      const records = await resolver.resolveTxt(name);
      return records.map((parts) => parts.join(""));
    } catch (error) {
      return ABSENT.has((error as { code?: unknown }).code) ? [] : null;
    } finally {
      clearTimeout(timer);
    }
  };
