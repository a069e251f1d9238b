import DataLoader from "dataloader";
import type { Framework } from "../domain/enums.js";
import { isoDate } from "../domain/window.js";
import { type FrameworkDeadline, listDeadlinesOfFrameworks } from "./compliance.js";
import type { TenantReader } from "./tenant.js";

export interface Loaders {
  /** The next deadlines of a framework, at most `limit`; one statement for all frameworks of a limit. */
  readonly upcomingDeadlines: (framework: Framework, limit: number) => Promise<FrameworkDeadline[]>;
}

/** Loaders of one request, bound to its tenant. */
export function createLoaders(tenant: TenantReader, now: Date): Loaders {
  const byLimit = new Map<number, DataLoader<Framework, FrameworkDeadline[]>>();
  const deadlineLoader = (limit: number) => {
    const found = byLimit.get(limit);
    if (found) return found;
    const loader = new DataLoader<Framework, FrameworkDeadline[]>(async (frameworks) => {
      const rows = await listDeadlinesOfFrameworks(tenant, { frameworks, from: isoDate(now), limit });
      return frameworks.map((framework) => rows.filter((row) => row.framework === framework));
    });
    byLimit.set(limit, loader);
    return loader;
  };
  return { upcomingDeadlines: (framework, limit) => deadlineLoader(limit).load(framework) };
}
