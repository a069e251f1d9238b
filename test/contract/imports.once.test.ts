import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * Layers from the top. A file may import from its own room and from the rooms of lower layers; rooms that share a layer
 * never import each other.
 */
const LAYERS = [
  ["console"],
  ["main", "served"],
  ["commands"],
  ["app"],
  ["routes"],
  ["graphql", "rest", "mcp", "pages", "telemetry"],
  ["catalogue"],
  ["actions"],
  ["access", "limits"],
  ["http"],
  ["data", "files", "delivery"],
  ["generated", "config", "log", "paths", "regions", "subnet", "threads", "time-limit", "turns"],
  ["errors"],
  ["domain"],
];
const PURE = new Set(["errors", "domain"]);

const groupOf = (file: string) => file.replace(/\.tsx?$/, "").split("/")[0] ?? "";
const layerOf = (group: string) => LAYERS.findIndex((groups) => groups.includes(group));

const files = (await readdir("src", { recursive: true })).map((file) => file.replaceAll("\\", "/"));
const sources = await Promise.all(
  files
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("generated/"))
    .map(async (file) => ({ file, text: await readFile(`src/${file}`, "utf8") })),
);
const imports = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/^(?:import|export)\b[^;"'=]*?["']([^"']+)["'];$|\bimport\(["']([^"']+)["']\)/gm)].map(
    ([, static_, dynamic]) => ({ file, from: static_ ?? dynamic ?? "" }),
  ),
);

const withoutComments = (text: string) => text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");

const sourceOf = (built: string) =>
  [".ts", ".tsx"].map((ending) => built.replace(/\.js$/, ending)).find((file) => files.includes(file)) ??
  built;

/** All imports between files of src. */
const edges = imports
  .filter(({ from }) => from.startsWith("."))
  .map(({ file, from }) => [file, sourceOf(posix.join(posix.dirname(file), from))] as const);

