import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import { clusterText } from '#controllers/application/model/child/cluster.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import { digestOf } from '#lib/hash.js';
import { groupedBy, isMap, type PlainMap } from '#lib/plain.js';

/** The step of an entry that writes a child, now or later. */
export interface Written {
  readonly step: Extract<Step, { readonly entry: unknown }>;
  readonly live: Child | undefined;
  /** The child after that. */
  readonly next: Child;
}

/** Asks whether a namespace exists on the cluster of a child. */
export interface NamespaceQuestion {
  readonly namespace: string;
  /** One of those that are installed there. */
  readonly child: Child;
  readonly asking: readonly Written[];
}

/** Asks whether values fit the schema of a chart, as a release has it that is deployed. */
export interface ValuesQuestion {
  readonly values: PlainMap;
  readonly deployed: Child;
  /** Version of the chart. */
  readonly version: string;
  readonly asking: readonly Written[];
}

export interface Questions {
  readonly namespaces: readonly NamespaceQuestion[];
  readonly values: readonly ValuesQuestion[];
  /** Those whose chart, and so its schema, is not at hand. */
  readonly unknown: readonly Written[];
}

function writtenBy(step: Step): Written[] {
  if (step.op === 'create') return [{ step, live: undefined, next: step.object }];
  if (step.op === 'update') return [{ step, live: step.live, next: step.object }];
  return (step.op === 'wait' || step.op === 'keep') && step.later !== undefined
    ? [{ step, live: step.live, next: step.later }]
    : [];
}

/** The HelmReleases among what steps write: what files are for is only known to who builds them. */
function releasesIn(steps: readonly Step[]): Written[] {
  return steps.flatMap(writtenBy).filter(({ next }) => next.kind === 'HelmRelease');
}

function createsNamespace({ spec }: Child): boolean {
  const { install } = spec;
  return spec.targetNamespace !== undefined && isMap(install) && install['createNamespace'] === true;
}

/** On its cluster, as text. */
function namespaceOf({ metadata, spec }: Child): string {
  return spec.targetNamespace ?? metadata.namespace ?? '';
}

function placeOf(child: Child): string {
  return `${clusterText(child.spec.kubeConfig)}/${namespaceOf(child)}`;
}

function isNewThere({ live, next }: Written): boolean {
  return live === undefined || placeOf(live) !== placeOf(next);
}

function isOwnNamespace(child: Child): boolean {
  return clusterText(child.spec.kubeConfig) === '' && namespaceOf(child) === child.metadata.namespace;
}

/** The namespaces that nobody is known to create: neither these releases, nor what is deployed there. */
function namespaceQuestions(written: readonly Written[], owned: readonly Child[]): NamespaceQuestion[] {
  const creating = written.map(({ next }) => next).filter(createsNamespace);
  const known = new Set(
    [...creating, ...owned.filter(({ status }) => (status?.history ?? []).length > 0)].map(placeOf),
  );
  const open = written.filter(
    (each) => isNewThere(each) && !known.has(placeOf(each.next)) && !isOwnNamespace(each.next),
  );
  const asking = groupedBy(open, ({ next }) => placeOf(next));
  return [...asking.values()].flatMap((all) => {
    const [first] = all;
    return first === undefined ? [] : [{ namespace: namespaceOf(first.next), child: first.next, asking: all }];
  });
}

interface ChartSpec {
  readonly version?: unknown;
  readonly [field: string]: unknown;
}

/** Undefined: its version is that of a source. */
function chartIn({ spec }: Child): ChartSpec | undefined {
  const { chart } = spec;
  const found = isMap(chart) ? chart['spec'] : undefined;
  const source = isMap(found) ? found['sourceRef'] : undefined;
  // The version of other sources is not read.
  return isMap(found) && isMap(source) && source['kind'] === 'HelmRepository' ? found : undefined;
}

const isSameChart = (one: ChartSpec, other: ChartSpec): boolean =>
  isEqual(omit(one, 'version', 'interval'), omit(other, 'version', 'interval'));

/** A release that is deployed with the chart version that a child will have, and the version; undefined: none is. */
function deployedLike({ live, next }: Written, owned: readonly Child[]) {
  const chart = chartIn(next);
  if (chart === undefined) return undefined;
  // A range may mean a newer version by now: whose chart does not change is held against what it has.
  const isKept = live !== undefined && isEqual(chartIn(live), chart);
  const candidates = live === undefined ? owned : [live, ...owned];
  return candidates
    .map((deployed) => ({ deployed, version: deployed.status?.history?.[0]?.chartVersion }))
    .flatMap(({ deployed, version }) => {
      const own = chartIn(deployed);
      const isMeant = version === chart.version || (isKept && deployed === live);
      return own !== undefined && version !== undefined && isMeant && isSameChart(own, chart)
        ? [{ deployed, version }]
        : [];
    })[0];
}

function valuesIn({ spec }: Child): PlainMap {
  return isMap(spec['values']) ? spec['values'] : {};
}

/** Nothing is known here of what else is merged into them. */
function hasOthers({ spec }: Child): boolean {
  return Array.isArray(spec['valuesFrom']) && spec['valuesFrom'].length > 0;
}

function isNewContent({ live, next }: Written): boolean {
  return (
    live === undefined || !isEqual([live.spec['values'], live.spec['chart']], [next.spec['values'], next.spec['chart']])
  );
}

/** True if the next action of its release does not ask the schema. */
function skipsSchema({ live, next }: Written): boolean {
  const isUpgrade = live !== undefined && (live.status?.history ?? []).length > 0 && placeOf(live) === placeOf(next);
  const action = next.spec[isUpgrade ? 'upgrade' : 'install'];
  return isMap(action) && action['disableSchemaValidation'] === true;
}

function valuesQuestions(written: readonly Written[], owned: readonly Child[]): Omit<Questions, 'namespaces'> {
  const questions = new Map<string, ValuesQuestion & { readonly asking: Written[] }>();
  const unknown: Written[] = [];
  for (const each of written.filter((one) => isNewContent(one) && !skipsSchema(one))) {
    const found = hasOthers(each.next) ? undefined : deployedLike(each, owned);
    if (found === undefined) {
      unknown.push(each);
      continue;
    }
    const values = valuesIn(each.next);
    const key = digestOf([found.version, chartIn(each.next), values]);
    // Thousands of clusters may ask the same.
    const asked = questions.get(key);
    if (asked === undefined) questions.set(key, { ...found, values, asking: [each] });
    else asked.asking.push(each);
  }
  return { values: [...questions.values()], unknown };
}

/** The questions that clusters can be asked about the children that steps write. `owned`: those that are there. Never throws. */
export function questionsOf(steps: readonly Step[], owned: readonly Child[]): Questions {
  const written = releasesIn(steps);
  return { namespaces: namespaceQuestions(written, owned), ...valuesQuestions(written, owned) };
}
