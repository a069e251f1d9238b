export interface RecordFileOptions {
  /** True to start a CSV file with a byte order mark, by which Excel recognizes UTF-8. */
  readonly bom: boolean;
  /** Applied to each value of type `text`. */
  readonly guard: (text: string) => string;
  /** Returns the metadata in the footer of a Parquet file. Called after all records. */
  readonly metadata: () => Readonly<Record<string, string>>;
}
