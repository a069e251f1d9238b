import type { Problem } from "../../gateway/failure.js";

/** Returns the value of a text field. */
export const textOf = (values: FormData, name: string): string => String(values.get(name) ?? "");

/** Returns the trimmed value of a text field; null if it is empty. */
export const optionalOf = (values: FormData, name: string): string | null =>
  textOf(values, name).trim() || null;

/** Returns a problem for a field unless `isRight`. */
export const need = (path: string, isRight: boolean, message: string): readonly Problem[] =>
  isRight ? [] : [{ path, message }];

/** Returns the values that differ from those before. */
export const changesOf = <Parts extends object>(before: Parts, after: Parts): Partial<Parts> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Parts]),
    ),
  ) as Partial<Parts>;

type Texts<Name extends string, Value> = Readonly<Record<Name, Value>>;

/** Returns the trimmed values of several text fields by name. */
export const textsOf = <Name extends string>(values: FormData, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, textOf(values, name).trim()])) as Texts<Name, string>;

/** Like `textsOf`, with null for empty values. */
export const optionalsOf = <Name extends string>(values: FormData, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, optionalOf(values, name)])) as Texts<Name, string | null>;
