import { hash } from "node:crypto";
import { DIGEST_WIDTH, type ExportRows } from "../../../domain/emissions/export-columns.js";
import { writeUnits } from "../../../domain/fractions.js";

/** Totals of records. */
export interface RecordsTally {
  readonly rows: number;
  /** Sum of the amounts in tCO2e, with every digit. */
  readonly co2eTonnes: string;
  /** 64 hexadecimal digits; see `createTally`. */
  readonly digest: string;
}

const SEPARATOR = "\u001f";
const MODULUS = 1n << 256n;
const WORDS = 8;

/**
 * Creates an empty tally. A record's line is the columns of an import joined by U+001F; a missing value is empty. The
 * digest is the sum of the lines' SHA-256 modulo 2^256, so it depends neither on the order of the records nor on their
 * ids.
 */
export function createTally(): { add(rows: ExportRows): void; read(): RecordsTally } {
  let count = 0;
  let tonnes = 0n;
  let sum = 0n;
  return {
    add(rows) {
      count += rows.length;
      // Sums of 32-bit words are exact for up to 2 million rows.
      const words = new Array<number>(WORDS).fill(0);
      for (const row of rows) {
        const line = row.length > DIGEST_WIDTH ? row.slice(0, DIGEST_WIDTH) : row;
        const bytes = hash("sha256", line.join(SEPARATOR), "buffer");
        for (let at = 0; at < WORDS; at += 1) words[at] = (words[at] ?? 0) + bytes.readUInt32BE(4 * at);
        tonnes += BigInt((row[2] ?? "0").replace(".", ""));
      }
      const total = words.reduce((high, word) => (high << 32n) + BigInt(word), 0n);
      sum = (sum + total) % MODULUS;
    },
    read: () => ({
      rows: count,
      co2eTonnes: writeUnits(tonnes, 6),
      digest: sum.toString(16).padStart(64, "0"),
    }),
  };
}
