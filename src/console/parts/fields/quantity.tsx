import type { Problem } from "../../gateway/failure.js";
import { textOf } from "../forms/values.js";
import { Field } from "./field.js";

interface QuantityFieldProps {
  readonly label: string;
  readonly value?: number;
  readonly hint?: string;
}

/** The field of a whole number of credits, called `quantity`. */
export const QuantityField = ({ value, ...labels }: QuantityFieldProps) => (
  <Field {...labels} name="quantity" type="number" value={value === undefined ? "" : String(value)} />
);

/** The quantity in a form. */
export const readQuantity = (values: FormData): number => Number(textOf(values, "quantity"));

/** What is wrong with the quantity in a form; `most` are there, which `rest` says: "are available". */
export function checkQuantity(
  values: FormData,
  most = Number.MAX_SAFE_INTEGER,
  rest = "",
): readonly Problem[] {
  const quantity = readQuantity(values);
  if (!Number.isSafeInteger(quantity) || quantity < 1) {
    const got = textOf(values, "quantity") || "nothing";
    return [{ path: "quantity", message: `Expected a whole number from 1 on, got ${got}.` }];
  }
  if (quantity <= most) return [];
  return [{ path: "quantity", message: `Too many: ${most} ${rest}, got ${quantity}.` }];
}
