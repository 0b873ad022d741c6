import { customFetch, createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';
import { Agent, fetch } from 'undici';
import type { UserInfo } from '#api/core.js';
import { claimedIssuer, userOfClaims, type ClaimRules } from '../shared/oidc-claims.js';
import { Refusal } from '../shared/refusal.js';

export interface OidcOptions {
  readonly rules: ClaimRules;
  /** Tokens are for this client. */
  readonly clientId: string;
  readonly signingAlgorithms: readonly string[];
  /** Authorities (PEM) of the certificate of the provider; default: those of the system. */
  readonly ca?: string | undefined;
  readonly log: Logger;
  /** Milliseconds between two looks for a key that is not known; default 30 s. */
  readonly cooldownMs?: number;
}

/** Undefined; throws what is not about the signature. */
function signedByAnother(failure: unknown): undefined {
  if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
  return undefined;
}

/** Verifies tokens of one OpenID Connect provider. */
export interface Oidc {
  /** True for tokens that say they are of this provider: nobody else is asked about them. */
  claims(token: string): boolean;
  /** Throws a Refusal: 401 if the token does not count, 503 if nobody can tell now. */
  identify(token: string): Promise<UserInfo>;
  close(): Promise<void>;
}

const COOLDOWN_MS = 30_000;
const ANSWER_MS = 5_000;
const FAILED_MS = 1_000;
/** Keys are read again after this time, so that one that is withdrawn counts no longer. */
const KEYS_MS = 600_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Clocks of two machines differ. */
const SKEW_SECONDS = 5;
const SECURE = 'https:';

/** What says that the token is wrong; everything else says that nobody can tell. */
const WRONG: readonly (new (...given: never[]) => Error)[] = [
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWKSNoMatchingKey,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
];

class Provider implements Oidc {
  readonly #options: OidcOptions;
  readonly #agent: Agent;
  #keys: Promise<JWTVerifyGetKey> | undefined;
  #problem = '';

  constructor(options: OidcOptions) {
    this.#options = options;
    const connect = options.ca === undefined ? {} : { connect: { ca: options.ca } };
    const times = { headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS };
    this.#agent = new Agent({ maxResponseSize: MAX_ANSWER_BYTES, connections: 2, ...times, ...connect });
  }

  claims(token: string): boolean {
    return claimedIssuer(token) === this.#options.rules.issuer;
  }

  async identify(token: string): Promise<UserInfo> {
    const named = userOfClaims(await this.#verified(token), this.#options.rules);
    if ('problem' in named) throw new Refusal(401, named.problem);
    return named.user;
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #verified(token: string): Promise<JWTPayload> {
    try {
      const keys = await this.#discovered();
      return await this.#verify(token, keys);
    } catch (cause: unknown) {
      if (WRONG.some((each) => cause instanceof each)) {
        throw new Refusal(401, 'the token is not valid, or no longer', { cause });
      }
      this.#say(cause);
      throw new Refusal(503, 'the keys of the OIDC provider cannot be read: try again later', { cause });
    }
  }

  /** A token need not say which key signed it: then each that fits may have. */
  async #verify(token: string, keys: JWTVerifyGetKey): Promise<JWTPayload> {
    const { rules, clientId, signingAlgorithms } = this.#options;
    const wanted = {
      ...{ issuer: rules.issuer, audience: clientId, algorithms: [...signingAlgorithms] },
      ...{ clockTolerance: SKEW_SECONDS, requiredClaims: ['exp'] },
    };
    try {
      return (await jwtVerify(token, keys, wanted)).payload;
    } catch (error: unknown) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      for await (const key of error) {
        const payload = await jwtVerify(token, key, wanted).then((verified) => verified.payload, signedByAnother);
        if (payload !== undefined) return payload;
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  /** Read when the first token comes, so that the server starts without the provider. A failure counts for a second. */
  #discovered(): Promise<JWTVerifyGetKey> {
    if (this.#keys !== undefined) return this.#keys;
    const keys = this.#discover();
    this.#keys = keys;
    keys.catch(() => setTimeout(() => (this.#keys = undefined), FAILED_MS).unref());
    return keys;
  }

  async #discover(): Promise<JWTVerifyGetKey> {
    const { rules, cooldownMs = COOLDOWN_MS } = this.#options;
    const read = this.#read.bind(this);
    const url = `${rules.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const answer = await read(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    if (answer.status !== 200) throw new Error(`${url} answered with ${answer.status}`);
    const { issuer, jwks_uri: keysUrl } = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown };
    if (issuer !== rules.issuer) throw new Error(`${url} is of another issuer: ${JSON.stringify(issuer)}`);
    const parsed = typeof keysUrl === 'string' && URL.canParse(keysUrl) ? new URL(keysUrl) : undefined;
    if (parsed?.protocol !== SECURE) throw new Error(`${url} names no keys that are served by TLS`);
    const times = { timeoutDuration: ANSWER_MS, cooldownDuration: cooldownMs, cacheMaxAge: KEYS_MS };
    return createRemoteJWKSet(parsed, { ...times, [customFetch]: read });
  }

  /** A redirect would lead to a server that nobody named. */
  async #read(url: string, { signal, headers }: { signal?: AbortSignal; headers?: Headers }): Promise<Response> {
    const options = { dispatcher: this.#agent, redirect: 'error' as const, signal: signal ?? null };
    const answer = await fetch(url, { ...options, headers: [...(headers ?? [])] });
    // undici has a class of its own, of another version than the one of Node.
    return new Response(await answer.text(), { status: answer.status });
  }

  /** Each problem once: tokens come often. */
  #say(cause: unknown): void {
    const problem = cause instanceof Error ? [cause.message, textOf(cause.cause)].join(' ').trim() : String(cause);
    if (problem !== this.#problem) this.#options.log.error({ problem }, 'OIDC provider not reached');
    this.#problem = problem;
  }
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : '';
}

export function createOidc(options: OidcOptions): Oidc {
  return new Provider(options);
}
