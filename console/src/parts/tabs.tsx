import { type KeyboardEvent, type ReactNode, useContext, useId, useState } from "react";
import { NavigationContext } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";

export interface Tab {
  readonly name: string;
  /** Rendered only while the tab is selected. @param select selects another tab, by its index */
  readonly content: (select: (index: number) => void) => ReactNode;
  /** Whether the content stays, hidden, while another tab is selected: it has unsaved input. */
  readonly isKept?: boolean;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
}

/** Steps of the arrow keys; Home and End select the first and the last tab. */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Tabs that are selected by click and by arrow keys (WAI-ARIA tabs pattern). */
export function Tabs(props: TabsProps) {
  const [selected, setSelected] = useState(0);
  return <TabList {...props} selected={selected} onSelect={setSelected} />;
}

interface PageTabsProps {
  readonly label: string;
  /** `name` is the label, `id` stands in the address. */
  readonly tabs: readonly (Tab & { readonly id: string })[];
}

/** The parts of a page. The address names the selected one, if it is not the first. */
export function PageTabs({ label, tabs }: PageTabsProps) {
  const { route, replace } = useContext(NavigationContext);
  const selected = Math.max(
    0,
    tabs.findIndex(({ id }) => id === route.query["tab"]),
  );
  return (
    <TabList
      label={label}
      tabs={tabs}
      selected={selected}
      onSelect={(index) => replace(hashOf(route.path, { tab: index === 0 ? null : tabs[index]?.id }))}
    />
  );
}

interface TabListProps extends TabsProps {
  readonly selected: number;
  readonly onSelect: (index: number) => void;
}

function TabList({ label, tabs, selected, onSelect }: TabListProps) {
  const id = useId();

  function select(event: KeyboardEvent<HTMLDivElement>) {
    const step = STEPS[event.key];
    const ends: Readonly<Record<string, number>> = { Home: 0, End: tabs.length - 1 };
    const next = step === undefined ? ends[event.key] : (selected + step + tabs.length) % tabs.length;
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next);
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
            aria-controls={index === selected ? `${id}-panel-${index}` : undefined}
            tabIndex={index === selected ? 0 : -1}
            onClick={() => onSelect(index)}
          >
            {name}
          </button>
        ))}
      </div>
      {tabs.map(
        ({ name, content, isKept = false }, index) =>
          (isKept || index === selected) && (
            <div
              key={name}
              role="tabpanel"
              id={`${id}-panel-${index}`}
              aria-labelledby={`${id}-tab-${index}`}
              hidden={index !== selected}
            >
              {content(onSelect)}
            </div>
          ),
      )}
    </div>
  );
}
