import { useRef } from "preact/hooks";
import { Field } from "../../../parts/fields/field.js";
import { useProblem } from "../../../parts/fields/labelled.js";

interface RouteFieldProps {
  readonly path: string;
  /** The present route; empty if none was given. */
  readonly value?: string;
}

/**
 * The field of a production route. It appears once the gateway has asked for one; the problem below it lists the
 * routes.
 */
export function RouteField({ path, value = "" }: RouteFieldProps) {
  const name = `${path}route`;
  const isAsked = useRef(value !== "");
  if (useProblem(name) !== undefined) isAsked.current = true;
  return (
    <div hidden={!isAsked.current}>
      <Field label="Production route" name={name} hint="Its letter, such as C" value={value} />
    </div>
  );
}
