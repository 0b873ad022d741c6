import { TerminalError } from '#lib/errors.js';

/** A part of the API that this engine does not support: reported, never ignored. `wayOut` says what to do instead. */
export function notSupported(what: string, wayOut = 'remove it'): TerminalError {
  const message = `${what} is not supported by the embedded engine: ${wayOut}, or run Flux (--engine=external)`;
  return new TerminalError('FeatureNotSupported', message);
}
