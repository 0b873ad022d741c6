import fc from 'fast-check';
import cloneDeep from 'lodash/cloneDeep.js';
import getPath from 'lodash/get.js';
import omit from 'lodash/omit.js';
import setPath from 'lodash/set.js';
import { ApplicationSpec } from '#api/v1alpha1/application-spec.js';
import { isMap } from '#lib/plain.js';
import { arbitraryOf, type Choose, type Schema } from '../../support/schema-arbitrary.js';

/** What is generated: whatever its type says, a mutation may have made it something else. */
export type Spec = Readonly<Record<string, unknown>>;

/** Of `spec`. */
export const SCHEMA = ApplicationSpec as Schema;
export const SOURCE = 'spec.fluxApp.spec.source';
export const CONFIG = 'spec.fluxApp.spec.config';
export const DEPLOY = `${CONFIG}.helmRelease.deploy`;
export const FILES = `${CONFIG}.kustomization`;

/** Where lodash finds what the API server calls `path`. */
export function keysOf(path: string): string {
  return path.replace(/^spec\./, '');
}

/** A copy with another value at a place. */
export function changed(spec: Spec, path: string, value: unknown): Spec {
  return setPath(cloneDeep(spec), keysOf(path), value);
}

/** Rules of the CRD say what no type can: only one of sourceRef and inline, and one of chart, template and inline. */
function withOneOfEach(spec: Spec): Spec {
  const source = getPath(spec, keysOf(SOURCE)) as Spec | undefined;
  const release = getPath(spec, keysOf(`${CONFIG}.helmRelease`)) as Spec | undefined;
  const isInline = source?.['inline'] !== undefined && source['sourceRef'] === undefined;
  const sound = source === undefined || isInline ? spec : changed(spec, SOURCE, omit(source, 'inline'));
  if (release === undefined) return sound;
  const needsTemplate = !isInline && release['chart'] === undefined;
  return changed(sound, `${CONFIG}.helmRelease`, {
    ...omit(release, isInline ? ['template', 'chart'] : ['template']),
    ...(needsTemplate ? { template: 'base' } : {}),
  });
}

const CLUSTERS = ['kubeConfig', 'clusterRef', 'clusterSelector'];

/** Further rules: a destination names clusters in one way only, and overrides name some. */
function withRules(value: unknown, key = ''): unknown {
  // Array.isArray loses what the elements are.
  if (Array.isArray(value)) return value.map((each: unknown) => withRules(each, `${key}[]`));
  if (!isMap(value)) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withRules(each, name)]));
  if (key === 'destination') {
    const [, ...others] = CLUSTERS.filter((name) => fields[name] !== undefined);
    return omit(fields, others);
  }
  if (key !== 'overrides[]' || !isMap(fields['clusters'])) return fields;
  return { ...fields, clusters: { names: [], ...fields['clusters'] } };
}

/** While a test looks for writes, none may come only because time went by. */
const BAKE_TIME = /\.bakeTime$/;

const steady: Choose = (path) => (BAKE_TIME.test(path) ? fc.constantFrom('0s', '2h') : undefined);

/** Whatever the server accepts. */
export const anySpec = (arbitraryOf(SCHEMA, 'spec', { choose: steady }) as fc.Arbitrary<Spec>).map(
  (spec) => withRules(withOneOfEach(spec)) as Spec, // a map stays one
);

/** What names clusters of the inventory. A destination names only one, and mistakes are made in those of a Secret. */
const OF_INVENTORY = /\.(clusterRef|clusterSelector|overrides|valuesTemplate)$/;

const namespace = fc.constantFrom('prod', 'test', 'b-c');
const version = fc.constantFrom('1.x', '*', '>=1.2 <2', '1.2.3');
const member = fc.constantFrom('eu', 'us');
const schedule = fc.constantFrom('0 2 * * *', '30 22 * * 1-5');
const timeZone = fc.constantFrom('UTC', 'Europe/Berlin');

/** The label of the clusters that there are. */
export const EDGE = { tier: 'edge' };

const STAGE = getPath(SCHEMA, 'properties.rollout.properties.stages.items') as unknown as Schema;
const OF_STAGES: Readonly<Record<string, ReturnType<Choose>>> = {
  schedule,
  timeZone,
  clusters: fc.constant({ selector: { matchLabels: EDGE } }),
};

