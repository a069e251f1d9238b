/** SCIM detail error keyword (RFC 7644, section 3.12). */
export type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "uniqueness";

/** Error that is sent to the client as a SCIM error response. */
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

/** Throws a ScimFault with status 400. */
export function refuse(scimType: ScimType, detail: string): never {
  throw new ScimFault(400, scimType, detail);
}
