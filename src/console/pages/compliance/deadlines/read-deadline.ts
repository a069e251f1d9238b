import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { nameOf } from "../../../parts/names.js";
import type { Deadline } from "../read-compliance.js";
import { EVERY } from "./deadline-fields.js";

const OPERATION = graphql(`
  query ConsoleDeadline($id: UUID!) {
    deadline(id: $id) { id framework title dueDate status completedOn evidence recurrence version }
  }
`);

/** A deadline as a form changes it. */
export type EditableDeadline = Omit<Deadline, "daysRemaining" | "isOverdue" | "source" | "sourceUrl">;

/** Reads what a deadline is now; null if there is none. */
export const readPresent = async (id: string): Promise<EditableDeadline | null> =>
  (await run(OPERATION, { id })).deadline;

/** What a deadline says, by the labels of the fields. */
export const describeDeadline = (deadline: EditableDeadline) => ({
  "What is due": deadline.title,
  "Due date": deadline.dueDate,
  "Comes again": deadline.recurrence ? EVERY[deadline.recurrence] : "never",
  Status: nameOf(deadline.status),
  ...(deadline.completedOn && { "Completed on": deadline.completedOn, Evidence: deadline.evidence }),
});
