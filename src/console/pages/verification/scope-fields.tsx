import { useProblem } from "../../parts/fields/labelled.js";
import { nameOf } from "../../parts/names.js";
import { SCOPES } from "../records/filters.js";

/** The scopes to verify, all at first. */
export function ScopeFields() {
  const problem = useProblem("scopes");
  return (
    <fieldset>
      <legend>Scopes</legend>
      {SCOPES.map((scope) => (
        <label key={scope}>
          <input
            type="checkbox"
            name="scopes"
            value={scope}
            defaultChecked
            aria-invalid={problem !== undefined || undefined}
          />
          {nameOf(scope)}
        </label>
      ))}
      {problem && <small class="complaint">{problem}</small>}
    </fieldset>
  );
}
