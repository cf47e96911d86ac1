import { CodeBlock } from "../parts/code-block.js";
import { Icon } from "../parts/icon.js";

export interface Step {
  readonly title: string;
  readonly isDone: boolean;
  readonly text: string;
  readonly command: string;
  /** Link to the page that does the same. */
  readonly page?: { readonly href: string; readonly label: string };
}

const DONE = "M5 12l5 5L20 7";
const OPEN = "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z";

/** The first steps of a new account, with commands to copy. The first open step is expanded. */
export function Checklist({ steps }: { readonly steps: readonly Step[] }) {
  const next = steps.find(({ isDone }) => !isDone);
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section className="card checklist" aria-labelledby="start">
      <h2 id="start">Get started</h2>
      <p className="fine">
        {done} of {steps.length} steps done. The commands need an API key in the variable <code>KEY</code>.
      </p>
      <ol>
        {steps.map((step) => (
          <li key={step.title}>
            <details open={step === next}>
              <summary>
                <span className={step.isDone ? "done" : "todo"}>
                  <Icon path={step.isDone ? DONE : OPEN} />
                </span>
                {step.title}
                <span className="unseen">{step.isDone ? " (done)" : " (open)"}</span>
              </summary>
              <p>{step.text}</p>
              <CodeBlock label={`Command: ${step.title}`} code={step.command} />
              {step.page && <a href={step.page.href}>{step.page.label}</a>}
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}
