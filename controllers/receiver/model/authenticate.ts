import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ObjectRef } from '#api/meta.js';
import type { ReceiverSpec, ReceiverType } from '#api/flux/receiver.js';

const PATH = /^\/hook\/[0-9a-f]{64}$/;

/** The path of a Receiver, by Flux's formula. Who knows it knows the token, or was told the path. */
export function webhookPath(token: Uint8Array, { name, namespace = '' }: ObjectRef): string {
  return `/hook/${createHash('sha256').update(token).update(`${name}${namespace}`).digest('hex')}`;
}

/** True for what may be the path of a Receiver. */
export function isWebhookPath(text: string): boolean {
  return PATH.test(text);
}

/** A webhook as it came. */
export interface Delivery {
  /** Lower-case names, as Node has them; a doubled one is joined by a comma. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/** How the webhooks of one sender are checked. */
interface Check {
  /** Whether the sender knows the token. Absent: that he knows the path is enough. */
  readonly isAuthentic?: (delivery: Delivery, token: Uint8Array) => boolean;
  /** True: the body is part of what is authentic, so that the same one again is a replay. */
  readonly isSigned?: boolean;
  /** Header with the event. */
  readonly event?: string;
  /** Why the body is none of this sender. */
  readonly bodyProblem?: (body: unknown) => string | undefined;
}

function headerOf({ headers }: Delivery, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

/** In a time that says nothing about either. */
function isEqual(given: Uint8Array, wanted: Uint8Array): boolean {
  const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
  return timingSafeEqual(digestOf(given), digestOf(wanted));
}

/** Node reads headers byte by byte. */
function hasToken(header: string): NonNullable<Check['isAuthentic']> {
  return (delivery, token) => isEqual(Buffer.from(headerOf(delivery, header), 'latin1'), token);
}

function isHmac(algorithm: string, hex: string, { body }: Delivery, token: Uint8Array): boolean {
  return isEqual(
    Buffer.from(hex.toLowerCase(), 'latin1'),
    Buffer.from(createHmac(algorithm, token).update(body).digest('hex')),
  );
}

/** `ALGORITHM=HEX` in the first of the headers that is there. */
function hasSignature(...names: string[]): NonNullable<Check['isAuthentic']> {
  return (delivery, token) => {
    const value = names.map((name) => headerOf(delivery, name)).find((each) => each !== '') ?? '';
    const [, algorithm, hex] = /^(sha1|sha256|sha512)=([0-9a-fA-F]+)$/.exec(value) ?? [];
    return algorithm !== undefined && hex !== undefined && isHmac(algorithm, hex, delivery, token);
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function noObject(body: unknown): string | undefined {
  return isObject(body) ? undefined : 'the body is not a JSON object';
}

/** The fields that every CDEvent has. */
function noCdEvent(body: unknown): string | undefined {
  const { context, subject } = isObject(body) ? body : {};
  const fields = isObject(context) ? [context['id'], context['source'], context['type'], context['timestamp']] : [];
  const isComplete = fields.length > 0 && fields.every((field) => typeof field === 'string' && field !== '');
  return isComplete && isObject(subject) ? undefined : 'the body is not a CDEvent';
}

/** What is not here is not supported. */
const CHECKS: Readonly<Partial<Record<ReceiverType, Check>>> = {
  generic: {},
  'generic-hmac': { isAuthentic: hasSignature('x-signature'), isSigned: true },
  github: {
    isAuthentic: hasSignature('x-hub-signature-256', 'x-hub-signature'),
    isSigned: true,
    event: 'x-github-event',
  },
  gitlab: { isAuthentic: hasToken('x-gitlab-token'), event: 'x-gitlab-event' },
  bitbucket: {
    isAuthentic: hasSignature('x-hub-signature-256', 'x-hub-signature'),
    isSigned: true,
    event: 'x-event-key',
  },
  harbor: { isAuthentic: hasToken('authorization') },
  dockerhub: { bodyProblem: noObject },
  quay: { bodyProblem: noObject },
  acr: { bodyProblem: noObject },
  nexus: {
    isAuthentic: (delivery, token) => isHmac('sha1', headerOf(delivery, 'x-nexus-webhook-signature'), delivery, token),
    isSigned: true,
    bodyProblem: noObject,
  },
  cdevents: { event: 'ce-type', bodyProblem: noCdEvent },
};

/** Senders whose webhooks can be checked. */
export const SUPPORTED_TYPES: readonly string[] = Object.keys(CHECKS);

/** True if the sender of a webhook knows the token. The path is not asked about. */
export function isAuthentic(type: ReceiverType, delivery: Delivery, token: Uint8Array): boolean {
  const check = CHECKS[type];
  if (check === undefined || token.length === 0) return false;
  return check.isAuthentic?.(delivery, token) ?? true;
}

/** Equal for deliveries of which one is a replay; undefined where a sender may say the same twice. */
export function signedContent(type: ReceiverType, { body }: Pick<Delivery, 'body'>): string | undefined {
  if (CHECKS[type]?.isSigned !== true) return undefined;
  return createHash('sha256').update(body).digest('base64');
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The JSON object that a text is; undefined when it is none. */
export function jsonObjectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(text);
  return isObject(value) ? value : undefined;
}

function textOf({ body }: Delivery): string {
  return Buffer.from(body).toString('utf8');
}

/** Why the event of an authentic webhook is not accepted; undefined if it is. The sender may read it. */
export function eventProblem(
  { type, events = [] }: Pick<ReceiverSpec, 'type' | 'events'>,
  delivery: Delivery,
): string | undefined {
  const { event } = CHECKS[type] ?? {};
  if (event === undefined || events.length === 0) return undefined;
  const name = headerOf(delivery, event).toLowerCase();
  return events.some((each) => each.toLowerCase() === name) ? undefined : 'the event is not one of spec.events';
}

/** Why the body of an authentic webhook is not accepted; undefined if it is. The sender may read it. */
export function bodyProblem(type: ReceiverType, delivery: Delivery): string | undefined {
  const problemOf = CHECKS[type]?.bodyProblem;
  return problemOf?.(jsonIn(textOf(delivery)));
}

/** What filters see of the body, as JSON: an empty object, unless it says that it is JSON. */
export function jsonOf(delivery: Delivery): string {
  const types = headerOf(delivery, 'content-type').split(',');
  const isJson = types.some((each) => each.split(';', 1)[0]?.trim().toLowerCase() === 'application/json');
  return isJson ? textOf(delivery) : '{}';
}
