import { once, type Addresses, type Case, type Objects, type SourceKind } from './case.js';

type Fields = Readonly<Record<string, object>>;

/** Charts of one source, by their names. */
function charts(kind: SourceKind, source: string, fields: Fields): Objects {
  const entries = Object.entries(fields).map(([name, each]) => [
    `HelmChart/${name}`,
    { sourceRef: { apiVersion: 'source.toolkit.fluxcd.io/v1', kind, name: source }, ...each },
  ]);
  return Object.fromEntries(entries) as Objects;
}

const web = (fields: object = {}): object => ({ chart: 'web', ...fields });
const inGit = (fields: object = {}): object => ({ chart: './charts/web', ...fields });

function index(name: string): (at: Addresses) => Objects {
  return (at) => ({ [`HelmRepository/${name}`]: { url: at.helm } });
}

function registry(at: Addresses, name: string, fields: object = {}): Objects {
  return { [`HelmRepository/${name}`]: { type: 'oci', url: `oci://${at.registry}/charts`, insecure: true, ...fields } };
}

const OF_INDEX: readonly Case[] = [
  once('an index is fetched', index('index')),
  once('charts of an index', (at) => ({
    ...index('charts')(at),
    ...charts('HelmRepository', 'charts', {
      'web-newest': web(),
      'web-range': web({ version: '1.x' }),
      'web-exact': web({ version: '1.0.0' }),
      'web-prefixed': web({ version: 'v1.0.0' }),
      'web-caret': web({ version: '^1.0.0' }),
      'web-rc': web({ version: '>=2.0.0-0' }),
      'web-or': web({ version: '<1.0.0 || 1.1.x' }),
      'web-star': web({ version: '*' }),
      'web-build': web({ version: '3.0.0+b' }),
      'web-builds': web({ version: '3.x' }),
      'web-revision': web({ version: '1.x', reconcileStrategy: 'Revision' }),
      'web-values': web({ version: '1.x', valuesFiles: ['values.yaml', 'values-prod.yaml'] }),
      'web-some-values': web({
        ...{ version: '1.x', reconcileStrategy: 'ChartVersion' },
        ...{ valuesFiles: ['values-prod.yaml', 'absent.yaml'], ignoreMissingValuesFiles: true },
      }),
    }),
  })),
  once(
    'charts that an index does not have',
    (at) => ({
      ...index('less')(at),
      ...charts('HelmRepository', 'less', {
        'no-chart': { chart: 'absent' },
        'no-version': web({ version: '9.x' }),
        'no-range': web({ version: 'newest' }),
        'no-values': web({ version: '1.x', valuesFiles: ['absent.yaml'] }),
      }),
    }),
    {
      'HelmChart/no-chart': 'InvalidChartReference',
      'HelmChart/no-version': 'InvalidChartReference',
      'HelmChart/no-range': 'InvalidChartReference',
      'HelmChart/no-values': 'ValuesFilesError',
    },
  ),
  once('a chart without its source', () => charts('HelmRepository', 'absent', { 'no-source': web() }), {
    'HelmChart/no-source': 'SourceUnavailable',
  }),
  once(
    'an index wants a login',
    (at) => ({
      'HelmRepository/helm-login': {
        ...{ url: at.guardedHelm, secretRef: { name: 'login' }, passCredentials: true, provider: 'generic' },
        ...{ type: 'default', insecure: false },
      },
      ...charts('HelmRepository', 'helm-login', { 'web-login': web() }),
      'HelmRepository/helm-absent': { url: at.guardedHelm, secretRef: { name: 'absent' } },
    }),
    { 'HelmRepository/helm-absent': 'AuthenticationFailed' },
  ),
  once('an index has a certificate', (at) => ({
    'HelmRepository/helm-secure': { url: at.secureHelm, timeout: '50s', certSecretRef: { name: 'ca' } },
  })),
  {
    ...once(
      'an index that cannot be fetched',
      (at) => ({
        'HelmRepository/helm-wrong': { url: at.guardedHelm, secretRef: { name: 'wrong-login' } },
        'HelmRepository/helm-nowhere': { url: `${at.helm}/nowhere` },
        'HelmRepository/helm-unknown-ca': { url: at.untrustedHelm },
      }),
      {
        'HelmRepository/helm-wrong': 'Failed',
        'HelmRepository/helm-nowhere': 'Failed',
        'HelmRepository/helm-unknown-ca': 'Failed',
      },
      {
        'HelmRepository/helm-wrong': 'AuthenticationFailed',
        'HelmRepository/helm-nowhere': 'IndexationFailed',
        'HelmRepository/helm-unknown-ca': 'IndexationFailed',
      },
    ),
    differs: 'the reason says what failed, where that of Flux is Failed',
  },
  {
    name: 'an index moves',
    steps: [
      {
        does: 'the first',
        objects: (at) => ({
          'HelmRepository/index-moves': { url: at.movingHelm },
          ...charts('HelmRepository', 'index-moves', { 'chart-moves': { chart: 'moving' } }),
        }),
      },
      { does: 'a version more', happens: ({ publish }) => publish('moving', { name: 'moving', version: '1.1.0' }) },
      {
        does: 'it is suspended',
        objects: (at) => ({
          'HelmRepository/index-moves': { url: at.movingHelm, suspend: true },
          ...charts('HelmRepository', 'index-moves', { 'chart-moves': { chart: 'moving', suspend: true } }),
        }),
      },
    ],
  },
];

