/** A problem at one place in a file. */
export interface FileProblem {
  readonly line: number;
  /** Null for the whole line. */
  readonly column: string | null;
  readonly expected: string;
  readonly got: string;
}

/** A record as the gateway reads it from a row. */
export interface PreviewedRecord {
  readonly recorded_on: string;
  readonly facility: string | null;
  readonly scope: string | null;
  readonly co2e_tonnes: string | null;
  readonly amount: string | null;
  readonly unit: string | null;
  readonly activity: string | null;
}

export interface PreviewedRow {
  readonly line: number;
  readonly cells: readonly string[];
  readonly records: readonly PreviewedRecord[];
}

/** Options of an import. Declares those that the code reads by property name. */
export interface Options {
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly skip_lines?: string;
  readonly date_format?: string;
  readonly decimal_comma?: string;
  readonly [name: string]: string | readonly string[] | undefined;
}

/** The gateway's reading of the start of a file. */
export interface Preview {
  readonly options: Options;
  readonly questions: readonly {
    readonly code: "DATE_ORDER" | "DECIMAL_MARK";
    readonly text: string;
    readonly readings: readonly {
      readonly value: string;
      readonly options: Options;
    }[];
  }[];
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly PreviewedRow[];
  readonly problems: readonly FileProblem[];
  readonly new_facilities: readonly string[];
  readonly needs_country: boolean;
}