describe("src", () => {
  it("is imported one way: from the top layer down, never between the rooms of a layer", () => {
    expect(edges.length).toBeGreaterThan(150);
    const rooms = new Set(edges.flatMap((edge) => edge.map(groupOf)));
    expect([...rooms].filter((room) => layerOf(room) < 0)).toEqual([]);
    const wrong = edges.filter((edge) => {
      const [from, to] = edge.map(groupOf) as [string, string];
      return from !== to && layerOf(from) >= layerOf(to);
    });
    expect(wrong).toEqual([]);
  });

  it("has no circular imports", () => {
    const importsOf = new Map<string, string[]>();
    for (const [from, to] of edges) importsOf.set(from, [...(importsOf.get(from) ?? []), to]);
    const done = new Set<string>();
    const circles: string[][] = [];
    const follow = (file: string, way: readonly string[]) => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file]);
      if (way.includes(file) || done.has(file)) return;
      for (const to of importsOf.get(file) ?? []) follow(to, [...way, file]);
      done.add(file);
    };
    for (const file of importsOf.keys()) follow(file, []);
    expect(circles).toEqual([]);
  });

  it("reaches neither data/ nor actions/ from rest/: except for sessions, endpoints read and write only through operations", () => {
    const reached = edges.filter(([from, to]) => groupOf(from) === "rest" && /^(?:data|actions)\//.test(to));
    const ofSessions = /^actions\/(?:accounts|second-factors|sessions|sso)\//;
    expect(reached.filter(([, to]) => !ofSessions.test(to))).toEqual([]);
    expect([...new Set(reached.map(([from]) => from))]).toEqual([
      "rest/v1/index.ts",
      "rest/v1/people/auth.ts",
      "rest/v1/people/factors.ts",
      "rest/sso/endpoint.ts",
    ]);
  });

  it("gives console/, which runs in browsers, only the types of its operations and pure rules of domain/", () => {
    const fromConsole = edges.filter(([from]) => groupOf(from) === "console");
    const outside = fromConsole.map(([, to]) => to).filter((to) => !/^(?:console|domain)\//.test(to));
    expect([...new Set(outside)]).toEqual(["generated/console.ts"]);
  });

  it("writes only through data/database/transaction.ts, and never through Prisma", () => {
    const prismaWrite =
      /\.\$(?:transaction|executeRaw)|\.(?:create|update|upsert|delete)(?:Many\w*|AndReturn)?\(\{/;
    expect(sources.filter(({ text }) => prismaWrite.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it("reads data for resolvers and the chat only through the tenant reader", () => {
    const using = (pattern: RegExp) =>
      sources
        .filter(
          ({ file, text }) =>
            /^(?:graphql|actions\/chat)\//.test(file) && pattern.test(withoutComments(text)),
        )
        .map(({ file }) => file)
        .toSorted();
    expect(using(/\bdatabase\??\.|\bprisma\b/)).toEqual([]);
    expect(using(/\btenant\b/).length).toBeGreaterThan(20);
    // These may use the database directly: the platform belongs to super admins, verifying a trail takes longer than a
    // request may, a verifier reads as the organization of the request, and the others write.
    expect(using(/\bdatabase\b(?!\/)/)).toEqual([
      "actions/chat/chat.ts",
      "graphql/resolvers/emissions/activity-mappings.ts",
      "graphql/resolvers/emissions/imports.ts",
      "graphql/resolvers/people/audit.ts",
      "graphql/resolvers/platform/monitoring.ts",
      "graphql/resolvers/verification/requests.ts",
    ]);
  });

  it("bypasses the tenant reader only before a tenant is known, and for jobs, commands and super admins", () => {
    const direct = /\bdatabase\.select\b|\{ (?:select|prisma) \}:/;
    const rooms = /^(?:access|actions|data\/(?!database\/|platform\/|tenant\/))/;
    const reading = sources.filter(
      ({ file, text }) => rooms.test(file) && direct.test(withoutComments(text)),
    );
    const jobs = ["due-deadlines", "mail-jobs", "organizations-to-notify", "outbox"];
    // Links, tokens and passwords, which identify a caller.
    const callers = [
      "accounts",
      "addition-links",
      "invitations",
      "mail-links",
      "refresh-tokens",
      "sign-in-links",
      "users",
    ];
    // Chains of the platform and of removed organizations are checked too.
    const trail = ["chain-pages", "chain", "check-chain", "verify-chain"];
    expect(reading.map(({ file }) => file).toSorted()).toEqual(
      [
        ...jobs.map((name) => `data/notifications/${name}.ts`),
        ...callers.map((name) => `data/people/${name}.ts`),
        ...trail.map((name) => `data/audit/${name}.ts`),
        "actions/accounts/follow-link.ts",
        // Reads the organization that an import is for before its transaction.
        "actions/imports/import-records.ts",
        // Reads the recipient of an e-mail.
        "actions/notifications/link-mail.ts",
        "actions/second-factors/own-factors.ts",
        "actions/second-factors/policy.ts",
        // Reads the caller's claims before any data of an organization.
        "data/idempotency/claims.ts",
        // Reads only numbers of entries, of organizations with open streams.
        "data/events/heads.ts",
        // For commands and authentication.
        "data/factors/factors.ts",
        "data/keys/key-events.ts",
        "data/keys/keys.ts",
        "data/keys/sealed-secrets.ts",
        "data/organizations/organizations.ts",
        "data/service-accounts/accounts.ts",
        // For anyone with a certificate's number, and a verifier who opens a link.
        "data/verification/certificates.ts",
        "data/verification/write-verifiers.ts",
        // For visitors, whose e-mail address determines their provider.
        "data/sso/connections.ts",
        "data/sso/enforcement.ts",
        // For the job and the command that check domains.
        "data/domains/write-domains.ts",
        // For the lane that sends events to endpoints.
        "data/webhooks/claims.ts",
      ].toSorted(),
    );
  });

  it("keeps domain/ and errors.ts free of libraries and of imports from elsewhere", () => {
    const pure = imports.filter(({ file }) => PURE.has(groupOf(file)));
    expect(pure.length).toBeGreaterThan(0);
    expect(pure.filter(({ file, from }) => !from.startsWith(".") || file === "errors.ts")).toEqual([]);
  });

  it.each([
    ["the environment", /process\.env\b/, ["main.ts"]],
    // openid-client reads the system's clock, and gets its difference from the gateway's.
    ["the clock", /\bnew Date\(\)|\bDate\.now\(/, ["main.ts", "access/sso/exchange.ts"]],
  ])("reads %s in as few places as it must", (_what, pattern, places) => {
    const served = sources.filter(({ file }) => groupOf(file) !== "console");
    const readers = served.filter(({ text }) => pattern.test(withoutComments(text)));
    expect(readers.map(({ file }) => file)).toEqual(places);
  });

  it("creates its one clock once", () => {
    const served = sources.filter(({ file }) => groupOf(file) !== "console");
    expect(served.flatMap(({ text }) => text.match(/\bnew Date\(\)/g) ?? [])).toHaveLength(1);
  });
});
