/** How Flux and the embedded engine begin the message of a failed action; then comes what failed. */
const FAILED_ACTION = /^(Helm \w+ failed for release \S+ with chart \S+|health check failed(?: after [\w.]+)?): (.+)$/s;

/** The message with its cause first: what was being done when it arose stands behind it. */
export function causeFirst(message: string): string {
  const [, action, cause] = FAILED_ACTION.exec(message) ?? [];
  return action === undefined || cause === undefined ? message : `${cause} (${action})`;
}
