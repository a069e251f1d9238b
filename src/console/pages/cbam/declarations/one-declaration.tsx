import { useQuery } from "../../../gateway/use-query.js";
import { useDialog } from "../../../parts/forms/use-dialog.js";
import { Empty, Shown } from "../../../parts/states.js";
import { DeclarationState } from "./declaration-state.js";
import { DeclarationDialog, type Open } from "./dialogs.js";
import { Imports } from "./imports.js";
import { READ_DECLARATION } from "./read-declarations.js";

/** A declaration with its imports, and what can be done with it. */
export function OneDeclaration({ id }: { id: string }) {
  const answer = useQuery(READ_DECLARATION, { id });
  const { open, setOpen, close } = useDialog<Open>(answer.reload);
  return (
    <>
      <p>
        <a href="/console/cbam/declarations">All declarations</a>
      </p>
      <Shown answer={answer} as="emissions">
        {({ cbamDeclaration }) =>
          cbamDeclaration ? (
            <>
              <DeclarationState declaration={cbamDeclaration} onOpen={setOpen} />
              <Imports declaration={cbamDeclaration} onOpen={setOpen} />
            </>
          ) : (
            <Empty>There is no such declaration.</Empty>
          )
        }
      </Shown>
      {open && <DeclarationDialog open={open} onClose={close} />}
    </>
  );
}
