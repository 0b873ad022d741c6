import { isDeepStrictEqual } from 'node:util';
import type { Credential, CredentialSource } from './transport.js';

/** How long a credential of an exec plugin, OIDC provider or file is used before it is requested again. */
const REUSE_MS = 10_000;
/** A rejected credential is renewed at most this often: each call of a plugin is a process. */
const RENEW_PAUSE_MS = 1_000;

/** Where a credential comes from; with `refresh` nothing cached may be used. */
export type Ask = (refresh: boolean) => Promise<Credential>;

/**
 * One call of `ask` for all concurrent requests; asked again after 10 s, after a failure, or when the server rejected
 * the credential. The object changes only when the credential does. `now` is monotonic milliseconds.
 */
export function cachedCredential(ask: Ask, now: () => number = () => performance.now()): CredentialSource {
  let flight: Promise<Credential> | undefined;
  let askedAt = -Infinity;
  let renewedAt = -Infinity;
  let known: Credential | undefined;

  function start(refresh: boolean): Promise<Credential> {
    askedAt = now();
    const started = ask(refresh).then((fresh) => {
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
    // Another request was rejected before: use its new credential, or the pending one.
    if (refused !== known || now() - renewedAt < RENEW_PAUSE_MS) return pending;
    renewedAt = now();
    return start(true);
  }

  return (refused) => {
    if (refused !== undefined) return renew(refused);
    return flight === undefined || now() - askedAt > REUSE_MS ? start(false) : flight;
  };
}
