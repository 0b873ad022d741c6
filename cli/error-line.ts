/** What a user reads of an error: its message, and what caused it where the message does not say so already. */
export function errorLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const parts = [error.message];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    const { message } = cause;
    if (!parts.some((part) => part.includes(message))) parts.push(message);
  }
  return parts.filter((part) => part !== '').join(': ') || error.name;
}
