import { isDeepStrictEqual } from 'node:util';
import type { Credential, CredentialSource } from './transport.js';

/** How long a credential of an exec plugin, OIDC provider or file is used before it is asked for again. */
const REUSE_MS = 10_000;
/** A refused credential is asked for again at most this often: a plugin is a process. */
const RENEW_PAUSE_MS = 1_000;

/** Where a credential comes from; with `anew` nothing of what is known may be used again. */
export type Ask = (anew: boolean) => Promise<Credential>;

/**
 * One flight for all requests that need a credential at the same time; asked again after 10 s, after a failure, or when
 * the server refused what it gave. The object changes only when the credential does. `now` is monotonic milliseconds.
 */
export function renewedCredential(ask: Ask, now: () => number = () => performance.now()): CredentialSource {
  let flight: Promise<Credential> | undefined;
  let askedAt = -Infinity;
  let renewedAt = -Infinity;
  let known: Credential | undefined;

  function start(anew: boolean): Promise<Credential> {
    askedAt = now();
    const started = ask(anew).then((fresh) => {
      if (known === undefined || !isDeepStrictEqual(known, fresh)) known = fresh;
      return known;
    });
    started.catch(() => {
      if (flight === started) flight = undefined;
    });
    flight = started;
    return started;
  }

  function renew(refused: Credential): Promise<Credential> {
    const pending = flight ?? start(true);
    // Somebody else was refused before us: their new credential, or their flight, is ours.
    if (refused !== known || now() - renewedAt < RENEW_PAUSE_MS) return pending;
    renewedAt = now();
    return start(true);
  }

  return (refused) => {
    if (refused !== undefined) return renew(refused);
    return flight === undefined || now() - askedAt > REUSE_MS ? start(false) : flight;
  };
}
