/** Details of a refusal (RFC 7644, section 3.12). */
export type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "uniqueness";

/** A refusal in SCIM's form. */
export class ScimFault extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;

  constructor(status: number, scimType: ScimType | undefined, detail: string) {
    super(detail.slice(0, 500));
    this.name = "ScimFault";
    this.status = status;
    this.scimType = scimType;
  }
}

/** Throws a fault of the request, with the status 400. */
export function refuse(scimType: ScimType, detail: string): never {
  throw new ScimFault(400, scimType, detail);
}
