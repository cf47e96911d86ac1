import { useEffect, useState } from "react";

/** The other pages use the same storage key. */
const STORAGE_KEY = "user-groups:theme";
const THEMES = { system: "System", light: "Light", dark: "Dark" };

/** Selects the color scheme, which the browser remembers. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme);
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
    if (theme === "system") localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, theme);
  }, [theme]);
  return (
    <label className="theme-switch">
      <span>Theme</span>
      <select value={theme} onChange={(event) => setTheme(event.target.value)}>
        {Object.entries(THEMES).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The documentation stores "auto" for the system's theme. */
function storedTheme(): string {
  const theme = localStorage.getItem(STORAGE_KEY) ?? "";
  return theme in THEMES ? theme : "system";
}
