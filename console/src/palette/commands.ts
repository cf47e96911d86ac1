import { defaultFilter } from "cmdk";

/** An entry of the command palette. */
export interface Command {
  /** Unique in the palette. */
  readonly id: string;
  readonly label: string;
  /** Shown beside the label, for example an external ID. */
  readonly detail?: string | undefined;
  readonly shortcut?: string | undefined;
  /** Other words that find it. */
  readonly keywords?: readonly string[];
  /** Whether it is hidden until something is typed. */
  readonly isTypedOnly?: boolean;
  readonly run: () => void;
}

export interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly Command[];
}

/** Other words for the words of labels. */
const SYNONYMS = new Map(
  Object.entries({
    account: "tenant",
    audit: "history changes",
    dark: "night",
    delete: "remove",
    discard: "undo revert cancel",
    documentation: "help guide manual",
    export: "download",
    graphql: "playground query",
    groups: "customers",
    history: "versions restore undo",
    key: "token",
    keys: "token",
    new: "create add",
    out: "logout",
    overview: "home dashboard",
    private: "visibility",
    public: "visibility",
    rest: "reference openapi swagger",
    revoke: "delete remove",
    rotate: "renew replace regenerate",
    save: "update",
    sign: "log",
    sites: "configuration",
    start: "home",
    switch: "change environment",
    theme: "appearance mode colors",
    webhook: "hook events",
  }),
);

/** The controls of the page. Those of rows of a form, and links in texts, are useful only where they are. */
const CONTROLS = `:is(main, .notices) :is(button:not([type=submit]), button.primary, a.button, input[type=search], h2):not(
  :disabled, [aria-disabled=true], [aria-pressed], :is(form, section) [role=tab], .quiet, .link, .icon-button, .property-row *, dialog *)`;
/** In menus, which need not be open. */
const ROW_ACTIONS = "main .row-menu button";
/** Those that a page has many of. */
const TYPED_ONLY = "table *, nav *, h2, [role=tab]";
const LINKS = [".sections a", ".top .site-links a:not([aria-current])", ".brand"];
const SETTINGS = ".environments [aria-pressed=false], .account-menu .menu :is(a, button)";

/** Less is a coincidence: more than one letter in the middle of words. */
const MIN_SCORE = 0.1;

/** Returns what the page offers, by the names of its buttons and links, so that every action that a user may run is in the palette. */
export function readPage() {
  const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const section = document.querySelector(".sections [aria-current]")?.textContent;
  const order = [".primary", ":not(.primary, .danger)", ".danger"];
  const controls = order.flatMap((kind) => all(`${CONTROLS}${kind}`));
  return {
    title: document.querySelector("main h1")?.textContent,
    actions: [...controls.filter((element) => element.checkVisibility()), ...all(ROW_ACTIONS)].map(
      (element) => toCommand(element, section),
    ),
    links: LINKS.flatMap(all).map((element) => toCommand(element)),
    settings: all(SETTINGS).map((element) => toCommand(element)),
  };
}

function toCommand(element: HTMLElement, keyword = ""): Command {
  const name = element.dataset["command"] ?? element.getAttribute("aria-label") ?? element.textContent;
  return {
    id: name.trim(),
    label: name.trim(),
    shortcut: element.getAttribute("aria-keyshortcuts")?.replace("Control+", "Ctrl "),
    keywords: [keyword],
    isTypedOnly: element.matches(TYPED_ONLY),
    run: () => {
      if (element.matches("h2")) {
        element.tabIndex = -1;
        element.scrollIntoView();
      }
      element.focus();
      element.click();
    },
  };
}

/** Returns the commands that match all words of a text, best first; without a text, those that need none. */
export function findCommands(commands: readonly Command[], text: string): readonly Command[] {
  if (text === "") return commands.filter(({ isTypedOnly }) => !isTypedOnly);
  return rank(commands, text, MIN_SCORE);
}

/** Returns the commands with at least a score, best first. */
export function rank(commands: readonly Command[], text: string, minScore = 0): readonly Command[] {
  return commands
    .map((command) => ({ command, score: scoreOf(command, text) }))
    .filter(({ score }) => score >= minScore)
    .toSorted((one, other) => other.score - one.score)
    .map(({ command }) => command);
}

/** Returns how well a command matches all words of a text, from 0 to 1. */
export function scoreOf({ label, detail = "", keywords = [] }: Command, text: string): number {
  const synonyms = label
    .toLowerCase()
    .split(/\W+/)
    .map((word) => SYNONYMS.get(word) ?? "");
  const words = text.split(/\s+/);
  return Math.min(...words.map((word) => defaultFilter(label, word, [detail, ...keywords, ...synonyms])));
}
