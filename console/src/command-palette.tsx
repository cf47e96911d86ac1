import { Command } from "cmdk";
import { useState } from "react";
import { GroupMatchesDocument } from "./api/generated/operations.js";
import type { Section } from "./pages.js";
import { Dialog } from "./parts/dialog.js";
import { useDebounced } from "./parts/use-debounced.js";
import { hashOf } from "./routing/route.js";
import { useScope } from "./session/session.js";
import { useQuery } from "./session/use-query.js";

interface CommandPaletteProps {
  readonly sections: readonly Section[];
  readonly onClose: () => void;
}

/** Finds pages, actions and groups by typing. */
export function CommandPalette({ sections, onClose }: CommandPaletteProps) {
  const [text, setText] = useState("");
  const [selected, setSelected] = useState("");
  const search = useDebounced(text.trim());
  const canWrite = useScope("WRITE");
  const { data } = useQuery(GroupMatchesDocument, { search }, search !== "");
  const isPrefixOf = (name: string) => name.toLowerCase().startsWith(search.toLowerCase());
  const groups = (search === "" ? [] : (data?.userGroups.nodes ?? [])).toSorted(
    (one, other) => Number(isPrefixOf(other.name)) - Number(isPrefixOf(one.name)),
  );
  const commands = [
    ...sections.map(({ name, label }) => ({ label: `Go to ${label}`, path: [name] })),
    ...(canWrite
      ? [
          { label: "New group", path: ["new-group"] },
          { label: "New site", path: ["new-site"] },
        ]
      : []),
  ].filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()));

  // Groups arrive after cmdk has selected an item, which may be gone: select the first item then.
  const values = [...commands.map(({ label }) => label), ...groups.map(({ id }) => id)];
  const current = values.includes(selected) ? selected : values[0];

  function go(path: readonly string[]) {
    onClose();
    location.hash = hashOf(path);
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      {/* Not focusable, so that the dialog focuses the input first. */}
      <Command
        label="Page or group"
        shouldFilter={false}
        loop
        className="palette"
        tabIndex={undefined}
        value={current ?? ""}
        onValueChange={setSelected}
      >
        <Command.Input value={text} onValueChange={setText} placeholder="Page, action or group" />
        <Command.List>
          <Command.Empty>Nothing found.</Command.Empty>
          {commands.length > 0 && (
            <Command.Group heading="Pages and actions">
              {commands.map(({ label, path }) => (
                <Command.Item key={label} value={label} onSelect={() => go(path)}>
                  {label}
                </Command.Item>
              ))}
            </Command.Group>
          )}
          {groups.length > 0 && (
            <Command.Group heading="Groups">
              {groups.map(({ id, providedId, name }) => (
                <Command.Item key={id} value={id} onSelect={() => go(["groups", providedId])}>
                  {name} <span className="fine code">{providedId}</span>
                </Command.Item>
              ))}
            </Command.Group>
          )}
        </Command.List>
      </Command>
      <div className="narrow-only">
        <div className="actions end">
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  );
}
