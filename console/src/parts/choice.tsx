import type { SelectHTMLAttributes } from "react";

interface ChoiceProps<Key extends string>
  extends Omit<SelectHTMLAttributes<HTMLSelectElement>, "value" | "onChange" | "children"> {
  /** The labels of the choices. */
  readonly choices: Readonly<Record<Key, string>>;
  readonly value: Key;
  readonly onChange: (value: Key) => void;
}

/** A menu of fixed choices. */
export function Choice<Key extends string>({ choices, value, onChange, ...control }: ChoiceProps<Key>) {
  const isChoice = (text: string): text is Key => text in choices;
  return (
    <select
      {...control}
      value={value}
      onChange={(event) => isChoice(event.target.value) && onChange(event.target.value)}
    >
      {Object.entries<string>(choices).map(([key, label]) => (
        <option key={key} value={key}>
          {label}
        </option>
      ))}
    </select>
  );
}
