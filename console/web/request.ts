import type { Failure } from './model/problem.js';

export type Answer<T> = { readonly value: T; readonly tag: string } | { readonly failure: Failure };

export interface RequestOptions {
  readonly method?: string;
  /** Sent once, to sign in; from then on a cookie stands for it. */
  readonly token?: string;
  readonly signal?: AbortSignal;
  /** Of the answer before: the same one is not read again. */
  readonly known?: string;
}

const LIMIT_MS = 20_000;

function headersOf({ token }: RequestOptions): Record<string, string> {
  // By this header, the server knows that no other site sends it.
  return { 'x-fairlead-page': '1', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
}

/** Never throws: who gave up, and a server that does not answer, are failures without a code. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<Answer<T> | undefined> {
  const { method = 'GET', signal, known } = options;
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    const response = await fetch(path, {
      method,
      headers: headersOf(options),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    const tag = response.headers.get('etag') ?? '';
    if (!response.ok) return { failure: { code: response.status, text: await response.text() } };
    if (tag !== '' && tag === known) return undefined;
    // The server is of the same version as this page.
    return { value: (response.status === 204 ? undefined : await response.json()) as T, tag };
  } catch (error: unknown) {
    return { failure: { text: String(error) } };
  }
}
