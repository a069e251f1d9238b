import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { writeDay } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import type { Deadline } from "../read-compliance.js";
import { EVERY } from "./deadline-fields.js";

const OPERATION = graphql(`
  query ConsoleDeadline($id: UUID!) {
    deadline(id: $id) { id framework title dueDate status completedOn evidence owner recurrence version }
  }
`);

/** The fields of a deadline that forms need. */
export type EditableDeadline = Omit<
  Deadline,
  "isDuty" | "daysRemaining" | "isOverdue" | "source" | "sourceUrl"
>;

/** Reads the current state of a deadline; null if it does not exist. */
export const readCurrent = async (id: string): Promise<EditableDeadline | null> =>
  (await run(OPERATION, { id })).deadline;

/** Returns the values of a deadline by field label. */
export const describeDeadline = (deadline: EditableDeadline) => ({
  "What is due": deadline.title,
  Owner: deadline.owner,
  "Due date": writeDay(deadline.dueDate),
  Repeats: deadline.recurrence ? EVERY[deadline.recurrence] : "never",
  Status: nameOf(deadline.status),
  ...(deadline.completedOn && {
    "Completed on": writeDay(deadline.completedOn),
    Evidence: deadline.evidence,
  }),
});
