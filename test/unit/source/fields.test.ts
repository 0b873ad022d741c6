import { describe, expect, test } from '@jest/globals';
import { BucketSpec } from '#api/flux/bucket.js';
import { GitRepositorySpec } from '#api/flux/git-repository.js';
import { HelmChartSpec } from '#api/flux/helm-chart.js';
import { HelmRepositorySpec } from '#api/flux/helm-repository.js';
import { OCIRepositorySpec } from '#api/flux/oci-repository.js';
import { filesBelow, textOf } from '../../meta/repository.js';

// That what is read has the effect that it has in Flux is tested in test/peers/source, for each of these fields.

interface Schema {
  readonly properties?: Readonly<Record<string, object>>;
  readonly items?: object;
}

/** As in `include.repository.name`. */
function fieldsOf(schema: object, path: readonly string[] = []): string[] {
  const { properties, items }: Schema = schema;
  if (items !== undefined && 'properties' in items) return fieldsOf(items, path);
  if (properties === undefined) return [path.join('.')];
  return Object.entries(properties).flatMap(([name, field]) => fieldsOf(field, [...path, name]));
}

const SHARED = ['interval', 'timeout', 'suspend'];
const COSIGN = ['provider', 'secretRef.name', 'matchOIDCIdentity.issuer', 'matchOIDCIdentity.subject'];

function below(field: string, fields: readonly string[]): string[] {
  return fields.map((each) => `${field}.${each}`);
}

interface Kind {
  readonly schema: object;
  /** Where its fields are read, besides what all kinds share. */
  readonly folders: readonly string[];
  /** Read, or refused by name. */
  readonly fields: readonly string[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  GitRepository: {
    schema: GitRepositorySpec,
    folders: ['git'],
    fields: [
      ...[...SHARED, 'url', 'ignore', 'provider', 'recurseSubmodules', 'sparseCheckout', 'serviceAccountName'],
      ...below('ref', ['branch', 'tag', 'semver', 'name', 'commit']),
      ...below('include', ['repository.name', 'fromPath', 'toPath']),
      ...['secretRef.name', 'proxySecretRef.name', 'verify.mode', 'verify.secretRef.name'],
    ],
  },
  HelmRepository: {
    schema: HelmRepositorySpec,
    folders: ['helmrepository', 'helmchart', 'oci'],
    fields: [
      ...[...SHARED, 'url', 'type', 'passCredentials', 'insecure', 'provider'],
      ...['secretRef.name', 'certSecretRef.name'],
    ],
  },
  HelmChart: {
    schema: HelmChartSpec,
    folders: ['helmchart', 'cosign'],
    fields: [
      ...['interval', 'suspend', 'chart', 'version', 'reconcileStrategy', 'valuesFiles', 'ignoreMissingValuesFiles'],
      ...[...below('sourceRef', ['apiVersion', 'kind', 'name']), ...below('verify', COSIGN)],
    ],
  },
  OCIRepository: {
    schema: OCIRepositorySpec,
    folders: ['oci', 'cosign'],
    fields: [
      ...[...SHARED, 'url', 'ignore', 'insecure', 'provider', 'serviceAccountName'],
      ...below('ref', ['digest', 'semver', 'semverFilter', 'tag']),
      ...['layerSelector.mediaType', 'layerSelector.operation'],
      ...['secretRef.name', 'certSecretRef.name', 'proxySecretRef.name'],
      ...below('verify', [...COSIGN, 'trustedRootSecretRef.name']),
    ],
  },
  Bucket: {
    schema: BucketSpec,
    folders: ['bucket'],
    fields: [
      ...[...SHARED, 'endpoint', 'bucketName', 'region', 'prefix', 'ignore', 'insecure', 'provider'],
      ...['serviceAccountName', 'secretRef.name', 'certSecretRef.name', 'proxySecretRef.name'],
      ...below('sts', ['provider', 'endpoint', 'secretRef.name', 'certSecretRef.name']),
    ],
  },
};

/** Read for all kinds alike, of the objects as they are. */
const OF_ALL = ['pass.ts', 'secrets.ts', 'setup.ts', 'deps.ts'];

/** The words of the code of a kind, without comments. */
function wordsOf(folders: readonly string[]): Set<string> {
  const own = [...folders, 'model'].flatMap((folder) => filesBelow(`controllers/source/${folder}`));
  const files = [...own, ...OF_ALL.map((file) => `controllers/source/${file}`)];
  return new Set(
    files.flatMap(
      (file) =>
        textOf(file)
          .replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '')
          .match(/\w+/g) ?? [],
    ),
  );
}

describe.each(Object.entries(KINDS))('each field of a %s', (_kind, { schema, folders, fields }) => {
  test('is read, or refused by name', () => {
    expect(fieldsOf(schema).sort()).toEqual([...fields].sort());
  });

  test('is named by the code that does so', () => {
    const words = wordsOf(folders);
    expect(fields.flatMap((field) => field.split('.')).filter((word) => !words.has(word))).toEqual([]);
  });
});
