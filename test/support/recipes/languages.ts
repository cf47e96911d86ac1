import { spawnSync } from "node:child_process";

/** A language of docs/recipes whose programs can be run. */
export interface Language {
  readonly name: string;
  /** The program that calls the recipes, in this folder. */
  readonly main: string;
  /** Commands that end with the run of the program; undefined if a runtime or library is not installed. */
  readonly commands: readonly (readonly string[])[] | undefined;
}

const JACKSON = ["core", "databind", "annotations"]
  .map((part) => `/usr/share/java/jackson-${part}.jar`)
  .join(":");

function succeeds(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

/** The Python that has PyJWT, which need not be the first on the PATH. */
const python = ["python3", "/usr/bin/python3"].find((each) =>
  succeeds(each, "-c", "import jwt, cryptography"),
);

function ifAll(conditions: readonly boolean[], commands: Language["commands"]): Language["commands"] {
  return conditions.every(Boolean) ? commands : undefined;
}

export const LANGUAGES: readonly Language[] = [
  { name: "python", main: "main.py", commands: python === undefined ? undefined : [[python, "main.py"]] },
  {
    name: "ruby",
    main: "main.rb",
    commands: ifAll([succeeds("ruby", "-e", 'require "jwt"')], [["ruby", "main.rb"]]),
  },
  { name: "php", main: "main.php", commands: ifAll([succeeds("php", "--version")], [["php", "main.php"]]) },
  {
    name: "java",
    main: "Main.java",
    commands: ifAll(
      [succeeds("javac", "--version"), succeeds("sh", "-c", `ls ${JACKSON.replaceAll(":", " ")}`)],
      [
        ["javac", "-Werror", "-cp", JACKSON, "Main.java", "Groups.java", "Sessions.java", "Webhooks.java"],
        ["java", "-cp", `.:${JACKSON}`, "Main"],
      ],
    ),
  },
  {
    name: "go",
    main: "main.go",
    commands: ifAll(
      [succeeds("go", "version")],
      [
        ["go", "vet", "main.go", "groups.go", "sessions.go", "webhooks.go"],
        ["go", "run", "main.go", "groups.go", "sessions.go", "webhooks.go"],
      ],
    ),
  },
];
