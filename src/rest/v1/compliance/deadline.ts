import { z } from "zod";
import { uuidShape } from "../../../catalogue/values.js";
import { RECURRENCES } from "../../../domain/compliance/deadlines.js";
import { FRAMEWORKS } from "../../../domain/enums.js";
import { type DeadlineFieldsFragment, graphql } from "../../../generated/operations.js";
import { lowerCase } from "../../ext/lower-case.js";

/** The path's parameter: a deadline's id. */
export const deadlineParams = z.object({ id: uuidShape });

/** The shape of how often a deadline comes again. */
export const recurrenceShape = z.enum(RECURRENCES).nullable().meta({ description: "Null for once." });

/** The shape of a deadline. */
export const deadlineShape = z
  .object({
    id: z.uuid(),
    framework: z.enum(FRAMEWORKS),
    title: z.string(),
    due_date: z.iso.date(),
    status: z.string().meta({
      description:
        "`pending`, `completed`, `missed` or `waived`; what was loaded from a bundle may have others.",
    }),
    overdue: z.boolean().meta({ description: "Whether it is pending, and its day is past." }),
    completed_on: z.iso.date().nullable(),
    evidence: z.string().nullable().meta({ description: "What shows that it was completed." }),
    recurrence: recurrenceShape,
    source: z.string().nullable().meta({ description: "Where the date comes from." }),
    source_url: z.url().nullable(),
    version: z.int(),
  })
  .meta({ id: "ComplianceDeadline" });

export const DEADLINE_EXAMPLE: z.infer<typeof deadlineShape> = {
  id: "5b0f8f4e-6f55-4c55-9d57-2b8a9c0e7d16",
  framework: "SG_CCS",
  title: "Monitoring plan submission (facilities that became taxable this year)",
  due_date: "2026-12-31",
  status: "pending",
  overdue: false,
  completed_on: null,
  evidence: null,
  recurrence: "annual",
  source: "NEA, Measurement and reporting requirements for greenhouse gas emissions",
  source_url:
    "https://www.nea.gov.sg/our-services/climate-change-energy-efficiency/climate-change/carbon-tax",
  version: 1,
};

graphql(`
  fragment DeadlineFields on Deadline {
    id framework title dueDate status overdue completedOn evidence recurrence source sourceUrl version
  }
`);

/** A deadline of the graph in REST's spelling. */
export const describeDeadline = (deadline: DeadlineFieldsFragment): z.infer<typeof deadlineShape> => ({
  id: deadline.id,
  framework: deadline.framework,
  title: deadline.title,
  due_date: deadline.dueDate,
  status: deadline.status,
  overdue: deadline.overdue,
  completed_on: deadline.completedOn ?? null,
  evidence: deadline.evidence ?? null,
  recurrence: deadline.recurrence ? lowerCase(deadline.recurrence) : null,
  source: deadline.source ?? null,
  source_url: deadline.sourceUrl ?? null,
  version: deadline.version,
});
