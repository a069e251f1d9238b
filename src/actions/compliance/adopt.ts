import type { DeadlineRow } from "../../data/compliance/compliance.js";
import { findDeadlineByKey, insertDeadline } from "../../data/compliance/write-deadlines.js";
import { write } from "../../data/database/transaction.js";
import type { Framework } from "../../domain/enums.js";
import { once } from "../../domain/once.js";
import { isoDate } from "../../domain/window.js";
import { type CataloguedDeadline, readDeadlineCatalogue } from "../../files/reference/deadline-catalogue.js";
import { REFERENCE_FOLDER } from "../../paths.js";
import type { ActorContext } from "../actor-context.js";

/** Lists the catalogue's deadlines of a framework, by due date. */
export async function listCatalogue(framework: Framework): Promise<readonly CataloguedDeadline[]> {
  const catalogue = await readDeadlineCatalogue(REFERENCE_FOLDER);
  return catalogue.filter((entry) => entry.framework === framework);
}

const readEvents = once(async () => {
  const catalogue = await readDeadlineCatalogue(REFERENCE_FOLDER);
  return new Set(catalogue.filter((entry) => !entry.is_duty).map(keyOf));
});

/** Lists the framework and title, with a space between, of every event in the catalogue. */
export const listEvents = async (): Promise<readonly string[]> => [...(await readEvents())];

/** Returns false if the catalogue lists the deadline as an event, which requires no action. */
export async function isDuty({
  framework,
  title,
}: Pick<DeadlineRow, "framework" | "title">): Promise<boolean> {
  return !(await readEvents()).has(keyOf({ framework, title }));
}

const keyOf = ({ framework, title }: Pick<DeadlineRow, "framework" | "title">) => `${framework} ${title}`;

/** Result of adopting the deadlines of a framework. */
export interface Adoption {
  readonly addedDeadlines: readonly DeadlineRow[];
  /** Deadlines that already existed. */
  readonly presentDeadlines: readonly DeadlineRow[];
  readonly isNew: boolean;
}

/** Adds the upcoming deadlines that the catalogue lists for a framework, except those that already exist. */
export async function adoptDeadlines(
  { resources, writer, now }: ActorContext,
  framework: Framework,
): Promise<Adoption> {
  const entries = await listCatalogue(framework);
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    const [added, existing]: [DeadlineRow[], DeadlineRow[]] = [[], []];
    for (const { id, title, due_date: dueDate, recurrence, source, source_url: sourceUrl } of entries) {
      const entry = { framework, title, dueDate, recurrence, source, sourceUrl, catalogueId: id };
      const isPast = dueDate < isoDate(now);
      const row = isPast ? null : await insertDeadline(sql, organizationId, entry);
      const found = row ? null : await findDeadlineByKey(sql, organizationId, entry);
      if (row) added.push(row);
      if (found) existing.push(found);
    }
    return { addedDeadlines: added, presentDeadlines: existing, isNew: added.length > 0 };
  });
}
