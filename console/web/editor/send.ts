import type { ApplicationDetail } from '#console/server/model/application-detail.js';
import type { PlannedApplication } from '#controllers/read-model/planned-view.js';
import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import type { PlainMap } from '#controllers/runtime/pure/plain.js';
import { editableTexts, toSend } from '../model/application-text.js';
import { problemOf, type Failure, type Problem } from '../model/problem.js';
import { refusedBy, type Refused } from '../model/refusal.js';
import { request, type Answer } from '../request.js';
import { PREVIEW_MS } from '../use-plan-answer.js';

/** Where an Application is written: a new one has no base. */
export interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly base?: ApplicationDetail | undefined;
}

export type Sent<T = ApplicationDetail> =
  | { readonly answer: T }
  /** Somebody changed it meanwhile. */
  | { readonly theirs: ApplicationDetail }
  | { readonly refused: Refused }
  | { readonly problem: Problem };

const NO_ANSWER = { problem: problemOf({ text: '' }) };
const CONFLICT = 409;
/** The status of an Application changes often, and each change of it is a new version. */
const MOST_VERSIONS = 5;

function applicationsUrl(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/applications`;
}

export function applicationUrl({ namespace, name }: Pick<Target, 'namespace' | 'name'>): string {
  return `${applicationsUrl(namespace)}/${encodeURIComponent(name)}`;
}

function failed(failure: Failure): Exclude<Sent<never>, { answer: never }> {
  const problem = problemOf(failure);
  const isRefusal = failure.code !== undefined && failure.code !== 401 && failure.code < 500;
  return isRefusal ? { refused: refusedBy(failure) } : { problem };
}

function editable({ uid, spec, ...texts }: ApplicationDetail): string {
  return canonicalJson({ uid, ...editableTexts(texts), spec });
}

/** The Application, with each digit of its numbers. */
async function readExactly(place: Pick<Target, 'namespace' | 'name'>): Promise<Sent> {
  const answer = await request<ApplicationDetail>(applicationUrl(place), { exact: true });
  if (answer === undefined) return NO_ANSWER;
  return 'failure' in answer ? failed(answer.failure) : { answer: answer.value };
}

type Ask<T> = (base: ApplicationDetail) => Promise<Answer<T> | undefined>;

/** Asks about the newest version of what was read, if nobody but the controller wrote it since. */
async function ofNewest<T>(base: ApplicationDetail, ask: Ask<T>, left = MOST_VERSIONS): Promise<Sent<T>> {
  const answer = await ask(base);
  if (answer === undefined) return NO_ANSWER;
  if ('value' in answer) return { answer: answer.value };
  if (answer.failure.code !== CONFLICT) return failed(answer.failure);
  const now = await readExactly(base);
  if (!('answer' in now)) return now;
  const theirs = now.answer;
  if (editable(theirs) !== editable(base)) return { theirs };
  return left > 0 ? ofNewest(theirs, ask, left - 1) : failed(answer.failure);
}

/** Without them, there is no address to send it to. */
function missingIn({ namespace, name }: Target): Refused | undefined {
  const fields = Object.entries({ namespace, name }).filter(([, text]) => text === '');
  if (fields.length === 0) return undefined;
  return { text: '', fields: fields.map(([field]) => ({ field: `metadata.${field}`, message: 'Required value' })) };
}

/** Writes it, or has the API server check it; what only the controller wrote meanwhile is no conflict. */
export async function send(target: Target, value: PlainMap, dryRun: boolean): Promise<Sent> {
  const query = dryRun ? '?dryRun=All' : '';
  const ask = (url: string, method: string, body: PlainMap) =>
    request<ApplicationDetail>(`${url}${query}`, { method, body, exact: true });
  if (target.base !== undefined) {
    return ofNewest(target.base, (base) => ask(applicationUrl(base), 'PUT', toSend(value, base)));
  }
  const missing = missingIn(target);
  if (missing !== undefined) return { refused: missing };
  const answer = await ask(applicationsUrl(target.namespace), 'POST', toSend(value));
  if (answer === undefined) return NO_ANSWER;
  return 'failure' in answer ? failed(answer.failure) : { answer: answer.value };
}

/** What the controller would do if it were written. Gives up when it is told to. */
export async function preview(
  { namespace, base }: Target,
  value: PlainMap,
  signal: AbortSignal,
): Promise<Sent<PlannedApplication>> {
  const ask = (live?: ApplicationDetail) => {
    const options = { method: 'POST', body: toSend(value, live), signal, exact: true, limitMs: PREVIEW_MS };
    return request<PlannedApplication>(`/api/v1/namespaces/${encodeURIComponent(namespace)}/preview`, options);
  };
  if (base !== undefined) return ofNewest(base, ask);
  const answer = await ask();
  if (answer === undefined) return NO_ANSWER;
  return 'failure' in answer ? failed(answer.failure) : { answer: answer.value };
}
