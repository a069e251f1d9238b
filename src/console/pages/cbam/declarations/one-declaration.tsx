import { useQuery } from "../../../gateway/use-query.js";
import { Dialogs } from "../../../parts/forms/dialogs.js";
import { Empty, Loaded } from "../../../parts/states.js";
import { DeclarationState } from "./declaration-state.js";
import { Imports } from "./imports.js";
import { READ_DECLARATION } from "./read-declarations.js";

/** A declaration with its imports and actions. */
export function OneDeclaration({ id }: { id: string }) {
  const answer = useQuery(READ_DECLARATION, { id });
  return (
    <Dialogs onClosed={answer.reload}>
      <p>
        <a href="/console/cbam/declarations">All declarations</a>
      </p>
      <Loaded answer={answer} skeleton="emissions">
        {({ cbamDeclaration }) =>
          cbamDeclaration ? (
            <>
              <DeclarationState declaration={cbamDeclaration} />
              <Imports declaration={cbamDeclaration} />
            </>
          ) : (
            <Empty>Declaration not found. It may belong to another organization.</Empty>
          )
        }
      </Loaded>
    </Dialogs>
  );
}
