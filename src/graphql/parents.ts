import type { ComplianceStatus } from "../generated/prisma/client.js";

/** A type whose fields all read for themselves. */
export type NoParent = Record<never, never>;

export interface BenchmarksParent {
  readonly sector: string | null | undefined;
}

export type FrameworkStateParent = Pick<ComplianceStatus, "framework" | "status" | "lastUpdated">;

/** The driver gives calendar dates as points in time at midnight UTC, or as text. */
export interface DeadlineParent {
  readonly framework: ComplianceStatus["framework"];
  readonly title: string;
  readonly dueDate: Date;
  readonly status: string;
}
