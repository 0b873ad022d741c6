import type { ApplicationDetail } from '#queries/answers/application.js';
import type { PlannedApplication } from '#queries/answers/plans.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import type { PlainMap } from '#lib/plain.js';
import { editableTexts, toSend } from './model/application-text.js';
import { changeProblemOf, onceProblemOf, type Failure, type Problem } from '../data/model/problem.js';
import { refusedBy, type Refused } from './model/refusal.js';
import { PREVIEW_MS, request, type Answer } from '../data/request.js';

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

/** As of a server that is not there. */
const NO_ANSWER: Failure = { text: '' };
const CONFLICT = 409;
/** The status of an Application changes often, and each change of it is a new version. */
const MOST_VERSIONS = 5;

function applicationsUrl(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/applications`;
}

export function applicationUrl({ namespace, name }: Pick<Target, 'namespace' | 'name'>): string {
  return `${applicationsUrl(namespace)}/${encodeURIComponent(name)}`;
}

/** What is said without an answer: nobody knows whether a change was made, and a question may be asked again. */
type Explain = typeof changeProblemOf;

function failed(failure: Failure, explain: Explain): Exclude<Sent<never>, { answer: never }> {
  const problem = explain(failure);
  const isRefusal = failure.code !== undefined && failure.code !== 401 && failure.code < 500;
  return isRefusal ? { refused: refusedBy(failure) } : { problem };
}

function editable({ uid, spec, ...texts }: ApplicationDetail): string {
  return canonicalJson({ uid, ...editableTexts(texts), spec });
}

function sentBy<T>(answer: Answer<T> | undefined, explain: Explain): Sent<T> {
  if (answer === undefined) return failed(NO_ANSWER, explain);
  return 'failure' in answer ? failed(answer.failure, explain) : { answer: answer.value };
}

/** The Application, with each digit of its numbers. */
async function readExactly(place: Pick<Target, 'namespace' | 'name'>): Promise<Sent> {
  return sentBy(await request<ApplicationDetail>(applicationUrl(place), { exact: true }), onceProblemOf);
}

interface Asking<T> {
  readonly ask: (base: ApplicationDetail) => Promise<Answer<T> | undefined>;
  readonly explain: Explain;
}

/** Asks about the newest version of what was read, if nobody but the controller wrote it since. */
async function ofNewest<T>(base: ApplicationDetail, asking: Asking<T>, left = MOST_VERSIONS): Promise<Sent<T>> {
  const answer = await asking.ask(base);
  const isOld = answer !== undefined && 'failure' in answer && answer.failure.code === CONFLICT;
  if (!isOld) return sentBy(answer, asking.explain);
  const now = await readExactly(base);
  if (!('answer' in now)) return now;
  const theirs = now.answer;
  if (editable(theirs) !== editable(base)) return { theirs };
  return left > 0 ? ofNewest(theirs, asking, left - 1) : failed(answer.failure, asking.explain);
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
  const explain = dryRun ? onceProblemOf : changeProblemOf;
  const write = (url: string, method: string, body: PlainMap) =>
    request<ApplicationDetail>(`${url}${query}`, { method, body, exact: true });
  if (target.base !== undefined) {
    const ask = (base: ApplicationDetail) => write(applicationUrl(base), 'PUT', toSend(value, base));
    return ofNewest(target.base, { ask, explain });
  }
  const missing = missingIn(target);
  if (missing !== undefined) return { refused: missing };
  return sentBy(await write(applicationsUrl(target.namespace), 'POST', toSend(value)), explain);
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
  if (base !== undefined) return ofNewest(base, { ask, explain: onceProblemOf });
  return sentBy(await ask(), onceProblemOf);
}