const OF_REGISTRY: readonly Case[] = [
  once(
    'charts of a registry',
    (at) => ({
      ...registry(at, 'oci-charts'),
      ...charts('HelmRepository', 'oci-charts', {
        'oci-newest': web(),
        'oci-range': web({ version: '1.x' }),
        'oci-exact': web({ version: '1.0.0' }),
        'oci-build': web({ version: '3.0.0+b' }),
        'oci-builds': web({ version: '3.x' }),
        'oci-values': web({ version: '1.x', valuesFiles: ['values-prod.yaml'] }),
        'oci-absent': { chart: 'absent' },
        'oci-no-version': web({ version: '9.x' }),
      }),
    }),
    { 'HelmChart/oci-absent': 'ChartPullError', 'HelmChart/oci-no-version': 'ChartPullError' },
  ),
  once('a registry of charts wants a login', (at) => ({
    'HelmRepository/oci-login': {
      ...{ type: 'oci', url: `oci://${at.guardedRegistry}/charts`, insecure: true },
      ...{ secretRef: { name: 'docker' } },
    },
    ...charts('HelmRepository', 'oci-login', { 'oci-web': web({ version: '1.x' }) }),
  })),
  {
    ...once(
      'a registry of charts refuses a login',
      (at) => ({
        'HelmRepository/oci-wrong': {
          ...{ type: 'oci', url: `oci://${at.guardedRegistry}/charts`, insecure: true },
          ...{ secretRef: { name: 'wrong-docker' } },
        },
        ...charts('HelmRepository', 'oci-wrong', { 'oci-wrong-web': web({ version: '1.x' }) }),
      }),
      { 'HelmChart/oci-wrong-web': 'Unknown' },
      { 'HelmChart/oci-wrong-web': 'AuthenticationFailed' },
    ),
    differs: 'a refused login is AuthenticationFailed',
  },
];

const OF_FILES: readonly Case[] = [
  once(
    'charts of a repository',
    (at) => ({
      'GitRepository/git-charts': { url: at.git('charts'), ref: { branch: 'main' } },
      ...charts('GitRepository', 'git-charts', {
        'git-web': inGit(),
        'git-version': inGit({ version: '9.9.9' }),
        'git-revision': inGit({ reconcileStrategy: 'Revision' }),
        'git-values': inGit({ valuesFiles: ['charts/web/values.yaml', 'environments/prod.yaml'] }),
        'git-some-values': inGit({
          valuesFiles: ['environments/prod.yaml', 'absent.yaml'],
          ignoreMissingValuesFiles: true,
        }),
        'git-values-revision': inGit({ valuesFiles: ['environments/prod.yaml'], reconcileStrategy: 'Revision' }),
        'git-packed': { chart: 'packed/web-1.0.0.tgz' },
        'git-packed-values': { chart: 'packed/web-1.0.0.tgz', valuesFiles: ['environments/prod.yaml'] },
        'git-packed-revision': { chart: 'packed/web-1.0.0.tgz', reconcileStrategy: 'Revision' },
        'git-helmignore': { chart: 'charts/ignores' },
        'git-absent': { chart: 'charts/absent' },
        'git-no-values': inGit({ valuesFiles: ['absent.yaml'] }),
        'git-broken': { chart: 'charts/broken' },
      }),
    }),
    {
      'HelmChart/git-absent': 'InvalidChartReference',
      'HelmChart/git-no-values': 'ValuesFilesError',
      'HelmChart/git-broken': 'InvalidChartReference',
    },
  ),
  once('a chart has a dependency in its repository', (at) => ({
    'GitRepository/git-parents': { url: at.git('charts'), ref: { branch: 'main' } },
    ...charts('GitRepository', 'git-parents', { 'git-parent': { chart: 'charts/parent' } }),
  })),
  {
    name: 'a chart follows its repository',
    steps: [
      {
        does: 'both strategies',
        objects: (at) => ({
          'GitRepository/git-moves': { url: at.git('chart-moves'), ref: { branch: 'main' } },
          ...charts('GitRepository', 'git-moves', {
            'by-version': inGit({ reconcileStrategy: 'ChartVersion' }),
            'by-revision': inGit({ reconcileStrategy: 'Revision' }),
          }),
        }),
      },
      {
        does: 'a template changes',
        happens: ({ commit }) => commit('chart-moves', { 'charts/web/templates/new.yaml': 'a: 1\n' }),
      },
    ],
  },
  once('charts of a bucket', (at) => ({
    'Bucket/chart-bucket': {
      ...{ bucketName: 'charts', endpoint: at.objects, region: at.region, insecure: true },
      ...{ secretRef: { name: 'keys' } },
    },
    ...charts('Bucket', 'chart-bucket', {
      'bucket-web': inGit({ valuesFiles: ['charts/web/values.yaml', 'environments/prod.yaml'] }),
      'bucket-revision': inGit({ reconcileStrategy: 'Revision' }),
    }),
  })),
];

export const CHART_CASES: readonly Case[] = [...OF_INDEX, ...OF_REGISTRY, ...OF_FILES];
