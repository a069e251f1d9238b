import { addDays } from "../window.js";
import { INTENSITY_DECIMALS, type VsmeReport } from "./vsme.js";
import type { VsmeFact, VsmePeriod } from "./vsme-facts.js";

/** The organization that a report is about. */
export interface ReportingEntity {
  /** URI of the scheme of `identifier`. */
  readonly scheme: string;
  readonly identifier: string;
}

/** Scheme of Legal Entity Identifiers. */
export const LEI_SCHEME = "http://standards.iso.org/iso/17442";

const VSME = "https://xbrl.efrag.org/taxonomy/vsme/2026-05-01";

/**
 * Writes a report as xBRL-JSON (Open Information Model 1.0, Recommendation of 2021-10-13). An amount without `decimals`
 * is exact.
 */
export function writeXbrlJson(report: VsmeReport, { scheme, identifier }: ReportingEntity) {
  return {
    documentInfo: {
      documentType: "https://xbrl.org/2021/xbrl-json",
      namespaces: {
        vsme: `${VSME}/vsme`,
        utr: "http://www.xbrl.org/2009/utr",
        iso4217: "http://www.xbrl.org/2003/iso4217",
        entity: scheme,
      },
      taxonomy: [`${VSME}/vsme-all.xsd`],
    },
    facts: Object.fromEntries(
      report.facts.map((fact, index) => [`f${index + 1}`, writeFact(fact, `entity:${identifier}`)]),
    ),
  };
}

function writeFact({ concept, value, unit, period, dimensions }: VsmeFact, entity: string) {
  // Without a unit, a text is a fact about the whole period, but a year is about its end.
  const isText = unit === null && period.from !== null;
  return {
    value: isText ? writeTextBlock(value) : value,
    ...(unit?.includes("/") && { decimals: INTENSITY_DECIMALS }),
    dimensions: {
      concept,
      entity,
      period: writePeriod(period),
      ...(unit !== null && { unit }),
      ...dimensions,
    },
  };
}

/** Writes a period, which ends at midnight after its last day. */
function writePeriod({ from, to }: VsmePeriod): string {
  const end = `${addDays(new Date(to), 1)}T00:00:00`;
  return from === null ? end : `${from}T00:00:00/${end}`;
}

/** Writes a text block (`dtr-types:textBlockItemType`) as XHTML, with a paragraph for each line. */
const writeTextBlock = (text: string) =>
  text
    .split(/\r?\n/)
    .map(
      (line) =>
        `<p>${line.replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? "").replaceAll(/\p{Cc}/gu, " ")}</p>`,
    )
    .join("");

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Returns true if a string is a Legal Entity Identifier: 20 characters with valid check digits (ISO 17442). */
export function isLei(text: string): boolean {
  if (!/^[A-Z0-9]{18}\d{2}$/.test(text)) return false;
  const digits = Array.from(text, (character) => Number.parseInt(character, 36)).join("");
  return BigInt(digits) % 97n === 1n;
}
