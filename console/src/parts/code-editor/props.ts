import type { Ref } from "react";

/** A remark on a position in the text. */
export interface Mark {
  /** Starts at 1. */
  readonly line: number;
  /** Starts at 1, in UTF-16 code units. */
  readonly column: number;
  readonly severity: "error" | "warning" | "notice";
  readonly message: string;
}

/** Actions on an editor that has loaded. */
export interface EditorHandle {
  /** Focuses the editor and selects from a position to the end of its line. */
  goTo(line: number, column: number): void;
  /** Replaces the selection by a text, as a JSON string or as part of the one around it, and focuses the editor. */
  insert(text: string): void;
}

export interface CodeEditorProps {
  /** Accessible name. */
  readonly label: string;
  /** The text, with LF line breaks. */
  readonly text: string;
  readonly isReadOnly?: boolean;
  /** Whether a form should focus the editor when the text is refused. */
  readonly isInvalid?: boolean;
  readonly onChange: (text: string) => void;
  /** Shown in the text and at the line numbers; without them, JSON syntax errors are marked. */
  readonly marks?: readonly Mark[];
  /** Returns a JSON Schema that provides completion and descriptions. */
  readonly schema?: () => object;
  readonly handle?: Ref<EditorHandle>;
}

/** One of the compared versions. */
interface DiffSide {
  /** Accessible name. */
  readonly label: string;
  readonly text: string;
}

export interface DiffProps {
  readonly before: DiffSide;
  readonly after: DiffSide;
}
