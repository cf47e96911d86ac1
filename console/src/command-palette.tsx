import { Command } from "cmdk";
import { useState } from "react";
import { MatchesDocument, type MatchesQuery } from "./api/generated/operations.js";
import type { Section } from "./pages.js";
import { CloseAction, Dialog } from "./parts/dialog.js";
import { useDebounced } from "./parts/use-debounced.js";
import { hashOf } from "./routing/route.js";
import { useScope } from "./session/session.js";
import { useQuery } from "./session/use-query.js";

interface CommandPaletteProps {
  readonly sections: readonly Section[];
  readonly onClose: () => void;
}

const MAX_GROUPS = 8;

interface Match {
  /** Unique in the list. */
  readonly value: string;
  readonly label: string;
  /** ID or URL, shown beside the label. */
  readonly detail?: string;
  readonly href: string;
}

interface Results {
  readonly heading: string;
  readonly matches: readonly Match[];
}

/** Finds pages, actions, groups, data sources, sites and endpoints by typing. */
export function CommandPalette({ sections, onClose }: CommandPaletteProps) {
  const [text, setText] = useState("");
  const [selected, setSelected] = useState("");
  const search = useDebounced(text.trim());
  const canWrite = useScope("WRITE");
  const isAdmin = useScope("ADMIN");
  const { data } = useQuery(MatchesDocument, { search, isAdmin }, search !== "");
  const commands: readonly Match[] = [
    ...sections.map(({ name, label }) => command(label, [name])),
    command("Check an embed session", ["check-session"]),
    ...(canWrite
      ? [
          command("New group", ["new-group"]),
          command("New site", ["new-site"]),
          command("New data source", ["data-sources"], { new: "yes" }),
        ]
      : []),
    ...(isAdmin
      ? [
          command("New webhook endpoint", ["webhooks"], { new: "yes" }),
          command("New API key", ["keys"], { new: "yes" }),
        ]
      : []),
  ].filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()));
  const results: readonly Results[] = [
    { heading: "Pages and actions", matches: commands },
    ...(data && search !== "" ? objectsOf(data, search) : []),
  ].filter(({ matches }) => matches.length > 0);

  // Matches arrive after cmdk has selected an item, which may be gone: select the first item then.
  const values = results.flatMap(({ matches }) => matches.map(({ value }) => value));
  const current = values.includes(selected) ? selected : values[0];

  function go(href: string) {
    onClose();
    location.hash = href;
  }
  return (
    <Dialog title="Search" onClose={onClose}>
      {/* Not focusable, so that the dialog focuses the input first. */}
      <Command
        label="Search"
        shouldFilter={false}
        loop
        className="palette"
        tabIndex={undefined}
        value={current ?? ""}
        onValueChange={setSelected}
      >
        <Command.Input
          value={text}
          onValueChange={setText}
          placeholder="Page, action, group, data source or site"
        />
        <Command.List>
          <Command.Empty>Nothing found.</Command.Empty>
          {results.map(({ heading, matches }) => (
            <Command.Group key={heading} heading={heading}>
              {matches.map(({ value, label, detail, href }) => (
                <Command.Item key={value} value={value} onSelect={() => go(href)}>
                  {label} {detail !== undefined && <span className="fine code">{detail}</span>}
                </Command.Item>
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
      <div className="narrow-only">
        <CloseAction onClose={onClose} />
      </div>
    </Dialog>
  );
}

function command(label: string, path: readonly string[], query?: Readonly<Record<string, string>>): Match {
  return { value: label, label, href: hashOf(path, query) };
}

/** Returns the objects that match, by kind. Groups whose name starts with the text come first. */
function objectsOf(
  { userGroups, dataSources, siteConfigs, webhookEndpoints }: MatchesQuery,
  search: string,
): readonly Results[] {
  const isPrefixOf = (name: string) => name.toLowerCase().startsWith(search.toLowerCase());
  const groups = userGroups.nodes.toSorted(
    (one, other) => Number(isPrefixOf(other.name)) - Number(isPrefixOf(one.name)),
  );
  // An account has few endpoints, and the API finds them by URL only.
  const endpoints = (webhookEndpoints?.nodes ?? []).filter(({ name, url }) =>
    `${name} ${url}`.toLowerCase().includes(search.toLowerCase()),
  );
  return [
    {
      heading: "Groups",
      matches: groups.slice(0, MAX_GROUPS).map(({ id, providedId, name }) => ({
        value: id,
        label: name,
        detail: providedId,
        href: hashOf(["groups", providedId]),
      })),
    },
    {
      heading: "Data sources",
      matches: dataSources.nodes.map(({ id, providedId, name }) => ({
        value: id,
        label: name,
        detail: providedId,
        href: hashOf(["data-sources"], { q: name }),
      })),
    },
    {
      heading: "Sites",
      matches: siteConfigs.nodes.map(({ id, site }) => ({
        value: id,
        label: site,
        href: hashOf(["sites", site]),
      })),
    },
    {
      heading: "Webhook endpoints",
      matches: endpoints.map(({ id, name, url }) => ({
        value: id,
        label: name,
        detail: url,
        href: hashOf(["webhooks", id]),
      })),
    },
  ];
}
