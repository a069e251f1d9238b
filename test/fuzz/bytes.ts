import fc from "fast-check";

/** A string in which each character is one byte on the wire. */
export type Bytes = string;

/** Returns the UTF-8 bytes of a string, which may contain lone surrogates. */
export const utf8 = (text: string): Bytes => Buffer.from(text, "utf8").toString("latin1");

/** Strings that have broken programs before. */
export const NASTY = [
  "",
  " ",
  "\0",
  "a\0b",
  "%00",
  "%",
  "%%",
  "%zz",
  "%C3%28",
  "%ED%A0%80",
  "%2e%2e%2f",
  "..",
  "../../etc/passwd",
  "\u00e9",
  "e\u0301",
  "\ufeff",
  "\u202e",
  "\ud800",
  "\udc00x",
  "\u{1f600}",
  "ı",
  "ß",
  "\u2028",
  "\ufffd",
  "\x7f",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "then",
  "null",
  "undefined",
  "NaN",
  "true",
  "-0",
  "-1",
  "0",
  "1e400",
  "-1e400",
  "1e-400",
  "2147483648",
  "9007199254740993",
  "99999999999999999999999",
  "2025-02-30",
  "0000-01-01",
  "+275760-09-13",
  "-000001-01-01",
  "2026-11-20T10:00:00Z",
  "9999-12-31",
  "1900-1-1",
  "' OR 1=1 --",
  '"; DROP TABLE x',
  "{{7*7}}",
  "<script>alert(1)</script>",
  "\\u0000",
  "\\",
  '\\"',
  '"',
  "\r\nSet-Cookie: a=b",
  "\n",
  "\t",
  ",",
  ";",
  "=",
  "a=b; c=d",
  "x".repeat(300),
  "é".repeat(300),
] as const;

/** Any string, nasty ones among them. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 2, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...NASTY), fc.constantFrom(...NASTY)).map((two) => two.join("")),
  },
);

/** Any bytes, in no particular encoding. */
export const anyBytes: fc.Arbitrary<Bytes> = fc.oneof(
  anyText.map(utf8),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
);

/** Changes of the bytes before, at and after a place; some put `inserted` there. */
const CHANGES = {
  insert: (head: Bytes, part: Bytes, tail: Bytes, inserted: Bytes) => head + inserted + part + tail,
  replace: (head: Bytes, _part: Bytes, tail: Bytes, inserted: Bytes) => head + inserted + tail,
  delete: (head: Bytes, _part: Bytes, tail: Bytes) => head + tail,
  repeat: (head: Bytes, part: Bytes, tail: Bytes) => head + part + part + tail,
  flip: (head: Bytes, part: Bytes, tail: Bytes) =>
    head + String.fromCharCode((part.charCodeAt(0) || 0) ^ (1 << (part.length % 8))) + part.slice(1) + tail,
  cut: (head: Bytes) => head,
};

interface Mutation {
  readonly kind: keyof typeof CHANGES;
  /** Fraction of the length, from 0 to 1. */
  readonly place: number;
  readonly length: number;
  readonly inserted: Bytes;
}

const mutation = fc.record<Mutation>({
  kind: fc.constantFrom("insert", "insert", "replace", "delete", "repeat", "flip", "cut"),
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 60 })),
  inserted: anyBytes,
});

/** One to three changes anywhere, which make valid bytes nearly valid. */
export const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });

export function mutate(bytes: Bytes, changes: readonly Mutation[]): Bytes {
  let changed = bytes;
  for (const { kind, place, length, inserted } of changes) {
    const at = Math.floor(place * changed.length);
    const end = at + length;
    changed = CHANGES[kind](changed.slice(0, at), changed.slice(at, end), changed.slice(end), inserted);
  }
  return changed;
}
