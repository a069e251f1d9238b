import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";

/** Layers from the top; a file may import from its own group and from those after it. Groups of one line never meet. */
const LAYERS = [
  ["main"],
  ["commands"],
  ["app"],
  ["routes"],
  ["http", "graphql", "rest", "limits", "operations", "pages"],
  ["context", "failure"],
  ["auth"],
  ["data"],
  ["generated", "config", "log", "paths"],
  ["errors"],
  ["domain"],
];
/** What a line of LAYERS does not say, each with its reason. */
const ALLOWED = new Set([
  "http → rest", // failures are answered in REST's envelope
  "http → operations", // types only
  "operations → http", // a request's method
  "operations → limits", // reports where requests are counted
  "generated → context", // types only
  "generated → graphql", // types only
]);
const PURE = new Set(["errors", "domain"]);

const groupOf = (file: string) => file.replace(/\.ts$/, "").split("/")[0] ?? "";
const layerOf = (group: string) => LAYERS.findIndex((groups) => groups.includes(group));

const files = (await readdir("src", { recursive: true })).map((file) => file.replaceAll("\\", "/"));
const sources = await Promise.all(
  files
    .filter((file) => file.endsWith(".ts") && !file.startsWith("generated/prisma/"))
    .map(async (file) => ({ file, text: await readFile(`src/${file}`, "utf8") })),
);
const imports = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/^(?:import|export)\b[^;"'=]*?["']([^"']+)["'];$|\bimport\(["']([^"']+)["']\)/gm)].map(
    ([, static_, dynamic]) => ({ file, from: static_ ?? dynamic ?? "" }),
  ),
);

describe("src", () => {
  it("is imported one way: from the top layer down, never between the parts of a layer", () => {
    const edges = imports
      .filter(({ from }) => from.startsWith("."))
      .map(
        ({ file, from }) =>
          [file, groupOf(file), groupOf(posix.join(posix.dirname(file), from.replace(/\.js$/, "")))] as const,
      );
    expect(edges.length).toBeGreaterThan(150);
    const groups = new Set(edges.flatMap(([, ...ends]) => ends));
    expect([...groups].filter((group) => layerOf(group) < 0)).toEqual([]);
    const wrong = edges.filter(
      ([, group, other]) =>
        group !== other && layerOf(group) >= layerOf(other) && !ALLOWED.has(`${group} → ${other}`),
    );
    expect(wrong).toEqual([]);
  });

  it("reads no database from rest/: an endpoint can get data only by a query", () => {
    expect(imports.filter(({ file, from }) => file.startsWith("rest/") && from.includes("/data/"))).toEqual(
      [],
    );
  });

  it("keeps domain/ and errors.ts free of libraries, and of everything but each other", () => {
    const pure = imports.filter(({ file }) => PURE.has(groupOf(file)));
    expect(pure.length).toBeGreaterThan(0);
    expect(pure.filter(({ file, from }) => !from.startsWith("./") || !file.startsWith("domain/"))).toEqual(
      [],
    );
  });

  it.each([
    ["the environment", /process\.env\b/],
    ["the clock", /\bnew Date\(\)|\bDate\.now\(/],
  ])("reads %s in main.ts alone", (_what, pattern) => {
    const readers = sources.filter(({ text }) => pattern.test(text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, "")));
    expect(readers.map(({ file }) => file)).toEqual(["main.ts"]);
  });

  it("makes its one clock once", () => {
    expect(sources.flatMap(({ text }) => text.match(/\bnew Date\(\)/g) ?? [])).toHaveLength(1);
  });
});
