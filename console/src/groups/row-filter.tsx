import { type ReactNode, useState } from "react";

/** A list with more rows has a filter. */
const FILTER_FROM = 26;
/** Browsers lay out this many rows without a noticeable delay. */
const STEP = 50;

interface RowFilterProps<Row> {
  readonly rows: readonly Row[];
  /** Accessible name of the filter. */
  readonly label: string;
  readonly textOf: (row: Row) => string;
  /** Whether a row is shown always, because it is being edited or has an error. */
  readonly isPinned: (row: Row) => boolean;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

/** Shows the first rows of a list, with a filter and a button that shows more if there are many. */
export function RowFilter<Row>({ rows, label, textOf, isPinned, children }: RowFilterProps<Row>) {
  const [text, setText] = useState("");
  const [limit, setLimit] = useState(STEP);
  const wanted = text.trim().toLowerCase();
  const found =
    wanted === "" ? rows : rows.filter((row) => isPinned(row) || textOf(row).toLowerCase().includes(wanted));
  const shown = found.filter((row, index) => index < limit || isPinned(row));
  return (
    <>
      {rows.length >= FILTER_FROM && (
        <input
          type="search"
          className="row-filter"
          aria-label={label}
          placeholder={label}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setLimit(STEP);
          }}
          // Otherwise Enter saves the group.
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
      )}
      {children(shown)}
      {rows.length >= FILTER_FROM && (
        <p className="fine row-count">
          <span role="status">
            {shown.length.toLocaleString()} of {rows.length.toLocaleString()} shown.
          </span>{" "}
          {shown.length < found.length && (
            <button type="button" className="link" onClick={() => setLimit(limit + STEP)}>
              Show {Math.min(STEP, found.length - shown.length)} more
            </button>
          )}
        </p>
      )}
    </>
  );
}
