import type { DeadlineRow } from "../../data/compliance/compliance.js";
import { findDeadlineByKey, insertDeadline } from "../../data/compliance/write-deadlines.js";
import { write } from "../../data/database/transaction.js";
import type { Framework } from "../../domain/enums.js";
import { isoDate } from "../../domain/window.js";
import { type CataloguedDeadline, readDeadlineCatalogue } from "../../files/reference/deadline-catalogue.js";
import { REFERENCE_FOLDER } from "../../paths.js";
import type { ActorContext } from "../actor-context.js";

/** Lists the catalogue's deadlines of a framework, by due date. */
export async function listCatalogue(framework: Framework): Promise<readonly CataloguedDeadline[]> {
  const catalogue = await readDeadlineCatalogue(REFERENCE_FOLDER);
  return catalogue.filter((entry) => entry.framework === framework);
}

let events: Promise<ReadonlySet<string>> | undefined;

/** Returns false for a deadline with the framework and title of an event in the catalogue, by which nobody acts. */
export async function isDuty({
  framework,
  title,
}: Pick<DeadlineRow, "framework" | "title">): Promise<boolean> {
  events ??= readDeadlineCatalogue(REFERENCE_FOLDER).then(
    (catalogue) => new Set(catalogue.filter((entry) => !entry.is_duty).map(nameEvent)),
    (error: unknown) => {
      // Lets the next request try again.
      events = undefined;
      throw error;
    },
  );
  return !(await events).has(nameEvent({ framework, title }));
}

const nameEvent = ({ framework, title }: Pick<DeadlineRow, "framework" | "title">) => `${framework} ${title}`;

/** Result of adopting the deadlines of a framework. */
export interface Adoption {
  readonly addedDeadlines: readonly DeadlineRow[];
  /** Deadlines that existed before. */
  readonly presentDeadlines: readonly DeadlineRow[];
  /** True if any deadline was added. */
  readonly isNew: boolean;
}

/** Adds the catalogue's deadlines of a framework that are missing and not past. */
export async function adoptDeadlines(
  { resources, writer, now }: ActorContext,
  framework: Framework,
): Promise<Adoption> {
  const entries = await listCatalogue(framework);
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    const [added, present]: [DeadlineRow[], DeadlineRow[]] = [[], []];
    for (const { id, title, due_date: dueDate, recurrence, source, source_url: sourceUrl } of entries) {
      const entry = { framework, title, dueDate, recurrence, source, sourceUrl, catalogueId: id };
      const isPast = dueDate < isoDate(now);
      const row = isPast ? null : await insertDeadline(sql, organizationId, entry);
      const there = row ? null : await findDeadlineByKey(sql, organizationId, entry);
      if (row) added.push(row);
      if (there) present.push(there);
    }
    return { addedDeadlines: added, presentDeadlines: present, isNew: added.length > 0 };
  });
}
