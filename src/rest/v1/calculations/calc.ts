import { z } from "zod";
import { isDecimal } from "../../../catalogue/input/decimal.js";
import { shapeAt, show } from "../../../catalogue/problems.js";
import { MAX_PAGE_SIZE } from "../../../domain/page.js";
import { snakeCase } from "../../../domain/texts/snake-case.js";
import type { Override } from "../../catalogued.js";

interface Activity {
  readonly amount: number | string;
}

/** Result of an activity in the graph. */
interface Result {
  readonly calculation: object | null;
  readonly error: object | null;
}

interface Results<Of> {
  readonly results: readonly Of[];
}

/** Replaces an invalid amount, which would make the graph refuse all items. */
const NO_AMOUNT = "0";

/** Parts of an error that only apply to some codes. */
const HELP = {
  failed_on: true,
  available: true,
  nearest: true,
  differ_by: true,
  candidates: true,
  candidate_count: true,
} as const;

/** Removes the parts of an error that do not apply, and spells field names as in requests. */
function describeError(error: object | null): object {
  const isUnmet = error !== null && "failed_on" in error && error.failed_on !== null;
  const parts = Object.entries(error ?? {}).filter(([key, value]) =>
    Array.isArray(value) && value.length === 0
      ? isUnmet && (key === "available" || key === "nearest")
      : value !== null,
  );
  return Object.fromEntries(
    parts.map(([key, value]) => {
      if (key === "failed_on") return [key, snakeCase(value as string)];
      return [key, key === "differ_by" ? (value as string[]).map(snakeCase) : value];
    }),
  );
}

/** Returns a calculation or an error for each item. An item with an invalid amount does not affect the others. */
export const calculate: Override = (derived) => {
  const at = (shape: z.ZodType | undefined, ...path: PropertyKey[]) =>
    shapeAt(shape as z.ZodType, path) as z.ZodObject;
  const item = at(derived.input.body, "items", 0);
  const amount = z
    .union([z.number(), z.string()], "expected a decimal")
    .meta(at(item, "amount").meta() ?? {});
  const items = z.array(item.extend({ amount }).meta({ ...item.meta(), id: "CalculatedActivity" }));
  const failure = z.object({
    error: at(derived.data, "results", 0, "error").partial(HELP).meta({ id: "CalculationError" }),
  });
  const result = z.union([
    at(derived.data, "results", 0, "calculation"),
    failure.meta({ id: "CalculationFailure" }),
  ]);
  const [example] = (derived.example as Results<Result>).results;
  const itemsOf = (body: unknown) => (body as { readonly items: readonly Activity[] }).items;
  return {
    ...derived,
    input: { body: z.strictObject({ items: items.min(1).max(MAX_PAGE_SIZE) }) },
    variables: (input) => {
      const items = itemsOf(input.body).map((item) =>
        isDecimal(item.amount) ? item : { ...item, amount: NO_AMOUNT },
      );
      return derived.variables({ ...input, body: { items } });
    },
    data: z.object({ results: z.array(result) }).meta({ id: "Calculations" }),
    example: { results: [example?.calculation, { error: describeError(example?.error ?? null) }] },
    reshape: (data, body) => {
      const { results } = derived.reshape(data, body) as Results<Result>;
      const items = itemsOf(body);
      return {
        results: results.map(({ calculation, error }, index) => {
          const amount = items[index]?.amount ?? NO_AMOUNT;
          if (isDecimal(amount)) return calculation ?? { error: describeError(error) };
          const message = `amount: expected a decimal, got ${show(amount)}`;
          return { error: { code: "VALIDATION_FAILED", message } };
        }),
      };
    },
  };
};
