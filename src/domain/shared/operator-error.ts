/** An error that the operator can fix. The message says how, in one line unless it lists findings. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
