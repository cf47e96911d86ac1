import { parentPort } from "node:worker_threads";
import { type ErrorCode } from "../../domain/shared/error-catalogue.js";
import { DomainError, type DomainErrorOptions } from "../../domain/shared/errors.js";
import { runTask, type Task, type TaskName, type TaskOutputs } from "../../domain/site-configs/tasks.js";

/** The worker thread's reply to a task, sent as JSON because structured cloning is slower. */
export type TaskReply<Name extends TaskName> =
  | { readonly output: TaskOutputs[Name] }
  | { readonly refusal: DomainErrorOptions & { readonly code: ErrorCode; readonly message: string } }
  | { readonly failure: string };

// Worker thread entry point: import only types from this file.
parentPort?.on("message", (task: Task<TaskName>) => {
  parentPort?.postMessage(JSON.stringify(reply(task)));
});

function reply(task: Task<TaskName>): TaskReply<TaskName> {
  try {
    return { output: runTask(task) };
  } catch (error) {
    if (!(error instanceof DomainError))
      return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    const { code, message, field, details } = error;
    return { refusal: { code, message, ...(field && { field }), ...(details && { details }) } };
  }
}
