import { once, type Addresses, type Case, type Objects } from './case.js';

const BYTES = 'application/vnd.example.bytes';

function artifact(at: Addresses, name: string, fields: object, repository = 'app'): Objects {
  const url = `oci://${at.registry}/peers/${repository}`;
  return { [`OCIRepository/${name}`]: { url, insecure: true, ...fields } };
}

function bucket(at: Addresses, name: string, fields: object = {}): Objects {
  const place = { bucketName: 'app', endpoint: at.objects, region: at.region, insecure: true };
  return { [`Bucket/${name}`]: { ...place, secretRef: { name: 'keys' }, ...fields } };
}

/** With temporary keys. */
function byUser(at: Addresses, name: string, sts: object = {}, fields: object = {}): Objects {
  const place = { bucketName: 'app', endpoint: at.sts, region: at.region, insecure: true };
  const ldap = { provider: 'ldap', endpoint: `http://${at.sts}`, secretRef: { name: 'user' }, ...sts };
  return { [`Bucket/${name}`]: { ...place, sts: ldap, ...fields } };
}

const OF_REGISTRY: readonly Case[] = [
  once('an artifact by each reference', (at) => ({
    ...artifact(at, 'latest', {}),
    ...artifact(at, 'tagged', { ref: { tag: '1.0.0' } }),
    ...artifact(at, 'ranged', { ref: { semver: '1.x' } }),
    ...artifact(at, 'ranged-rc', { ref: { semver: '>=1.0.0-0 <2.0.0' } }),
    ...artifact(at, 'filtered', { ref: { semver: '>=1.0.0-0', semverFilter: '.*-rc.*' } }),
    ...artifact(at, 'range-before-tag', { ref: { semver: '1.0.x', tag: '2.0.0' } }),
    ...artifact(at, 'digested', { ref: { digest: at.ids('1.0.0') } }),
    ...artifact(at, 'digest-of-tag', { ref: { digest: at.ids('1.0.0'), tag: '2.0.0' } }),
  })),
  once('a layer of an artifact', (at) => ({
    ...artifact(
      at,
      'extracted',
      { layerSelector: { mediaType: at.ids('second layer'), operation: 'extract' } },
      'layers',
    ),
    ...artifact(at, 'selected', { layerSelector: { mediaType: at.ids('second layer') } }, 'layers'),
    ...artifact(at, 'copied', { layerSelector: { mediaType: BYTES, operation: 'copy' } }, 'layers'),
    ...artifact(at, 'copied-first', { layerSelector: { operation: 'copy' } }, 'layers'),
  })),
  once('files of an artifact are ignored', (at) => ({
    ...artifact(at, 'oci-ignore', { ignore: '*.md' }),
    ...artifact(at, 'oci-ignore-file', {}, 'ignored'),
  })),
  once(
    'artifacts that do not exist',
    (at) => ({
      ...artifact(at, 'oci-no-tag', { ref: { tag: 'absent' } }),
      ...artifact(at, 'oci-no-range', { ref: { semver: '>9' } }),
      ...artifact(at, 'oci-no-digest', { ref: { digest: `sha256:${'0'.repeat(64)}` } }),
      ...artifact(at, 'oci-no-repository', {}, 'absent'),
      ...artifact(at, 'oci-no-layer', { layerSelector: { mediaType: 'application/absent' } }),
      'OCIRepository/oci-bad-url': { url: `oci://${at.registry}/Peers/App:tag`, insecure: true },
    }),
    {
      'OCIRepository/oci-no-tag': 'OCIArtifactPullFailed',
      'OCIRepository/oci-no-range': 'ReadOperationFailed',
      'OCIRepository/oci-no-digest': 'OCIArtifactPullFailed',
      'OCIRepository/oci-no-repository': 'OCIArtifactPullFailed',
      'OCIRepository/oci-no-layer': 'OCIArtifactLayerOperationFailed',
      'OCIRepository/oci-bad-url': 'URLInvalid',
    },
  ),
  once(
    'a registry wants a login',
    (at) => {
      const url = `oci://${at.guardedRegistry}/peers/app`;
      return {
        'OCIRepository/oci-secret': { url, insecure: true, secretRef: { name: 'docker' }, provider: 'generic' },
        'OCIRepository/oci-account': { url, insecure: true, serviceAccountName: 'puller' },
        'OCIRepository/oci-no-secret': { url, insecure: true, secretRef: { name: 'absent' } },
      };
    },
    {
      'OCIRepository/oci-no-secret': 'AuthenticationFailed',
    },
  ),
  {
    ...once(
      'a version that is no range',
      (at) => artifact(at, 'oci-bad-range', { ref: { semver: 'newest' } }),
      { 'OCIRepository/oci-bad-range': 'ReadOperationFailed' },
      { 'OCIRepository/oci-bad-range': 'InvalidReference' },
    ),
    differs: 'a field that can never be right is not retried',
  },
  {
    ...once(
      'a registry refuses a login',
      (at) => {
        const url = `oci://${at.guardedRegistry}/peers/app`;
        return {
          'OCIRepository/oci-wrong-secret': { url, insecure: true, secretRef: { name: 'wrong-docker' } },
          'OCIRepository/oci-no-login': { url, insecure: true },
        };
      },
      {
        'OCIRepository/oci-wrong-secret': 'OCIArtifactPullFailed',
        'OCIRepository/oci-no-login': 'OCIArtifactPullFailed',
      },
      {
        'OCIRepository/oci-wrong-secret': 'AuthenticationFailed',
        'OCIRepository/oci-no-login': 'AuthenticationFailed',
      },
    ),
    differs: 'a refused login is AuthenticationFailed',
  },
  once(
    'a registry has a certificate',
    (at) => {
      const url = `oci://${at.secureRegistry}/peers/app`;
      return {
        'OCIRepository/oci-secure': { url, certSecretRef: { name: 'ca' } },
        'OCIRepository/oci-unknown-ca': { url },
      };
    },
    { 'OCIRepository/oci-unknown-ca': 'OCIArtifactPullFailed' },
  ),
  once(
    'a layer holds what is neither file nor link',
    (at) => ({ ...artifact(at, 'oci-device', {}, 'device'), ...artifact(at, 'oci-pipe', {}, 'pipe') }),
    {
      'OCIRepository/oci-device': 'OCIArtifactLayerOperationFailed',
      'OCIRepository/oci-pipe': 'OCIArtifactLayerOperationFailed',
    },
  ),
  ...(['symbolic-link', 'hard-link'] as const).map((link) => ({
    ...once(
      `a layer holds a ${link.replace('-', ' ')}`,
      (at) => artifact(at, `oci-${link}`, {}, link),
      {},
      {
        [`OCIRepository/oci-${link}`]: 'OCIArtifactLayerOperationFailed',
      },
    ),
    differs: 'Flux leaves a symbolic link out, and makes a hard link an empty file',
  })),
  once('a proxy leads to a registry', (at) =>
    artifact(at, 'oci-by-proxy', { timeout: '50s', proxySecretRef: { name: 'proxy' } }),
  ),
  {
    name: 'a tag moves',
    steps: [
      {
        does: 'the first',
        objects: (at) => ({ ...artifact(at, 'oci-moves', {}, 'moves'), ...artifact(at, 'oci-sleeps', {}, 'moves') }),
      },
      { does: 'one is suspended', objects: (at) => artifact(at, 'oci-sleeps', { suspend: true }, 'moves') },
      { does: 'the second', happens: ({ push }) => push('moves', 'latest', { 'b.yaml': 'b: 1\n' }) },
    ],
  },
];

