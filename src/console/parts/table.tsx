import type { ComponentChildren } from "preact";
import { Paging, type PagingProps } from "./paging.js";
import { useStacking } from "./stacking.js";
import { Empty } from "./states.js";

/** A column: its title, and its cell for a row. */
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

interface ColumnsProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** Returns the actions for a row, in a last column "Change"; false for users who may not change rows. */
  readonly actions?: ((row: Row) => ComponentChildren) | false;
  /** True if it stays a table where it is too wide, and scrolls sideways; others become a list of cards. */
  readonly isDense?: boolean;
  /** Content if there are no rows. */
  readonly children?: ComponentChildren;
}

interface TableProps<Row> extends ColumnsProps<Row> {
  /** Rows with an `id` keep their state when others are added or removed. */
  readonly rows: readonly Row[];
}

/** A table whose first column names its rows. */
export function Table<Row extends object>(props: TableProps<Row>) {
  const { caption, rows, actions, isDense = false, children } = props;
  const place = useStacking(!isDense);
  if (rows.length === 0 && children) return <Empty>{children}</Empty>;
  const columns = actions
    ? [...props.columns, { title: "Change", isActions: true, cell: actions }]
    : props.columns;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={caption} ref={place}>
      <table>
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
          {rows.map((row, place) => (
            <tr key={"id" in row ? row.id : place}>
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

interface ListProps<Row> extends ColumnsProps<Row>, PagingProps {
  readonly nodes: readonly Row[];
}

/** A page of a list as a table, with links to the other pages. */
export const List = <Row extends object>({ nodes, pageInfo, ...table }: ListProps<Row>) => (
  <>
    <Table rows={nodes} {...table} />
    <Paging pageInfo={pageInfo} />
  </>
);
