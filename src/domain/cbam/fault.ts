/** Reason why a rule cannot be applied to goods. */
export type CbamFaultCode = "NOT_COVERED" | "ROUTE_REQUIRED" | "VALIDATION_FAILED";

/** Error for goods that the rules do not cover. Its message continues the name of the field: `must be …`. */
export class CbamFault extends Error {
  readonly code: CbamFaultCode;
  /** The part of a line at fault, such as `cnCode` or `precursors[0].route`. */
  readonly field: string;

  constructor(code: CbamFaultCode, field: string, fault: string) {
    super(fault);
    this.name = "CbamFault";
    this.code = code;
    this.field = field;
  }
}

/** Applies rules to a part of a line, or to one of several lines, and prefixes the field of a fault with `part`. */
export function applyWithin<Result>(part: string, apply: () => Result): Result {
  try {
    return apply();
  } catch (error) {
    if (!(error instanceof CbamFault)) throw error;
    throw new CbamFault(error.code, `${part}.${error.field}`, error.message);
  }
}