/** Names differ, as no type can say. */
const stages = fc
  .array(arbitraryOf(STAGE, '', { choose: (path) => steady(path) ?? OF_STAGES[path.split('.').at(-1) ?? ''] }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((all) => all.map((stage, at) => ({ ...(stage as Spec), name: `stage-${at}` })));

/** What makes the difference between a valid object and one that can be rolled out, by the end of its path. */
const SOUND: readonly (readonly [end: RegExp, chosen: ReturnType<Choose>])[] = [
  [/^spec\.kind$/, fc.constant('fluxcd')],
  [/^spec\.argoApp$/, 'absent'],
  [/^spec\.fluxApp$/, 'present'],
  [/^spec\.fluxApp\.spec\.destination$/, 'absent'],
  [/(deploy|kustomization)\[\]\.destination$/, 'present'],
  [/(deploy|kustomization)\[\]\.name$/, 'absent'],
  [/\.template$/, 'absent'],
  [/\.(paused|mode|ready|namespaceLabels|namespaceAnnotations)$/, 'absent'],
  [/\.chart\.verify$/, 'absent'],
  [/\.deploy\[\]\.(correctDrift|ignore)$/, 'absent'],
  [/\.chart$/, 'present'],
  [/\.chart\.version$/, version],
  [/\.targetNamespace$/, namespace],
  [/\.storageNamespace$/, namespace],
  [/\.kubeConfig\.secretRef$/, 'present'],
  [/\.kubeConfig\.secretRef\.name$/, member],
  [/\.serverSideApply$/, 'absent'],
  [/(install|upgrade)\.strategy\.name$/, fc.constant('RetryOnFailure')],
  [/\.rollout\.stages$/, stages],
  [/\.schedule$/, schedule],
  [/\.timeZone$/, timeZone],
];

/** Places of entries for clusters of the inventory. */
const OF_FLEET: typeof SOUND = [
  [/\.destination\.(kubeConfig|clusterRef)$/, 'absent'],
  [
    /\.destination\.clusterSelector$/,
    fc.constantFrom({ matchLabels: EDGE }, { matchLabels: EDGE, exclude: ['edge-2'] }),
  ],
  [/\.overrides\[\]\.clusters$/, fc.constantFrom({ names: ['edge-1'] }, { selector: { matchLabels: EDGE } })],
  [/\.overrides\[\]\.values$|\.valuesTemplate$/, 'absent'],
];

const HELM_SOURCE = fc.constant({ sourceRef: { kind: 'HelmRepository', name: 'charts' } });
const FILES_SOURCE = fc.constant({ sourceRef: { kind: 'GitRepository', name: 'fleet' } });

interface Sound {
  readonly source: fc.Arbitrary<unknown>;
  readonly own: string;
  readonly other: string;
}

const CHARTS: Sound = { source: HELM_SOURCE, own: `${CONFIG}.helmRelease`, other: FILES };
const DIRECTORIES: Sound = { source: FILES_SOURCE, own: FILES, other: `${CONFIG}.helmRelease` };

function soundOf({ source, own, other }: Sound, places: typeof SOUND): fc.Arbitrary<Spec> {
  const choose: Choose = (path) => {
    if (path === SOURCE) return source;
    if (path === own) return 'present';
    return path === other ? 'absent' : (steady(path) ?? [...places, ...SOUND].find(([end]) => end.test(path))?.[1]);
  };
  return arbitraryOf(SCHEMA, 'spec', { choose, fewestItems: 1 }) as fc.Arbitrary<Spec>;
}

function soundIn(places: typeof SOUND): fc.Arbitrary<Spec> {
  return fc.oneof(
    { weight: 3, arbitrary: soundOf(CHARTS, places) },
    { weight: 1, arbitrary: soundOf(DIRECTORIES, places) },
  );
}

/** What can be rolled out where the sources `charts` and `fleet` are, once it is `named`. */
export const soundSpec = soundIn([[OF_INVENTORY, 'absent']]);

/** The same for the clusters `edge-1` and `edge-2`. */
export const fleetSpec = soundIn(OF_FLEET);

export function entriesAt(spec: Spec, path: string): readonly Spec[] {
  return (getPath(spec, keysOf(path)) ?? []) as readonly Spec[];
}

/** Gives the entries releases, or paths of files, that no other Application has: two of them would be a conflict. */
export function named(spec: Spec, name: string): Spec {
  const deploy = entriesAt(spec, DEPLOY).map((entry, at) => ({ ...entry, releaseName: `${name}-${at}` }));
  const files = entriesAt(spec, FILES).map((entry, at) => ({
    ...entry,
    name: `${name}-${at}`,
    path: `./${name}-${at}`,
  }));
  if (deploy.length > 0) return changed(spec, DEPLOY, deploy);
  return files.length > 0 ? changed(spec, FILES, files) : spec;
}
