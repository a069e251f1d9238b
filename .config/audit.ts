import { spawnSync } from "node:child_process";

/** Advisories accepted up to a day, by id. docs/SECURITY.md says which ones, and for how long. */
const EXCEPTIONS: Readonly<Record<string, { readonly until: string; readonly reason: string }>> = {};

interface Advisory {
  readonly name: string;
  readonly severity: string;
  readonly title: string;
  readonly url: string;
}

interface Report {
  readonly auditReportVersion?: number;
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, { readonly via: readonly (string | Advisory)[] }>>;
}

const isStrict = process.argv.includes("--strict");
const options = ["--omit=dev", "--json", "--fetch-retries=0", "--fetch-timeout=10000"];
const { stdout, error } = spawnSync("npm", ["audit", ...options], {
  encoding: "utf8",
  timeout: 60_000,
  maxBuffer: 100 << 20,
});
const report = readReport(stdout ?? "");

if (report.auditReportVersion === undefined) {
  const reason = error?.message ?? report.message ?? "it returned no report";
  console.error(`The dependencies were NOT audited: npm audit failed (${reason}).`);
  process.exitCode = isStrict ? 1 : 0;
} else {
  const today = new Date().toISOString().slice(0, 10);
  const all = Object.values(report.vulnerabilities ?? {}).flatMap(({ via }) => via);
  const advisories = all.filter((one) => typeof one === "object");
  const severe = advisories.filter(({ severity }) => severity === "high" || severity === "critical");
  const open = severe.filter(({ url }) => (EXCEPTIONS[url.split("/").at(-1) ?? ""]?.until ?? "") < today);
  for (const { severity, name, title, url } of open) console.error(`${severity}: ${name}: ${title} (${url})`);
  console.error(
    `Advisories about production dependencies: ${advisories.length}; high or critical: ${severe.length}; without an exception: ${open.length}.`,
  );
  if (open.length > 0) process.exitCode = 1;
}

function readReport(text: string): Report {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
