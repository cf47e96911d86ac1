/** A failure that whoever runs the service can mend; its message says what to do, in one line but where it lists findings. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
