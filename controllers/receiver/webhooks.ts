import type { Logger } from 'pino';
import type { Receiver } from '#api/flux/receiver.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { TerminalError, WaitingError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { createLru, type Lru } from '#lib/lru.js';
import { BY_PATH, readToken, type Deps } from './reconcile.js';
import { Admissions, RATE, type Admission } from './model/admission.js';
import {
  bodyProblem,
  eventProblem,
  isAuthentic,
  jsonOf,
  signedContent,
  webhookPath,
  type Delivery,
} from './model/authenticate.js';
import { acceptReceiver, type Accepted } from './model/validate.js';
import { notify } from './notify.js';

/** To the sender of a webhook. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds?: number;
}

/** `delivery` came with a POST to `path`. */
export type HandleWebhook = (path: string, delivery: Delivery) => Promise<Answer>;

export interface WebhookOptions extends Pick<Deps, 'receivers' | 'secrets' | 'allowCrossNamespace' | 'now'> {
  /** Not fenced: every replica answers webhooks. */
  readonly kube: Kube;
  readonly offload: Pick<Offload, 'run'>;
  readonly log: Logger;
}

const LIMIT_MS = 30_000;
const REMEMBERED = 1_000;

/** An unknown path and a wrong signature: nobody learns which of the two. */
export const NOT_FOUND: Answer = { status: 404, text: 'not found' };
const NOT_SYNCED: Answer = { status: 503, text: 'starting', retryAfterSeconds: 5 };
const NOT_READY: Answer = { status: 503, text: 'the Receiver is suspended, or not ready' };
const NO_JSON: Answer = { status: 400, text: 'the body is not a JSON object' };
const FAILED: Answer = { status: 500, text: 'not all objects were notified: the log of the controller says why' };
const DONE: Answer = { status: 200, text: 'ok' };

const NOT_ADMITTED: Readonly<Record<Exclude<Admission, 'accepted'>, Answer>> = {
  replay: { status: 200, text: 'this was received before' },
  'too many': { status: 429, text: 'too many webhooks', retryAfterSeconds: Math.ceil(RATE.refill / 1_000) },
};

class Webhooks {
  readonly #options: WebhookOptions;
  readonly #admissions = new Admissions();
  /** By the version of the Secret. */
  readonly #tokens: Lru<Buffer> = createLru(REMEMBERED);
  /** By the version of the spec. */
  readonly #accepted: Lru<Accepted> = createLru(REMEMBERED);

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  readonly handle: HandleWebhook = async (path, delivery) => {
    const { receivers, secrets } = this.#options;
    if (!receivers.synced || !secrets.synced) return NOT_SYNCED;
    const signal = AbortSignal.timeout(LIMIT_MS);
    for (const receiver of receivers.byIndex(BY_PATH, path)) {
      const token = await this.#token(receiver, signal);
      // A status is not believed: whoever may write one could claim the path of somebody else.
      if (token === undefined || webhookPath(token, receiver.metadata) !== path) continue;
      if (!isAuthentic(receiver.spec.type, delivery, token)) {
        this.#complain(receiver);
        continue;
      }
      return this.#answer(receiver, delivery, signal);
    }
    return NOT_FOUND;
  };

  async #token(receiver: Receiver, signal: AbortSignal): Promise<Buffer | undefined> {
    const { metadata, spec } = receiver;
    const secret = this.#options.secrets.get({ name: spec.secretRef?.name ?? '', namespace: metadata.namespace });
    if (secret === undefined) return undefined;
    const version = `${secret.metadata.uid} ${secret.metadata.resourceVersion}`;
    const known = this.#tokens.get(version);
    if (known !== undefined) return known;
    try {
      const token = await readToken(this.#options.kube, receiver, signal);
      this.#tokens.set(version, token);
      return token;
    } catch (error: unknown) {
      if (error instanceof WaitingError) return undefined;
      throw error;
    }
  }

  #accept(receiver: Receiver): Accepted | undefined {
    const { uid = '', generation = 0 } = receiver.metadata;
    const version = `${uid} ${generation}`;
    const known = this.#accepted.get(version);
    if (known !== undefined) return known;
    try {
      const accepted = acceptReceiver(receiver, this.#options.allowCrossNamespace);
      this.#accepted.set(version, accepted);
      return accepted;
    } catch (error: unknown) {
      if (error instanceof TerminalError) return undefined;
      throw error;
    }
  }

  /** To a sender who is authentic. */
  async #answer(receiver: Receiver, delivery: Delivery, signal: AbortSignal): Promise<Answer> {
    const accepted = this.#accept(receiver);
    if (accepted === undefined || receiver.spec.suspend === true) return NOT_READY;
    const problem = eventProblem(receiver.spec, delivery);
    if (problem !== undefined) return { status: 400, text: problem };
    const { namespace = '' } = receiver.metadata;
    const content = signedContent(receiver.spec.type, delivery);
    const notified = { key: keyOf(receiver.metadata), namespace, content };
    const admission = this.#admissions.admit(notified, performance.now());
    if (admission !== 'accepted') return NOT_ADMITTED[admission];
    const answer = await this.#notify(receiver, accepted, { delivery, signal });
    if (answer !== DONE) this.#admissions.forget(notified);
    return answer;
  }

  async #notify(
    receiver: Receiver,
    accepted: Accepted,
    { delivery, signal }: { readonly delivery: Delivery; readonly signal: AbortSignal },
  ): Promise<Answer> {
    const problem = bodyProblem(receiver.spec.type, delivery);
    if (problem !== undefined) return { status: 400, text: problem };
    const { kube, offload, now } = this.#options;
    const log = this.#logOf(receiver);
    const requestedAt = new Date(now()).toISOString();
    const tenant = receiver.metadata.namespace ?? '';
    const notified = await notify(accepted, { kube, offload, tenant, requestedAt, signal, body: jsonOf(delivery) });
    if (notified === undefined) return NO_JSON;
    log.info({ objects: notified.objects }, 'webhook received');
    for (const err of notified.errors) log.warn({ err }, 'not all objects of the webhook were notified');
    return notified.errors.length === 0 ? DONE : FAILED;
  }

  #logOf({ metadata, spec }: Receiver): Logger {
    return this.#options.log.child({ receiver: keyOf(metadata), type: spec.type });
  }

  /** For the operator alone: the sender does not learn that the path is right. */
  #complain(receiver: Receiver): void {
    if (!this.#admissions.mayComplain(keyOf(receiver.metadata), performance.now())) return;
    this.#logOf(receiver).warn('webhook refused: its signature or token is wrong (logged once a minute at most)');
  }
}

/** Answers webhooks, from the caches of Receivers and Secrets. */
export function webhookHandler(options: WebhookOptions): HandleWebhook {
  return new Webhooks(options).handle;
}
