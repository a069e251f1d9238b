import { AppError } from "../errors.js";

const MOST = 100;

/** A list's size as asked for, 1 to 100; throws BAD_USER_INPUT for any other. */
export function requirePageSize(first: number): number {
  if (first >= 1 && first <= MOST) return first;
  throw new AppError("BAD_USER_INPUT", `first must be 1 to ${MOST}, and is ${first}.`);
}