const OF_BUCKETS: readonly Case[] = [
  once('objects of a bucket', (at) => ({
    ...bucket(at, 'all'),
    ...bucket(at, 'aws', { provider: 'aws' }),
    ...bucket(at, 'generic', { provider: 'generic' }),
    ...bucket(at, 'prefixed', { prefix: 'app/' }),
    ...bucket(at, 'bucket-ignore', { ignore: '*.txt\n!app/keep.txt\n' }),
    ...bucket(at, 'bucket-ignore-file', { bucketName: 'ignored' }),
    ...bucket(at, 'bucket-empty', { bucketName: 'empty' }),
  })),
  once(
    'buckets that cannot be read',
    (at) => ({
      ...bucket(at, 'absent-keys', { secretRef: { name: 'absent' } }),
      ...bucket(at, 'absent-bucket', { bucketName: 'absent' }),
    }),
    {
      'Bucket/absent-keys': 'AuthenticationFailed',
      'Bucket/absent-bucket': 'BucketOperationFailed',
    },
  ),
  {
    ...once(
      'an object store refuses a login',
      (at) => bucket(at, 'wrong-keys', { secretRef: { name: 'wrong-keys' } }),
      { 'Bucket/wrong-keys': 'BucketOperationFailed' },
      { 'Bucket/wrong-keys': 'AuthenticationFailed' },
    ),
    differs: 'a refused login is AuthenticationFailed',
  },
  once(
    'an object store has a certificate',
    (at) => ({
      ...bucket(at, 'secure-bucket', { endpoint: at.secureObjects, insecure: false, certSecretRef: { name: 'ca' } }),
      ...bucket(at, 'unknown-ca', { endpoint: at.secureObjects, insecure: false }),
    }),
    { 'Bucket/unknown-ca': 'BucketOperationFailed' },
  ),
  once('a proxy leads to a bucket', (at) =>
    bucket(at, 'bucket-by-proxy', { timeout: '50s', proxySecretRef: { name: 'proxy' } }),
  ),
  {
    name: 'a bucket moves',
    steps: [
      {
        does: 'the first',
        objects: (at) => ({
          ...bucket(at, 'bucket-moves', { bucketName: 'moves' }),
          ...bucket(at, 'bucket-sleeps', { bucketName: 'moves' }),
        }),
      },
      {
        does: 'one is suspended',
        objects: (at) => bucket(at, 'bucket-sleeps', { bucketName: 'moves', suspend: true }),
      },
      { does: 'objects change', happens: ({ objects }) => objects.put('moves', { 'a.yaml': 'a: 2\n', 'c.yaml': 'c' }) },
    ],
  },
];

