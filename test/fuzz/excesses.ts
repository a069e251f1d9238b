import fc from "fast-check";

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(" ");

/** Documents with slightly or far too much of one thing. */
export const excesses = fc
  .oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 40, max: 3_000 }))
  .chain((count) =>
    fc.constantFrom(
      `{ ${times(count, (i) => `a${i}: organization { name }`)} }`,
      `{ organization { ${times(count, (i) => `a${i}: name`)} } }`,
      `{ organization { name ${times(count, () => "@include(if: true)")} } }`,
      `{ organization ${"{ organization ".repeat(count)}${"}".repeat(count)} }`,
      `{ ${"... { ".repeat(count)} organization { name } ${"}".repeat(count)} }`,
      `{ ...F0 } ${times(count, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)}`,
      `{ emissions { records(filter: {categories: [${times(count, (i) => `"c${i}"`)}]}) { totalCount } } }`,
      `{ emissions(range: ${"[".repeat(count)}${"]".repeat(count)}) { recordCount } }`,
      `{ benchmarks(sector: ${"{a: ".repeat(count)}1${"}".repeat(count)}) { items { sector } } }`,
      `query (${times(count, (i) => `$v${i}: Int`)}) { organization { name } }`,
      `query ($v: ${"[".repeat(count)}Int${"]".repeat(count)}) { organization { name } }`,
      `{ __schema { ${"types { fields { type { ".repeat(count)} name ${"} } }".repeat(count)} } }`,
      `{ organization { name } } # ${"x".repeat(count * 50)}`,
      `${"{".repeat(count)}`,
      `{ benchmarks(sector: "${"\\u{1F600}".repeat(count)}") { items { sector } } }`,
      `{ benchmarks(sector: """${"\n ".repeat(count)}""") { items { sector } } }`,
      `${"\ufeff".repeat(count)}{ organization { name } }`,
    ),
  );
