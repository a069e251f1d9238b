import type { ComponentChildren } from "preact";

/** A column: its title, and what it shows of a row. */
export interface Column<Row> {
  readonly title: string;
  /** Numbers are aligned on their right. */
  readonly isNumber?: boolean;
  /** Long text may take several lines. */
  readonly wraps?: boolean;
  /** Buttons, at the end of the row. */
  readonly isActions?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Whether it stays a table on narrow screens, where it then scrolls sideways; others become a list of cards. */
  readonly isDense?: boolean;
}

/** A table whose first column names its rows. */
export function Table<Row>({ caption, columns, rows, keyOf, isDense = false }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table class={isDense ? "" : "stacks"}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) => {
                const shown = { class: classOf(column), children: column.cell(row) };
                return index === 0 ? (
                  <th key={column.title} scope="row" {...shown} />
                ) : (
                  <td key={column.title} data-title={column.title} {...shown} />
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const classOf = ({ isNumber, wraps, isActions }: Column<never>) =>
  isActions ? "actions" : isNumber ? "number" : wraps ? "wraps" : undefined;
