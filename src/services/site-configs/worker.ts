import { parentPort } from "node:worker_threads";
import { DomainError, type DomainErrorDetails, type ErrorCode } from "../../domain/shared/errors.js";
import { runTask, type Task, type TaskName, type TaskOutputs } from "../../domain/site-configs/tasks.js";

/** The answer of the worker thread to one task. It travels as JSON: structured clones take longer to read. */
export type TaskReply<Name extends TaskName> =
  | { readonly output: TaskOutputs[Name] }
  | { readonly refusal: DomainErrorDetails & { readonly code: ErrorCode; readonly message: string } }
  | { readonly failure: string };

// This file is the worker thread: nothing else imports it but for its types.
parentPort?.on("message", (task: Task<TaskName>) => {
  parentPort?.postMessage(JSON.stringify(reply(task)));
});

function reply(task: Task<TaskName>): TaskReply<TaskName> {
  try {
    return { output: runTask(task) };
  } catch (error) {
    if (!(error instanceof DomainError))
      return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    const { code, message, field, figures } = error;
    return { refusal: { code, message, ...(field && { field }), ...(figures && { figures }) } };
  }
}
