import { z } from "zod";
import type { AdmittedContext } from "../../../access/context.js";
import type { VsmeReport } from "../../../domain/inventory/vsme.js";
import { type ReportingEntity, writeXbrlJson } from "../../../domain/inventory/xbrl-json.js";
import { AppError } from "../../../errors.js";
import type { DownloadEndpoint } from "../../endpoint.js";

/** Reports of the caller's organization. */
export interface Reporting {
  /** Reads the VSME report of a year; null if no policy applies to it. */
  readVsme(
    context: AdmittedContext,
    request: { readonly year: number; readonly turnover?: string | undefined; readonly lei?: string | undefined },
  ): Promise<(VsmeReport & { readonly entity: ReportingEntity }) | null>;
}
