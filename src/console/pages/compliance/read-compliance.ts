import { type ConsoleComplianceQuery, type Framework, graphql } from "../../../generated/console.js";
import { FRAMEWORK_NAMES } from "../../parts/frameworks.js";

/** Frameworks, deadlines that match a filter, and a page of CCTS periods. */
export const READ_COMPLIANCE = graphql(`
  query ConsoleCompliance($filter: DeadlineFilter!, $after: String) {
    compliance {
      frameworks {
        framework
        status
        note
        lastUpdated
        version
        upcomingDeadlines(first: 1) { dueDate daysRemaining }
      }
      deadlines(filter: $filter, first: 100) {
        nodes {
          id
          framework
          title
          isDuty
          dueDate
          daysRemaining
          status
          isOverdue
          completedOn
          evidence
          owner
          recurrence
          source
          sourceUrl
          version
        }
        totalCount
      }
      cctsPeriods(first: 25, after: $after) {
        nodes {
          id
          entity
          financialYear
          targetGei
          targetGeiExact
          targetSourceUrl
          achievedGei
          achievedGeiExact
          output
          outputExact
          averagePriceExact
          surplus
          toIssue
          toSurrender
          surrendered
          compensation
          compensationMessage
          version
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

/** The insights about compliance. */
export const READ_INSIGHTS = graphql(`
  query ConsoleComplianceInsights { compliance { insights { ...ConsoleInsight } } }
`);

type Answered = NonNullable<ConsoleComplianceQuery["compliance"]>;

/** The organization's status in a framework. */
export type FrameworkState = Answered["frameworks"][number];

/** The deadlines on the page. */
export type Deadlines = Answered["deadlines"];

/** A deadline, with its evidence if completed. */
export type Deadline = Deadlines["nodes"][number];

/** A page of CCTS periods. */
export type Periods = Answered["cctsPeriods"];

/** A financial year of an obligated entity in CCTS. */
export type Period = Periods["nodes"][number];

/** Returns the number of certificates still due for a period. */
export const certificatesDue = ({ toSurrender, surrendered }: Period): number => toSurrender - surrendered;

/** Every framework, in the order of the schema. */
export const FRAMEWORKS = Object.keys(FRAMEWORK_NAMES) as Framework[];
