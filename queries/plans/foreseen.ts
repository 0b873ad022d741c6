import pLimit from 'p-limit';
import { namespaceResource } from '#api/core.js';
import type { HelmRelease } from '#api/flux/helm-release.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import { clusterOf } from '#engine/flux/model/cluster.js';
import type { Member, Members } from '#engine/member/member.js';
import { createMembers } from '#engine/member/members.js';
import { printJson } from '#lib/json/lossless-json.js';
import { listed } from '#lib/text/text.js';
import { answerOf } from '#runtime/isolation/offload.js';
import { linkSignals } from '#runtime/process/signals.js';
import { problemOf } from '../members/read-destination.js';
import { readStored } from '../members/stored-release.js';
import { storedSchemaTask, type SchemaVerdict } from '../members/stored-schema.js';
import { questionsOf, type NamespaceQuestion, type ValuesQuestion, type Written } from './foreseen-questions.js';
import type { Reading } from './reading.js';

/** A plan asks about a few of what it writes: it is asked for often, and clusters are slow. */
const MOST_NAMESPACES = 20;
const MOST_RELEASES = 5;
const AT_ONCE = 6;
const EACH_MS = 3_000;
const ALL_MS = 5_000;
const NAMED = 3;

/** Problems that would keep children from becoming ready, by the step that writes them, and what could not be found out. */
export interface Foreseen {
  readonly problems: ReadonlyMap<Step, readonly string[]>;
  readonly notes: readonly string[];
}

interface Asking extends Pick<Reading, 'kube' | 'offload'> {
  readonly members: Members;
  readonly signal: AbortSignal;
}

async function memberOf({ metadata, spec }: Child, { members, signal }: Asking): Promise<Member> {
  // A child says it as its kind does.
  const cluster = clusterOf(spec as HelmRelease['spec']);
  if (cluster.kind === 'unreadable') throw new Error(cluster.problem);
  return members.get(cluster.kind === 'host' ? 'host' : cluster, metadata.namespace ?? '', { signal });
}

/** The sentence about each child that asks; empty: nothing is wrong. */
type Verdict = (written: Written) => string;

const NOTHING: Verdict = () => '';

async function verdictOnNamespace({ namespace, child }: NamespaceQuestion, asking: Asking): Promise<Verdict> {
  const { kube } = await memberOf(child, asking);
  if ((await kube.get(namespaceResource, { name: namespace }, { signal: asking.signal })) !== undefined) return NOTHING;
  return ({ step: { entry } }) => {
    const field = `${entry.path}.install.createNamespace`;
    return `namespace ${namespace} does not exist on ${entry.clusterName}: create it, or set ${field}: true`;
  };
}

async function verdictOnValues({ values, deployed, version }: ValuesQuestion, asking: Asking): Promise<Verdict> {
  const member = await memberOf(deployed, asking);
  // A child is read as what it is.
  const stored = await readStored(deployed as unknown as HelmRelease, { member }, asking);
  if (stored === undefined) throw new Error('its release is not stored');
  const question = printJson({ data: stored.data, values, version });
  const run = asking.offload.run(storedSchemaTask, question, deployed.metadata.namespace ?? '');
  const verdict = await answerOf<SchemaVerdict>(run, ({ message }) => ({ problem: message }));
  if ('problem' in verdict) throw new Error(verdict.problem);
  const wrong = verdict.problems.map(({ path, message }) => `${path === '' ? 'values' : `values.${path}`} ${message}`);
  if (wrong.length === 0) return NOTHING;
  return ({ step: { entry } }) =>
    `${entry.path}: ${listed(wrong, NAMED)}, says values.schema.json of chart version ${version}: correct the values`;
}

/** Asks one question in its time. Returns the answer, or why there is none. */
async function answered(asking: Asking, ask: (asking: Asking) => Promise<Verdict>): Promise<Verdict | string> {
  const mine = linkSignals([asking.signal], EACH_MS);
  try {
    return await ask({ ...asking, signal: mine.signal });
  } catch (error: unknown) {
    return problemOf(error, asking.kube);
  } finally {
    mine.unlink();
  }
}

interface Query {
  readonly about: string;
  readonly asking: readonly Written[];
  readonly ask: (asking: Asking) => Promise<Verdict>;
}

function queriesOf(namespaces: readonly NamespaceQuestion[], values: readonly ValuesQuestion[]): Query[] {
  return [
    ...namespaces.slice(0, MOST_NAMESPACES).map((question) => ({
      about: `whether namespace ${question.namespace} exists on ${question.asking[0]?.step.entry.clusterName ?? ''}`,
      asking: question.asking,
      ask: (asking: Asking) => verdictOnNamespace(question, asking),
    })),
    ...values.slice(0, MOST_RELEASES).map((question) => ({
      about: `the values of ${question.asking[0]?.step.entry.path ?? ''} by the schema of their chart`,
      asking: question.asking,
      ask: (asking: Asking) => verdictOnValues(question, asking),
    })),
  ];
}

function pathsOf(written: readonly Written[]): string {
  return listed(
    written.map(({ step }) => step.entry.path),
    NAMED,
  );
}

/** Nobody was asked anything. */
function unaskedNotes(
  namespaces: readonly NamespaceQuestion[],
  values: readonly ValuesQuestion[],
  unknown: readonly Written[],
): string[] {
  const further = namespaces.slice(MOST_NAMESPACES);
  const others = [...unknown, ...values.slice(MOST_RELEASES).flatMap(({ asking }) => asking)];
  return [
    ...(further.length === 0 ? [] : [`Not checked: whether ${further.length} more namespaces exist.`]),
    ...(others.length === 0
      ? []
      : [`Not checked: the chart version of ${pathsOf(others)}, and the values by its schema.`]),
  ];
}

/**
 * Foresees problems of the children that steps write: whether their namespaces exist, and whether their values fit the
 * schema of a chart that is deployed. It is asked with the rights of the user, and bounded in number and time; what is
 * not answered is said to be not checked. `lacks`: true for a step whose kubeconfig is missing.
 */
export async function foresee(
  { steps, owned, lacks }: { steps: readonly Step[]; owned: readonly Child[]; lacks: (step: Step) => boolean },
  { kube, offload, signal }: Reading,
): Promise<Foreseen> {
  const { namespaces, values, unknown } = questionsOf(
    steps.filter((step) => !lacks(step)),
    owned,
  );
  const problems = new Map<Step, string[]>();
  const notes: string[] = [];
  const members = createMembers({ host: kube });
  const all = linkSignals([signal], ALL_MS);
  const limit = pLimit(AT_ONCE);
  const hear = async ({ about, asking, ask }: Query): Promise<void> => {
    const verdict = await answered({ kube, offload, members, signal: all.signal }, ask);
    if (typeof verdict === 'string') {
      notes.push(`Not checked: ${about}: ${verdict}.`);
      return;
    }
    for (const each of asking) {
      const problem = verdict(each);
      if (problem !== '') problems.set(each.step, [...(problems.get(each.step) ?? []), problem]);
    }
  };
  try {
    await Promise.all(queriesOf(namespaces, values).map((query) => limit(() => hear(query))));
  } finally {
    all.unlink();
    await members.close();
  }
  return { problems, notes: [...notes.sort(), ...unaskedNotes(namespaces, values, unknown)] };
}
