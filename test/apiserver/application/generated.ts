import fc from 'fast-check';
import cloneDeep from 'lodash/cloneDeep.js';
import getPath from 'lodash/get.js';
import omit from 'lodash/omit.js';
import setPath from 'lodash/set.js';
import { ApplicationSpec } from '#api/v1alpha1/application-spec.js';
import { arbitraryOf, type Choose, type Schema } from '#test/support/schema-arbitrary.js';

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

/** Clusters of the inventory: there are none here, and a destination names only one. Nothing reports in a rollout. */
const OF_INVENTORY = /^spec\.(maxRemovals|rollout)$|\.(clusterRef|clusterSelector|overrides|valuesTemplate)$/;

function withoutInventory(path: string): 'absent' | undefined {
  return OF_INVENTORY.test(path) ? 'absent' : undefined;
}

/** Whatever the server accepts. */
export const anySpec = (arbitraryOf(SCHEMA, 'spec', { choose: withoutInventory }) as fc.Arbitrary<Spec>).map(
  withOneOfEach,
);

const namespace = fc.constantFrom('prod', 'test', 'b-c');
const version = fc.constantFrom('1.x', '*', '>=1.2 <2', '1.2.3');
const member = fc.constantFrom('eu', 'us');

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
];

const HELM_SOURCE = fc.constant({ sourceRef: { kind: 'HelmRepository', name: 'charts' } });
const FILES_SOURCE = fc.constant({ sourceRef: { kind: 'GitRepository', name: 'fleet' } });

function soundOf(source: fc.Arbitrary<unknown>, own: string, other: string): fc.Arbitrary<Spec> {
  const choose: Choose = (path) => {
    if (path === SOURCE) return source;
    if (path === own) return 'present';
    return path === other ? 'absent' : (withoutInventory(path) ?? SOUND.find(([end]) => end.test(path))?.[1]);
  };
  return arbitraryOf(SCHEMA, 'spec', { choose, fewestItems: 1 }) as fc.Arbitrary<Spec>;
}

const soundHelm = soundOf(HELM_SOURCE, `${CONFIG}.helmRelease`, FILES);
const soundFiles = soundOf(FILES_SOURCE, FILES, `${CONFIG}.helmRelease`);

/** What can be rolled out where the sources `charts` and `fleet` are, once it is `named`. */
export const soundSpec = fc.oneof({ weight: 3, arbitrary: soundHelm }, { weight: 1, arbitrary: soundFiles });

export function entriesAt(spec: Spec, path: string): readonly Spec[] {
  return (getPath(spec, keysOf(path)) ?? []) as readonly Spec[];
}

/** Gives the entries releases that no other Application has: of one name there can be one. */
export function named(spec: Spec, name: string): Spec {
  const deploy = entriesAt(spec, DEPLOY).map((entry, at) => ({ ...entry, releaseName: `${name}-${at}` }));
  const files = entriesAt(spec, FILES).map((entry, at) => ({ ...entry, name: `${name}-${at}` }));
  if (deploy.length > 0) return changed(spec, DEPLOY, deploy);
  return files.length > 0 ? changed(spec, FILES, files) : spec;
}
