import { parseJson, printJson } from '#lib/json/lossless-json.js';
import { PAGE_HEADER, USER_HEADER, userHeaderOf } from '../../shared/request-headers.js';
import type { Failure } from './model/problem.js';

export type Answer<T> = { readonly value: T; readonly tag: string } | { readonly failure: Failure };

export interface RequestOptions {
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent once, to sign in; from then on a cookie stands for it. */
  readonly token?: string;
  readonly signal?: AbortSignal;
  /** Of the answer before: the same one is not read again. */
  readonly known?: string;
  /** True: the answer is to be sent back, so that no digit of its numbers may be lost. */
  readonly exact?: boolean;
  /** Awaited before a new answer is read, which may take long. */
  readonly beforeReading?: () => Promise<void>;
  /** True: it is answered whoever is signed in. */
  readonly isOfAnybody?: boolean;
  /** Until it is given up. */
  readonly limitMs?: number;
}

const LIMIT_MS = 20_000;
/** The server ends a preview after 20 seconds, and says so. */
export const PREVIEW_MS = 25_000;

/** All tabs of a browser have one cookie, and one of them may sign in somebody else. */
const believed = { user: '' };

/** From now on requests say that they are of this user, so that the server answers them to nobody else. */
export function sayUser(user: string): void {
  believed.user = user;
}

/** By the first, the server knows that no other site sends it. */
export function pageHeaders(isOfAnybody = false): Record<string, string> {
  const user = isOfAnybody || believed.user === '' ? {} : { [USER_HEADER]: userHeaderOf(believed.user) };
  return { [PAGE_HEADER]: '1', ...user };
}

function headersOf({ token, body, isOfAnybody = false }: RequestOptions): Record<string, string> {
  return {
    ...pageHeaders(isOfAnybody || token !== undefined),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
}

function initOf(options: RequestOptions): RequestInit {
  const { method = 'GET', body, signal, limitMs = LIMIT_MS } = options;
  const limit = AbortSignal.timeout(limitMs);
  return {
    method,
    headers: headersOf(options),
    ...(body === undefined ? {} : { body: printJson(body) }),
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
  };
}

async function valueOf(response: Response, exact: boolean): Promise<unknown> {
  if (response.status === 204) return undefined;
  return exact ? parseJson(await response.text()) : response.json();
}

/** Never throws: who gave up, and a server that does not answer, are failures without a code. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<Answer<T> | undefined> {
  try {
    const response = await fetch(path, initOf(options));
    const tag = response.headers.get('etag') ?? '';
    if (!response.ok) return { failure: { code: response.status, text: await response.text() } };
    if (tag !== '' && tag === options.known) return undefined;
    await options.beforeReading?.();
    // The server is of the same version as this page.
    return { value: (await valueOf(response, options.exact === true)) as T, tag };
  } catch (error: unknown) {
    return { failure: { text: String(error) } };
  }
}