const OF_STS: readonly Case[] = [
  once('a user of a directory has temporary keys', (at) => ({
    ...byUser(at, 'by-user'),
    ...byUser(at, 'by-user-secure', { endpoint: `https://${at.secureSts}`, certSecretRef: { name: 'ca' } }),
    ...byUser(at, 'by-user-proxy', {}, { timeout: '50s', proxySecretRef: { name: 'proxy' } }),
    ...byUser(at, 'keys-before-user', { secretRef: { name: 'wrong-user' } }, { secretRef: { name: 'keys' } }),
  })),
  once(
    'temporary keys that cannot be asked for',
    (at) => ({
      ...byUser(at, 'absent-user', { secretRef: { name: 'absent' } }),
      ...byUser(at, 'incomplete-user', { secretRef: { name: 'keys' } }),
      ...byUser(at, 'sts-unknown-ca', { endpoint: `https://${at.secureSts}` }),
      ...byUser(at, 'sts-no-tls', { endpoint: `https://${at.sts}` }),
      ...byUser(at, 'sts-nobody', { endpoint: 'http://127.0.0.1:1' }),
    }),
    {
      'Bucket/absent-user': 'AuthenticationFailed',
      'Bucket/incomplete-user': 'AuthenticationFailed',
      'Bucket/sts-unknown-ca': 'BucketOperationFailed',
      'Bucket/sts-no-tls': 'BucketOperationFailed',
      'Bucket/sts-nobody': 'BucketOperationFailed',
    },
  ),
  ...(['wrong-user', 'stranger'] as const).map((name) => ({
    ...once(
      `no temporary keys for ${name}`,
      (at) => byUser(at, `sts-${name}`, { secretRef: { name } }),
      { [`Bucket/sts-${name}`]: 'BucketOperationFailed' },
      { [`Bucket/sts-${name}`]: 'AuthenticationFailed' },
    ),
    differs: 'a refused login is AuthenticationFailed',
  })),
  {
    ...once(
      'temporary keys for nobody',
      (at) => byUser(at, 'sts-no-user', { secretRef: undefined }),
      { 'Bucket/sts-no-user': 'BucketOperationFailed' },
      { 'Bucket/sts-no-user': 'InvalidSTSConfiguration' },
    ),
    differs: 'a login that is not there is not sent',
  },
];

export const STORE_CASES: readonly Case[] = [...OF_REGISTRY, ...OF_BUCKETS, ...OF_STS];
