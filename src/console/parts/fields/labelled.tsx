import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { capitalize } from "../../../domain/texts/capitalize.js";
import type { Problem } from "../../gateway/failure.js";
import { useId } from "../use-id.js";

/** The problems of the form that contains a field. */
export const Problems = createContext<readonly Problem[]>([]);

/** Returns the problem of a field. Field names are the gateway's paths, e.g. `organization.name`. */
export function useProblem(name: string): string | undefined {
  return useContext(Problems).find(({ path }) => path === name)?.message;
}

interface LabelledProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string | undefined;
  /** The control, which must accept these attributes. */
  readonly children: (attributes: {
    readonly id: string;
    readonly name: string;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": true | undefined;
  }) => ComponentChildren;
}

/** A form control with its label, hint and problem. */
export function Labelled({ label, name, hint, children }: LabelledProps) {
  const id = useId();
  const problem = useProblem(name);
  const notes = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        name,
        "aria-describedby": notes || undefined,
        "aria-invalid": problem === undefined ? undefined : true,
      })}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {problem && (
        <small id={`${id}-problem`} class="complaint">
          {phrase(problem, name, label)}
        </small>
      )}
    </div>
  );
}

/** Capitalizes a problem, or replaces the field's name at its start with the label. */
const phrase = (problem: string, name: string, label: string) =>
  problem.startsWith(`${name} `) ? `${label}${problem.slice(name.length)}` : capitalize(problem);
