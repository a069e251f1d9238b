import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { createNumberReader } from "../../../domain/numbers/read-number.js";
import { capitalize } from "../../../domain/texts/capitalize.js";
import { Button } from "../button.js";
import { LOCALE, writeDecimal } from "../numbers.js";
import { useId } from "../use-id.js";
import { EntryFormContext } from "./entries.js";
import { Labelled, useProblem } from "./labelled.js";
import { notNegative, type Rule } from "./number-rules.js";

const readNumber = createNumberReader(LOCALE);

interface NumberFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  /** The initial number as a plain decimal; empty for none. */
  readonly value?: string;
  /** Unit after the parsed number. */
  readonly unit?: string;
  readonly isRequired?: boolean;
  readonly rule?: Rule;
  /** Called with the parsed plain decimal; empty if the text is empty, ambiguous or invalid. */
  readonly onValue?: (value: string) => void;
}

/**
 * A labelled field for a number in the page's locale. As the user types, it shows the parsed number, asks about an
 * ambiguous one, or shows a problem. The form receives a plain decimal.
 */
export function NumberField(props: NumberFieldProps) {
  const { label, name, hint, value = "", unit = "", isRequired = false, rule = notNegative, onValue } = props;
  // The text of an initial or chosen number may be ambiguous, so `settled` holds its value.
  const [{ text, settled }, set] = useState({ text: value && writeDecimal(value), settled: value || null });
  const { understood, readings, problem } = read(text, settled, isRequired, rule);
  const input = useRef<HTMLInputElement>(null);
  const echo = useId();
  const isRefused = useProblem(name) !== undefined;
  const { entries, forget } = useContext(EntryFormContext);
  useLayoutEffect(() => {
    const entry = { name, value: understood, problem };
    entries.add(entry);
    return () => entries.delete(entry);
  }, [entries, name, understood, problem]);
  // Assumes that the listener never changes.
  useEffect(() => onValue?.(understood), [understood]);
  const withUnit = (decimal: string) => `${writeDecimal(decimal)}${unit && `\u00a0${unit}`}`;
  const choose = (decimal: string) => {
    set({ text: writeDecimal(decimal), settled: decimal });
    forget(name);
    input.current?.focus();
  };
  const isWrong = text !== "" && problem !== null && readings.length === 0;
  return (
    <Labelled label={label} name={name} hint={hint}>
      {({ "aria-describedby": notes, "aria-invalid": isInvalid, ...attributes }) => (
        <>
          <input
            {...attributes}
            ref={input}
            inputmode="decimal"
            autocomplete="off"
            aria-describedby={notes ? `${echo} ${notes}` : echo}
            aria-invalid={isInvalid ?? (isWrong || undefined)}
            value={text}
            onInput={({ currentTarget }) => set({ text: currentTarget.value, settled: null })}
          />
          <small id={echo} role="status" class={isWrong && !isRefused ? "echo complaint" : "echo"}>
            {readings.length > 0 ? (
              <>
                Did you mean{" "}
                {readings.map((reading, index) => (
                  <>
                    {index > 0 && " or "}
                    <Button look="link" label={withUnit(reading)} onClick={() => choose(reading)} />
                  </>
                ))}
                ?
              </>
            ) : isWrong ? (
              !isRefused && problem
            ) : (
              understood && withUnit(understood)
            )}
          </small>
        </>
      )}
    </Labelled>
  );
}

interface Understanding {
  /** The parsed plain decimal; empty if the text is empty, ambiguous or invalid. */
  readonly understood: string;
  /** Plain decimals to choose from. */
  readonly readings: readonly string[];
  /** The problem that prevents submitting the form. */
  readonly problem: string | null;
}

function read(text: string, settled: string | null, isRequired: boolean, rule: Rule): Understanding {
  const nothing = { understood: "", readings: [], problem: null };
  if (text.trim() === "" && !isRequired) return nothing;
  const reading = settled === null ? readNumber(text) : { value: settled };
  if ("message" in reading) return { ...nothing, problem: sentence(reading.message) };
  if ("readings" in reading) {
    const readings = reading.readings.map(({ value }) => value);
    return { ...nothing, readings, problem: "Choose the number you mean." };
  }
  const problem = rule(reading.value);
  return { ...nothing, understood: problem === null ? reading.value : "", problem };
}

const sentence = (message: string) => `${capitalize(message)}.`;
