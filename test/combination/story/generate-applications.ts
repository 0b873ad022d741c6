import type { Random } from './random.js';
import type { Json } from './steps.js';

export const VERSIONS = ['1.0.0', '1.1.0', '2.0.0', '3.0.0'];
export const ENVS = ['prod', 'test'];
export const COLORS = ['red', 'green', 'blue'];
export const PATHS = ['./apps', './base', './extra'];
export const NAMESPACES = ['web', 'db', 'edge'];

/** The names and the randomness that a random Application is made from. */
export interface Surroundings {
  readonly random: Random;
  readonly clusters: readonly string[];
  readonly apps: readonly string[];
}

/** Which clusters an entry is for. */
function destination({ random, clusters }: Surroundings): Json {
  const targetNamespace = random.pick(NAMESPACES);
  const name = random.pick(clusters);
  const way = random.weighted<Json>([
    [6, { clusterSelector: { matchLabels: { env: random.pick(ENVS) } } }],
    [2, { clusterSelector: { matchExpressions: [{ key: 'env', operator: 'Exists' }] } }],
    [2, { clusterRef: { kind: 'Secret', name } }],
    [1, {}],
  ]);
  return { ...(way as object), targetNamespace };
}

function overrides({ random, clusters }: Surroundings): Json {
  return [{ clusters: { names: [random.pick(clusters)] }, values: { color: random.pick(COLORS) } }];
}

function values({ random }: Surroundings): Json {
  const color = random.chance(0.15) ? '${{ cluster.labels.zone }}' : random.pick(COLORS);
  return random.chance(0.3) ? { color, replicas: random.between(1, 3) } : { color };
}

function chartEntry(around: Surroundings): Json {
  const { random } = around;
  const where = destination(around);
  const isSelected = 'clusterSelector' in (where as object);
  const hasExpression = isSelected || 'clusterRef' in (where as object);
  return {
    destination: where,
    values: hasExpression ? values(around) : { color: random.pick(COLORS) },
    ...(random.chance(0.35) ? { name: random.pick(['main', 'side']) } : {}),
    ...(random.chance(0.2) ? { releaseName: random.pick(['web', 'shop']) } : {}),
    ...(random.chance(0.15) ? { mode: 'Once' } : {}),
    ...(isSelected && random.chance(0.25) ? { overrides: overrides(around) } : {}),
  };
}

function filesEntry(around: Surroundings): Json {
  const { random } = around;
  return {
    destination: destination(around),
    path: random.pick(PATHS),
    ...(random.chance(0.5) ? { name: random.pick(['main', 'side']) } : {}),
    ...(random.chance(0.15) ? { prune: false } : {}),
    ...(random.chance(0.1) ? { mode: 'Once' } : {}),
  };
}

function stage(around: Surroundings, name: string): Json {
  const { random, clusters } = around;
  const members: Json = random.chance(0.6)
    ? { names: [random.pick(clusters)] }
    : { selector: { matchLabels: { tier: random.pick(['canary', 'edge']) } } };
  return {
    ...{ name, clusters: members },
    ...(random.chance(0.3) ? { bakeTime: random.pick(['1m', '10m']) } : {}),
    ...(random.chance(0.25) ? { approval: true } : {}),
    ...(random.chance(0.25) ? { maxConcurrent: random.pick<Json>([1, 2, '50%']) } : {}),
    ...(random.chance(0.15) ? { maxUnavailable: 1 } : {}),
  };
}

/** A random `spec.rollout`. */
export function rollout(around: Surroundings): Json {
  const { random } = around;
  const stages = ['canary', 'edge'].slice(0, random.between(1, 2)).map((name) => stage(around, name));
  const rest = random.chance(0.3) ? [{ name: 'rest', approval: random.chance(0.5), maxConcurrent: 1 }] : [];
  return {
    stages: [...stages, ...rest],
    ...(random.chance(0.5) ? { onFailure: random.pick(['Pause', 'Rollback', 'Continue']) } : {}),
    ...(random.chance(0.3) ? { failureBudget: random.between(0, 2) } : {}),
    ...(random.chance(0.15) ? { unreachableBudget: '100%' } : {}),
  };
}

/** One random entry, of charts or of files. */
export function entry(around: Surroundings, kind: 'helm' | 'files'): Json {
  return kind === 'helm' ? chartEntry(around) : filesEntry(around);
}

function config(around: Surroundings, kind: 'helm' | 'files'): Json {
  const { random } = around;
  const entries = Array.from(
    {
      length: random.weighted([
        [5, 1],
        [3, 2],
      ]),
    },
    () => entry(around, kind),
  );
  if (kind === 'files') return { kustomization: entries };
  const isFromTemplate = random.chance(0.2);
  const chart = { chart: random.pick(['podinfo', 'nginx']), version: random.pick(VERSIONS) };
  return { helmRelease: { ...(isFromTemplate ? { template: 'base' } : { chart }), deploy: entries } };
}

/** The spec of a random Application. */
export function applicationSpec(around: Surroundings): Json {
  const { random } = around;
  const kind = random.chance(0.7) ? 'helm' : 'files';
  const made = config(around, kind) as { readonly helmRelease?: { readonly template?: string } };
  const sourceRef =
    kind === 'helm' ? { kind: 'HelmRepository', name: 'charts' } : { kind: 'GitRepository', name: 'files' };
  const source = made.helmRelease?.template === undefined ? { source: { sourceRef } } : {};
  return {
    kind: 'fluxcd',
    ...(random.chance(0.2) ? { deletionPolicy: 'Orphan' } : {}),
    ...(random.chance(0.2) ? { maxRemovals: random.pick<Json>([0, 1, '50%', '100%']) } : {}),
    ...(random.chance(0.55) ? { rollout: rollout(around) } : {}),
    ...(random.chance(0.2) ? { revisionHistoryLimit: 3 } : {}),
    fluxApp: { spec: { ...source, config: made as Json } },
  };
}
