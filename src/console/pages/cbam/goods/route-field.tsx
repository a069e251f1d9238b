import { useRef } from "preact/hooks";
import { Field } from "../../../parts/fields/field.js";
import { useProblem } from "../../../parts/fields/labelled.js";

interface RouteFieldProps {
  readonly path: string;
  /** The saved route, or an empty string. */
  readonly value?: string;
}

/**
 * The field for a production route. Hidden until the gateway reports a problem with it, unless a route is saved.
 */
export function RouteField({ path, value = "" }: RouteFieldProps) {
  const name = `${path}route`;
  const isAsked = useRef(value !== "");
  if (useProblem(name) !== undefined) isAsked.current = true;
  return (
    <div hidden={!isAsked.current}>
      <Field label="Production route" name={name} hint="The letter of the route, e.g. C" value={value} />
    </div>
  );
}
