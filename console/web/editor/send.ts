import type { ApplicationDetail } from '#console/server/model/application-detail.js';
import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import type { PlainMap } from '#controllers/runtime/pure/plain.js';
import { toSend } from '../model/application-text.js';
import { problemOf, type Failure, type Problem } from '../model/problem.js';
import { refusedBy, type Refused } from '../model/refusal.js';
import { request } from '../request.js';

/** Where an Application is written: a new one has no base. */
export interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly base?: ApplicationDetail | undefined;
}

export type Sent =
  | { readonly answer: ApplicationDetail }
  /** Somebody changed it meanwhile. */
  | { readonly theirs: ApplicationDetail }
  | { readonly refused: Refused }
  | { readonly problem: Problem };

const CONFLICT = 409;
/** The status of an Application changes often, and each change of it is a new version. */
const MOST_VERSIONS = 5;

function applicationsUrl(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/applications`;
}

function urlOf({ namespace, name }: Pick<Target, 'namespace' | 'name'>): string {
  return `${applicationsUrl(namespace)}/${encodeURIComponent(name)}`;
}

function failed(failure: Failure): Sent {
  const problem = problemOf(failure);
  const isRefusal = failure.code !== undefined && failure.code !== 401 && failure.code < 500;
  return isRefusal ? { refused: refusedBy(failure) } : { problem };
}

function editable({ uid, labels, annotations, spec }: ApplicationDetail): string {
  return canonicalJson({ uid, labels, annotations, spec });
}

/** The Application, with each digit of its numbers. */
export async function readExactly(place: Pick<Target, 'namespace' | 'name'>): Promise<Sent> {
  const answer = await request<ApplicationDetail>(urlOf(place), { exact: true });
  if (answer === undefined) return { problem: problemOf({ text: '' }) };
  return 'failure' in answer ? failed(answer.failure) : { answer: answer.value };
}

async function replace(base: ApplicationDetail, value: PlainMap, query: string, left = MOST_VERSIONS): Promise<Sent> {
  const path = `${urlOf(base)}${query}`;
  const answer = await request<ApplicationDetail>(path, { method: 'PUT', body: toSend(value, base), exact: true });
  if (answer === undefined || 'value' in answer) return { answer: answer?.value ?? base };
  if (answer.failure.code !== CONFLICT) return failed(answer.failure);
  const now = await readExactly(base);
  if (!('answer' in now)) return now;
  const theirs = now.answer;
  if (editable(theirs) !== editable(base)) return { theirs };
  return left > 0 ? replace(theirs, value, query, left - 1) : failed(answer.failure);
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
  if (target.base !== undefined) return replace(target.base, value, query);
  const missing = missingIn(target);
  if (missing !== undefined) return { refused: missing };
  const path = `${applicationsUrl(target.namespace)}${query}`;
  const answer = await request<ApplicationDetail>(path, { method: 'POST', body: toSend(value), exact: true });
  if (answer === undefined) return { problem: problemOf({ text: '' }) };
  return 'failure' in answer ? failed(answer.failure) : { answer: answer.value };
}
