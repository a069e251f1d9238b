import "./table.css";
import type { ComponentChildren } from "preact";
import { useAddress } from "./address.js";
import { Paging, type PagingProps } from "./paging.js";
import { Empty } from "./states.js";
import { useStacking } from "./use-stacking.js";

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  /** True to align cells on the right. */
  readonly isNumber?: boolean;
  /** True if text may wrap. */
  readonly wraps?: boolean;
  /** True for a column of buttons. */
  readonly isActions?: boolean;
  /** Sort key of the column. If set, the title is a button that sorts the list. */
  readonly sort?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

/** The order of a list by a column. */
export interface Order {
  readonly by: string;
  readonly isDescending: boolean;
}

/** Returns the order in the address: `sort=day`, or `sort=-day` for descending. */
export function useOrder(standard: string): Order {
  const { sort = standard } = useAddress().query;
  return { by: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") };
}

interface ColumnsProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** Returns the actions for a row, shown in the last column, "Actions". False for users who may not change rows. */
  readonly actions?: ((row: Row) => ComponentChildren) | false;
  /** The current order, for sortable lists. */
  readonly order?: Order;
  /** True if a table that is too wide scrolls sideways. By default it becomes a list of cards. */
  readonly isDense?: boolean;
  /** Content to show if there are no rows. */
  readonly children?: ComponentChildren;
}

interface TableProps<Row> extends ColumnsProps<Row> {
  /** Rows with an `id` keep their state when others are added or removed. */
  readonly rows: readonly Row[];
}

/** A table whose first column names its rows. */
export function Table<Row extends object>(props: TableProps<Row>) {
  const { caption, rows, actions, order, isDense = false, children } = props;
  const container = useStacking(!isDense);
  if (rows.length === 0 && children) return <Empty>{children}</Empty>;
  const columns = actions
    ? [...props.columns, { title: "Actions", isActions: true, cell: actions }]
    : props.columns;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={caption} ref={container}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.title} column={column} order={order} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, position) => (
            <tr key={"id" in row ? row.id : position}>
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

interface HeadingProps {
  readonly column: Pick<Column<never>, "title" | "sort" | "isNumber" | "wraps" | "isActions">;
  readonly order: Order | undefined;
}

/** The title of a column. In sortable columns, a button that sorts the list or reverses its order. */
function Heading({ column, order }: HeadingProps) {
  const { title, sort } = column;
  const { change } = useAddress();
  const head = { scope: "col", class: classOf(column) } as const;
  if (order === undefined || sort === undefined) return <th {...head}>{title}</th>;
  const { by, isDescending } = order;
  const isSorted = by === sort;
  const next = isSorted && isDescending ? sort : `-${sort}`;
  return (
    <th {...head} aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : "none"}>
      <button type="button" class="sort" onClick={() => change({ sort: next, after: "" })}>
        {title} <span aria-hidden="true">{isSorted ? (isDescending ? "↓" : "↑") : "↕"}</span>
      </button>
    </th>
  );
}

const classOf = ({ isNumber, wraps, isActions }: Pick<Column<never>, "isNumber" | "wraps" | "isActions">) =>
  isActions ? "actions" : isNumber ? "number" : wraps ? "wraps" : undefined;

interface ListProps<Row> extends ColumnsProps<Row>, PagingProps {
  readonly nodes: readonly Row[];
}

/** A page of a list as a table, with buttons for other pages. */
export const List = <Row extends object>({ nodes, pageInfo, ...table }: ListProps<Row>) => (
  <>
    <Table rows={nodes} {...table} />
    <Paging pageInfo={pageInfo} />
  </>
);
