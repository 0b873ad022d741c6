import { TerminalError } from '#controllers/runtime/pure/errors.js';

/** What the API has and this engine does not do: said, never passed over. `wayOut` is what to do without it. */
export function notSupported(what: string, wayOut = 'remove it'): TerminalError {
  const message = `${what} is not supported by the embedded engine: ${wayOut}, or run Flux (--engine=external)`;
  return new TerminalError('FeatureNotSupported', message);
}
