import { write } from "../../data/database/transaction.js";
import type { InstrumentRow } from "../../data/inventory/instruments.js";
import {
  findOwnInstrument,
  insertInstrument,
  type NewInstrument,
} from "../../data/inventory/write-instruments.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import type { EnergyInstrumentKind } from "../../domain/inventory/inventory.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import type { IsoDate } from "../../domain/window.js";
import { ActionError, InvalidInput, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { assertIdempotent } from "../idempotency.js";
import { readAmount } from "../read-amount.js";
import { readNote, readOptional, readText } from "../read-text.js";
import { readMarket, readMwh } from "./energy.js";

/** An energy instrument as the caller sends it. Amounts are decimals in any notation. */
export interface InstrumentInput {
  readonly reference: string;
  readonly kind: EnergyInstrumentKind;
  readonly market: string;
  readonly mwh?: string | null | undefined;
  readonly rateKgPerKwh: string;
  readonly renewable?: boolean | null | undefined;
  readonly generatedFrom: IsoDate;
  readonly generatedTo: IsoDate;
  readonly registry?: string | null | undefined;
  readonly certificateNumber?: string | null | undefined;
  readonly evidence?: string | null | undefined;
}

export interface RecordedInstrument {
  readonly instrument: InstrumentRow;
  /** False if the same instrument already existed. */
  readonly isNew: boolean;
}

const RATE = { exponent: 11, decimals: 12 };
/** First and last allowed day of generation. */
const DAYS = { first: "1990-01-01", last: "2100-12-31" };
const NAMES = { certificate: "certificate", contract: "contract", supplier_rate: "supplier's rate" };

/**
 * Creates an energy instrument, or returns the existing one with the same reference and content. Throws InvalidInput
 * for every fault. Throws CONFLICT if the reference exists with different content, or if another instrument has the
 * registry's number.
 */
export function recordInstrument(
  { resources, writer }: ActorContext,
  input: InstrumentInput,
): Promise<RecordedInstrument> {
  const sent = readInstrument(input);
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    const existing = await findOwnInstrument(sql, organizationId, { reference: sent.reference });
    if (existing) {
      assertIdempotent("instrument", `The reference ${sent.reference}`, contentOf(existing), contentOf(sent));
      return { instrument: existing, isNew: false };
    }
    const { registry, certificateNumber: number } = sent;
    const other =
      registry !== null &&
      number !== null &&
      (await findOwnInstrument(sql, organizationId, { registry, number }));
    if (other) {
      const message = `CERTIFICATE_TAKEN: the number ${number} of ${registry} belongs to the instrument ${other.reference}.`;
      throw new ActionError("CONFLICT", "instrument", message, "certificateNumber");
    }
    return { instrument: await insertInstrument(sql, organizationId, sent), isNew: true };
  });
}

const contentOf = ({ kind, market, mwhExact, rateKgPerKwhExact, renewable, ...others }: NewInstrument) => ({
  kind,
  market,
  mwh: mwhExact,
  rateKgPerKwh: rateKgPerKwhExact,
  renewable: renewable === null ? null : String(renewable),
  generatedFrom: others.generatedFrom,
  generatedTo: others.generatedTo,
  registry: others.registry,
  certificateNumber: others.certificateNumber,
  evidence: others.evidence,
});

function readInstrument(input: InstrumentInput): NewInstrument {
  const { kind, renewable = null, generatedFrom, generatedTo } = input;
  const isCertificate = kind === "certificate";
  const optional = (field: "registry" | "certificateNumber") => () =>
    requireProof(
      kind,
      field,
      isCertificate,
      readOptional("instrument", field, input[field], TEXT_LIMITS.name),
    );
  const [reference, market, mwhExact, rateKgPerKwhExact, , , registry, certificateNumber, evidence] =
    requireValid(
      () => readText("instrument", "reference", input.reference, TEXT_LIMITS.reference),
      () => readMarket("instrument", "market", input.market),
      () => readMwh("instrument", kind, input.mwh),
      () => readAmount("instrument", "rateKgPerKwh", input.rateKgPerKwh, RATE),
      () => requireDay("generatedFrom", generatedFrom, DAYS.first),
      () => requireDay("generatedTo", generatedTo, generatedFrom > DAYS.first ? generatedFrom : DAYS.first),
      optional("registry"),
      optional("certificateNumber"),
      () =>
        requireProof(kind, "evidence", !isCertificate, readNote("instrument", "evidence", input.evidence)),
    );
  const texts = { reference, market, registry, certificateNumber, evidence };
  return { kind, mwhExact, rateKgPerKwhExact, renewable, generatedFrom, generatedTo, ...texts };
}

/** Throws InvalidInput unless a day of generation is from `first` to the last allowed day. */
function requireDay(field: string, day: IsoDate, first: IsoDate): void {
  if (day >= first && day <= DAYS.last) return;
  throw new InvalidInput("instrument", field, `must be from ${first} to ${DAYS.last} (got ${day})`);
}

/** Returns the proof of an instrument. Throws InvalidInput if its kind needs the proof and it is missing. */
function requireProof(
  kind: EnergyInstrumentKind,
  field: string,
  isNeeded: boolean,
  proof: string | null,
): string | null {
  if (proof !== null || !isNeeded) return proof;
  throw new InvalidInput("instrument", field, `is required for a ${NAMES[kind]} (got nothing)`);
}
