/** A failure that whoever runs the service can mend; its message is one line that says what to do. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
