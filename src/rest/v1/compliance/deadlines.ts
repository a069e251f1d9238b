import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { flag, listOf, upperCase } from "../../../catalogue/values.js";
import { DEADLINE_STATUSES } from "../../../domain/compliance/deadlines.js";
import { FRAMEWORKS } from "../../../domain/enums.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import {
  DEADLINE_EXAMPLE,
  deadlineParams,
  deadlineShape,
  describeDeadline,
  recurrenceShape,
} from "./deadline.js";

const filters = {
  framework: listOf(FRAMEWORKS, "Only deadlines of these frameworks"),
  status: listOf(DEADLINE_STATUSES, "Only deadlines with one of these statuses"),
  from: z.iso.date().optional().meta({ description: "Only deadlines due on this day or later." }),
  to: z.iso.date().optional().meta({ description: "Only deadlines due on this day or earlier." }),
  overdue: flag("`true`: only those that are pending and past; `false`: only the others."),
};

/** The organization's deadlines. */
export const deadlines = [
  endpoint({
    path: "/compliance/deadlines",
    summary: "The organization's deadlines, past ones too, by due date",
    scope: "read:compliance",
    operation: graphql(`
      query RestDeadlines($filter: DeadlineFilter, $first: Int, $after: String) {
        compliance {
          deadlines(filter: $filter, first: $first, after: $after) {
            nodes { ...DeadlineFields }
            pageInfo { hasNextPage endCursor }
          }
        }
      }
    `),
    query: listQuery.extend(filters),
    variables: ({ query: { framework, status, from, to, overdue, ...page } }) => ({
      filter: {
        frameworks: framework,
        statuses: status,
        dueFrom: from,
        dueTo: to,
        overdue,
      },
      ...pageOf(page),
    }),
    data: pageShape("ComplianceDeadlines", deadlineShape),
    example: { items: [DEADLINE_EXAMPLE], next_cursor: null },
    reshape: ({ compliance: { deadlines } }) => ({
      items: deadlines.nodes.map(describeDeadline),
      next_cursor: nextCursor(deadlines.pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/compliance/deadlines",
    summary: "Adds a deadline, unless it is there already",
    scope: "write:compliance",
    operation: graphql(`
      mutation RestCreateDeadline($input: DeadlineInput!) {
        createDeadline(input: $input) {
          isNew
          deadline { ...DeadlineFields }
        }
      }
    `),
    body: z.strictObject({
      framework: z.enum(FRAMEWORKS),
      title: z.string(),
      due_date: z.iso.date(),
      status: z.literal("pending").optional().meta({ description: "What every new deadline is." }),
      recurrence: recurrenceShape.optional(),
      source: z.string().nullish().meta({ description: "Where the date comes from." }),
      source_url: z.string().nullish(),
    }),
    variables: ({ body: { framework, title, due_date, recurrence, source, source_url } }) => ({
      input: {
        framework,
        title,
        dueDate: due_date,
        source: source ?? null,
        sourceUrl: source_url ?? null,
        recurrence: recurrence ? upperCase(recurrence) : null,
      },
    }),
    data: deadlineShape,
    example: DEADLINE_EXAMPLE,
    reshape: ({ createDeadline: { deadline } }) => describeDeadline(deadline),
    createdId: ({ id }, { createDeadline }) => (createDeadline.isNew ? id : undefined),
    mayExist: true,
    version: ({ version }) => version,
  }),
  endpoint({
    path: "/compliance/deadlines/{id}",
    summary: "A deadline",
    scope: "read:compliance",
    operation: graphql(`
      query RestDeadline($id: UUID!) {
        deadline(id: $id) { ...DeadlineFields }
      }
    `),
    params: deadlineParams,
    variables: ({ params }) => params,
    data: deadlineShape,
    example: DEADLINE_EXAMPLE,
    reshape: ({ deadline }) => describeDeadline(deadline),
    version: ({ version }) => version,
    // A pending one becomes overdue by time alone.
    isVersioned: ({ status }) => status !== "pending",
  }),
];
