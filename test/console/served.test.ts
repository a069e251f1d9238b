import { describe, expect, it } from "vitest";
import { useGateway } from "../support/use.js";

const gateway = useGateway();
const closed = useGateway(() => ({ env: { CONSOLE: "false" }, database: gateway.database }));

const browse = (path: string, init: RequestInit = {}, app = gateway) =>
  fetch(`${app.url}${path}`, { headers: { Accept: "text/html,*/*;q=0.8" }, redirect: "manual", ...init });

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

describe("the console", () => {
  it.each(["/console", "/console/", "/console/records", "/console/settings/api-keys"])(
    "is the same page, which is never cached, at %s",
    async (path) => {
      const answer = await browse(path);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("content-security-policy")).toBe(POLICY);
      const page = await answer.text();
      expect(page).toContain("The console needs JavaScript.");
      expect(page).not.toMatch(/<style|<script(?![^>]* src=)| (?:style|on\w+)=/);
    },
  );

  it("serves files that are cached for a year, compressed as the browser prefers", async () => {
    const page = await (await browse("/console/")).text();
    const files = [...page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(
      ([, path = ""]) => path,
    );
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files) {
      const texts = new Set<string>();
      for (const [accepted, coding] of [
        ["gzip, deflate, br", "br"],
        ["gzip", "gzip"],
        ["identity", null],
      ] as const) {
        const answer = await browse(file, { headers: { "Accept-Encoding": accepted } });
        expect([answer.status, answer.headers.get("content-encoding")]).toEqual([200, coding]);
        expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
        expect(answer.headers.get("vary")).toBe("Accept-Encoding");
        expect(answer.headers.get("content-type")).toMatch(/^text\/(?:css|javascript); charset=utf-8$/);
        texts.add(await answer.text());
      }
      expect(texts.size).toBe(1);
    }
  });

  it("serves nothing else", async () => {
    for (const path of [
      "/console/assets/x.js",
      "/console/assets/..%2findex.html",
      "/console/index.html",
      "/console/x.txt",
    ]) {
      const answer = await browse(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.json()).toMatchObject({ success: false, error: { code: "NOT_FOUND" } });
    }
    expect((await browse("/console/", { method: "POST" })).status).toBe(405);
  });

  it("is where a browser at / is redirected, but not a program", async () => {
    const answer = await browse("/");
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/console/"]);
    expect((await browse("/", { headers: { Accept: "*/*" } })).status).toBe(200);
  });

  it("is not served if CONSOLE is false", async () => {
    expect((await browse("/console/", {}, closed)).status).toBe(404);
    expect((await browse("/", {}, closed)).status).toBe(200);
  });
});

describe("the explorer", () => {
  it("opens with an operation of the console, and shows no foreign text", async () => {
    const open = async (query: Record<string, string>) => {
      const answer = await browse(`/graphiql/?${new URLSearchParams(query)}`);
      expect(answer.status).toBe(200);
      return answer.text();
    };
    const variables = JSON.stringify({ range: "</script><script>`" });
    const page = await open({ operation: "ConsoleEmissionsQuery", variables });
    expect(page).toContain("query ConsoleEmissions($range: DateRangeInput)");
    expect(page.split("</script>")).toHaveLength((await open({})).split("</script>").length);
    expect(page).toContain("\\\\u003c/script>\\\\u003cscript>\\`");
    expect(await open({ operation: "constructor", variables })).toBe(await open({}));
    expect(await open({ operation: "ConsoleEmissionsQuery", variables: "evil" })).not.toContain("evil");
  });
});
