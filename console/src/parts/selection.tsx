import { useEffect, useRef } from "react";

/** The selected rows of a list, by ID. They stay selected on other pages of the list. */
export interface Selection<Item> {
  readonly selected: ReadonlyMap<string, Item>;
  readonly onChange: (selected: ReadonlyMap<string, Item>) => void;
  /** Name of a row, for the label of its checkbox. */
  readonly nameOf: (item: Item) => string;
}

interface SelectionBoxProps<Item> {
  readonly selection: Selection<Item>;
  /** The rows that the checkbox selects. */
  readonly items: readonly Item[];
  readonly label: string;
}

/** A checkbox that selects one or several rows. */
export function SelectionBox<Item extends { readonly id: string }>(props: SelectionBoxProps<Item>) {
  const { selection, items, label } = props;
  const { selected, onChange } = selection;
  const box = useRef<HTMLInputElement>(null);
  const count = items.filter(({ id }) => selected.has(id)).length;
  const isPartial = count > 0 && count < items.length;
  useEffect(() => {
    if (box.current) box.current.indeterminate = isPartial;
  }, [isPartial]);

  function toggle(isSelected: boolean) {
    const next = new Map(selected);
    for (const item of items) {
      if (isSelected) next.set(item.id, item);
      else next.delete(item.id);
    }
    onChange(next);
  }
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label={label}
      checked={items.length > 0 && count === items.length}
      onChange={(event) => toggle(event.target.checked)}
    />
  );
}
