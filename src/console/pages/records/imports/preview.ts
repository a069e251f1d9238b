/** A fault at one place of a file. */
export interface FileProblem {
  readonly line: number;
  /** Null for the whole line. */
  readonly column: string | null;
  readonly expected: string;
  readonly got: string;
}

/** A record of a row as the gateway reads it. */
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

/** Options of an import as parameters; those that the console reads by name, and others. */
export interface Options {
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly skip_lines?: string;
  readonly date_format?: string;
  readonly decimal_comma?: string;
  readonly [name: string]: string | readonly string[] | undefined;
}

/** The beginning of a file as the gateway understands it. */
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
