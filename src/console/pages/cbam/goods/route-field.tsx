import { useRef } from "preact/hooks";
import { Field } from "../../../parts/fields/field.js";
import { useProblem } from "../../../parts/fields/labelled.js";

/**
 * The field of a production route. It appears once the gateway has asked for one; the problem below it lists the
 * routes.
 */
export function RouteField({ path }: { path: string }) {
  const name = `${path}route`;
  const isAsked = useRef(false);
  if (useProblem(name) !== undefined) isAsked.current = true;
  return (
    <div hidden={!isAsked.current}>
      <Field label="Production route" name={name} hint="Its letter, such as C" />
    </div>
  );
}
