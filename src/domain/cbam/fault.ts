/** Reason why a rule cannot be applied to goods. */
export type CbamFaultCode = "NOT_COVERED" | "ROUTE_REQUIRED" | "VALIDATION_FAILED";

/** Error for goods that the rules cannot be applied to. The message follows the name of the field: `must be …`. */
export class CbamFault extends Error {
  readonly code: CbamFaultCode;
  /** Invalid part of the line, such as `cnCode` or `precursors[0].route`. */
  readonly field: string;

  constructor(code: CbamFaultCode, field: string, fault: string) {
    super(fault);
    this.name = "CbamFault";
    this.code = code;
    this.field = field;
  }
}

/** Runs `apply` for a part of a line, or for one of several lines. Prefixes the field of a fault with `part`. */
export function applyWithin<Result>(part: string, apply: () => Result): Result {
  try {
    return apply();
  } catch (error) {
    if (!(error instanceof CbamFault)) throw error;
    throw new CbamFault(error.code, `${part}.${error.field}`, error.message);
  }
}
