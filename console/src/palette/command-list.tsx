import { Command as Cmdk } from "cmdk";
import { useState } from "react";
import { flushSync } from "react-dom";
import { MatchesDocument, type MatchesQuery } from "../api/generated/operations.js";
import { useRecent } from "../parts/recent.js";
import { selectTheme, THEMES } from "../parts/theme.js";
import { useDebounced } from "../parts/use-debounced.js";
import { hashOf } from "../routing/route.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { type Command, type CommandGroup, findCommands, rank, readPage, scoreOf } from "./commands.js";

const MAX_OBJECTS = 8;
const MOVES = ["ArrowDown", "ArrowUp", "Home", "End"];

export interface CommandListProps {
  readonly text: string;
  readonly placeholder: string;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

/** The field and the list of the command palette. */
export function CommandList({ text, placeholder, onText, onClose }: CommandListProps) {
  const typed = text.trim();
  /** The command that the user moved to. */
  const [selected, setSelected] = useState("");
  const [hasMoved, setMoved] = useState(false);
  const search = useDebounced(typed);
  // Not only once: the page may load, or change elsewhere, while the palette is open.
  const page = readPage();
  const recent = useRecent();
  const isAdmin = useScope("ADMIN");
  const newCommands = useNewCommands();
  const { data, isLoading } = useQuery(MatchesDocument, { search, isAdmin }, search !== "");

  const fixed = withoutRepetition([
    { heading: `This page: ${page.title}`, commands: page.actions },
    {
      heading: "Recent",
      commands: typed === "" ? recent.map(({ href, label, detail }) => link(label, href, detail)) : [],
    },
    { heading: "New", commands: newCommands },
    {
      heading: "Go to",
      commands: [
        ...page.links,
        link("Why does the embed show nothing?", hashOf(["check-session"]), "Check an embed session"),
      ],
    },
    { heading: "Settings", commands: [...page.settings, ...THEME_COMMANDS] },
  ]).map((group) => ({ ...group, commands: findCommands(group.commands, typed) }));
  const best = ({ commands }: CommandGroup) => Math.max(...commands.map((each) => scoreOf(each, typed)));
  const found = [...fixed, ...(data && typed !== "" ? objectsOf(data, typed) : [])].filter(
    ({ commands }) => commands.length > 0,
  );
  const groups = typed === "" ? found : found.toSorted((one, other) => best(other) - best(one));

  // Until the user moves, the first command is selected, also when better ones arrive.
  const ids = groups.flatMap(({ commands }) => commands.map(({ id }) => id));
  const current = hasMoved && ids.includes(selected) ? selected : ids[0];

  function run(command: Command) {
    // The focus returns to the page before the command moves it.
    flushSync(onClose);
    command.run();
  }
  return (
    <Cmdk
      label="Search"
      shouldFilter={false}
      loop
      value={current ?? ""}
      onValueChange={setSelected}
      onKeyDownCapture={({ key }) => MOVES.includes(key) && setMoved(true)}
      onPointerMove={() => setMoved(true)}
    >
      <Cmdk.Input
        value={text}
        onValueChange={(next) => {
          onText(next);
          setMoved(false);
        }}
        placeholder={placeholder}
        // It replaces the field that had the focus while this was loading.
        autoFocus
      />
      <Cmdk.List>
        {ids.length === 0 && (
          <Cmdk.Item disabled>{isLoading || search !== typed ? "Searching…" : "Nothing found."}</Cmdk.Item>
        )}
        {groups.map(
          ({ heading, commands }) =>
            commands.length > 0 && (
              <Cmdk.Group key={heading} heading={heading}>
                {commands.map((command) => (
                  <Cmdk.Item key={command.id} value={command.id} onSelect={() => run(command)}>
                    <span title={command.label}>{command.label}</span>
                    {command.detail && (
                      <span className="fine" title={command.detail}>
                        {command.detail}
                      </span>
                    )}
                    {command.shortcut && <kbd>{command.shortcut}</kbd>}
                  </Cmdk.Item>
                ))}
              </Cmdk.Group>
            ),
        )}
      </Cmdk.List>
    </Cmdk>
  );
}

const THEME_COMMANDS: readonly Command[] = Object.entries(THEMES).map(([theme, label]) => ({
  id: `theme ${theme}`,
  label: `${label} theme`,
  run: () => selectTheme(theme),
}));

/** Returns the commands that create objects, also of other pages than the current one. */
function useNewCommands(): readonly Command[] {
  const canWrite = useScope("WRITE");
  const isAdmin = useScope("ADMIN");
  return [
    ...(canWrite
      ? [
          link("New group", hashOf(["new-group"])),
          link("New site", hashOf(["new-site"])),
          link("New data source", hashOf(["data-sources"], { new: "yes" })),
        ]
      : []),
    ...(isAdmin
      ? [
          link("New webhook endpoint", hashOf(["webhooks"], { new: "yes" })),
          link("New API key", hashOf(["keys"], { new: "yes" })),
        ]
      : []),
  ];
}

/** @param id if several objects can have the address */
function link(label: string, href: string, detail?: string, id = href): Command {
  return {
    id,
    label,
    detail,
    run: () => {
      location.hash = href;
    },
  };
}

/** Leaves out commands that an earlier group has: a page may offer a new object, too. */
function withoutRepetition(groups: readonly CommandGroup[]): readonly CommandGroup[] {
  const labels = new Set<string>();
  const isFirst = ({ label }: Command) => !labels.has(label) && labels.add(label);
  return groups.map((group) => ({ ...group, commands: group.commands.filter(isFirst) }));
}

/** Returns the objects that the service found, by kind. */
function objectsOf({ userGroups, dataSources, siteConfigs, webhookEndpoints }: MatchesQuery, text: string) {
  const kinds: Readonly<Record<string, readonly Command[]>> = {
    Groups: userGroups.nodes.map(({ providedId, name }) =>
      link(name, hashOf(["groups", providedId]), providedId),
    ),
    "Data sources": dataSources.nodes.map(({ id, providedId, name }) =>
      link(name, hashOf(["data-sources"], { q: name }), providedId, id),
    ),
    Sites: siteConfigs.nodes.map(({ site }) => link(site, hashOf(["sites", site]))),
  };
  // An account has few endpoints, and the API finds them by URL only.
  const endpoints = (webhookEndpoints?.nodes ?? []).map(({ id, name, url }) =>
    link(name, hashOf(["webhooks", id]), url),
  );
  return [
    ...Object.entries(kinds).map(([heading, commands]) => ({
      heading,
      commands: rank(commands, text).slice(0, MAX_OBJECTS),
    })),
    { heading: "Webhook endpoints", commands: findCommands(endpoints, text) },
  ];
}
