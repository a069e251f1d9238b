import type { Problem } from "../../gateway/failure.js";

/** A text field's value. */
export const textOf = (values: FormData, name: string): string => String(values.get(name) ?? "");

/** A text field's value without spaces around it; null if it is empty. */
export const optionalOf = (values: FormData, name: string): string | null =>
  textOf(values, name).trim() || null;

/** The problem of a field unless it is right. */
export const need = (path: string, isRight: boolean, message: string): readonly Problem[] =>
  isRight ? [] : [{ path, message }];

/** The parts that differ from those before. */
export const changesOf = <Parts extends object>(before: Parts, after: Parts): Partial<Parts> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Parts]),
    ),
  ) as Partial<Parts>;

type Texts<Name extends string, Value> = Readonly<Record<Name, Value>>;

/** The values of several text fields without spaces around them, by their names. */
export const textsOf = <Name extends string>(values: FormData, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, textOf(values, name).trim()])) as Texts<Name, string>;

/** The same, with null for what is empty. */
export const optionalsOf = <Name extends string>(values: FormData, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, optionalOf(values, name)])) as Texts<Name, string | null>;
