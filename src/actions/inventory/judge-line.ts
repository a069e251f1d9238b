import { write } from "../../data/database/transaction.js";
import type { JudgementRow } from "../../data/inventory/judgements.js";
import {
  deleteJudgement,
  type JudgedLine,
  lockJudgement,
  setJudgement,
} from "../../data/inventory/write-judgements.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { ActionError, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { changesNothing } from "../idempotency.js";
import { readLines } from "../read-text.js";
import { readYear } from "./year.js";

/**
 * Sets the judgement of a line in the inventory of a year, and replaces an earlier one. Throws InvalidInput.
 */
export async function judgeLine(
  { resources, writer }: ActorContext,
  input: Omit<JudgementRow, "version">,
): Promise<JudgementRow> {
  const [, reason] = requireValid(
    () => readYear("judgement", "year", input.year),
    () => readLines("judgement", "reason", input.reason, TEXT_LIMITS.note),
  );
  const judgement = { ...input, reason };
  return write(resources.database, writer, async (sql) => {
    const existing = await lockJudgement(sql, writer.organizationId, judgement);
    if (existing && changesNothing(existing, judgement)) return existing;
    return setJudgement(sql, writer.organizationId, judgement);
  });
}

/** Removes the judgement of a line in the inventory of a year, and returns it. Throws NOT_FOUND. */
export async function withdrawJudgement(
  { resources, writer }: ActorContext,
  judged: JudgedLine,
): Promise<JudgementRow> {
  return write(resources.database, writer, async (sql) => {
    const deleted = await deleteJudgement(sql, writer.organizationId, judged);
    if (deleted) return deleted;
    const message = `The line ${judged.line} of ${judged.year} has no judgement.`;
    throw new ActionError("NOT_FOUND", "judgement", message);
  });
}
