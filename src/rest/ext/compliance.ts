import { z } from "zod";
import { FRAMEWORK_STATUSES, FRAMEWORKS } from "../../domain/enums.js";
import { graphql } from "../../generated/operations.js";
import { endpoint } from "../endpoint.js";
import { lowerCase } from "./lower-case.js";

export const compliance = endpoint({
  path: "/compliance",
  summary: "Status of every registered framework, and the next 10 deadlines",
  scope: "read:compliance",
  operation: graphql(`
    query ExtCompliance {
      compliance {
        frameworks { framework status lastUpdated }
        upcomingDeadlines(first: 10) { framework title dueDate status }
      }
    }
  `),
  data: z
    .object({
      frameworks: z.array(
        z
          .object({
            framework: z.enum(FRAMEWORKS),
            status: z.enum(FRAMEWORK_STATUSES),
            last_updated: z.iso.datetime(),
          })
          .meta({ id: "FrameworkStatus" }),
      ),
      upcoming_deadlines: z
        .array(
          z
            .object({
              framework: z.enum(FRAMEWORKS),
              title: z.string(),
              due_date: z.iso.date(),
              status: z.string().meta({ description: "Such as `pending`; the list is open." }),
            })
            .meta({ id: "Deadline" }),
        )
        .max(10),
    })
    .meta({ id: "Compliance" }),
  example: {
    frameworks: [
      { framework: "EU_CBAM", status: "action_required", last_updated: "2026-11-08T09:00:00.000Z" },
    ],
    upcoming_deadlines: [
      { framework: "EU_CBAM", title: "Annual CBAM declaration", due_date: "2027-09-30", status: "pending" },
    ],
  },
  reshape: ({ compliance }) => ({
    frameworks: compliance.frameworks.map(({ framework, status, lastUpdated }) => ({
      framework,
      status: lowerCase(status),
      last_updated: lastUpdated.toISOString(),
    })),
    upcoming_deadlines: compliance.upcomingDeadlines.map(({ framework, title, dueDate, status }) => ({
      framework,
      title,
      due_date: dueDate,
      status,
    })),
  }),
});
