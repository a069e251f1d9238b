export interface RecordFileOptions {
  /** True to begin a CSV file with the byte order mark by which Excel recognizes UTF-8. */
  readonly bom: boolean;
  /** Applied to each text. */
  readonly guard: (text: string) => string;
  /** Returns the metadata of a Parquet file's footer, once all records have been written. */
  readonly metadata: () => Readonly<Record<string, string>>;
}
