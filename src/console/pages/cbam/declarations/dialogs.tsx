import { AddImport } from "./add-import.js";
import { AmendDeclaration } from "./amend-declaration.js";
import { ChangeHeld } from "./change-held.js";
import type { Declaration, Import } from "./read-declarations.js";
import { RemoveImport } from "./remove-import.js";
import { SubmitDeclaration } from "./submit-declaration.js";

/** What is to be done with a declaration as it was shown. */
export type Open =
  | { readonly what: "add-import" | "change-held" | "submit" | "amend"; readonly declaration: Declaration }
  | { readonly what: "remove-import"; readonly declaration: Declaration; readonly imported: Import };

/** The dialog of what is to be done. */
export function DeclarationDialog({ open, onClose }: { open: Open; onClose: () => void }) {
  const { declaration } = open;
  switch (open.what) {
    case "add-import":
      return <AddImport declaration={declaration} onClose={onClose} />;
    case "remove-import":
      return <RemoveImport declaration={declaration} imported={open.imported} onClose={onClose} />;
    case "change-held":
      return <ChangeHeld declaration={declaration} onClose={onClose} />;
    case "submit":
      return <SubmitDeclaration declaration={declaration} onClose={onClose} />;
    case "amend":
      return <AmendDeclaration declaration={declaration} onClose={onClose} />;
  }
}
