import { type KeyboardEvent, type ReactNode, useId, useState } from "react";

export interface Tab {
  readonly name: string;
  /** Rendered only while the tab is selected. @param select selects another tab, by its index */
  readonly content: (select: (index: number) => void) => ReactNode;
}

/** Steps of the arrow keys; Home and End select the first and the last tab. */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Tabs that are selected by click and by arrow keys (WAI-ARIA tabs pattern). */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const id = useId();
  const [selected, setSelected] = useState(0);

  function select(event: KeyboardEvent<HTMLDivElement>) {
    const step = STEPS[event.key];
    const ends: Readonly<Record<string, number>> = { Home: 0, End: tabs.length - 1 };
    const next = step === undefined ? ends[event.key] : (selected + step + tabs.length) % tabs.length;
    if (next === undefined) return;
    event.preventDefault();
    setSelected(next);
    const buttons = event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]");
    buttons[next]?.focus();
  }
  return (
    <div className="tabs">
      <div role="tablist" aria-label={label} onKeyDown={select}>
        {tabs.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === selected}
            aria-controls={`${id}-panel`}
            tabIndex={index === selected ? 0 : -1}
            onClick={() => setSelected(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${selected}`}>
        {tabs[selected]?.content(setSelected)}
      </div>
    </div>
  );
}
