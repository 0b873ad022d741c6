import { expect, test } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import type { ResourceType, Unstructured } from '#api/meta.js';
import { eventually } from '../../support/world.js';
import type { ChartFiles } from './charts.js';
import { rewriteRevision } from './stored-revisions.js';
import { useHarness, type Harness } from './harness.js';

type Spec = Parameters<Harness['apply']>[1];

const deploymentResource: ResourceType = {
  ...configMapResource,
  ...{ group: 'apps', kind: 'Deployment', plural: 'deployments' },
};

/** What values add is what a later release leaves out. */
const WEB: ChartFiles = {
  'values.yaml': 'more: false\noutcome: run\n',
  'templates/web.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  annotations:
    always: here
    {{- if .Values.more }}
    added: here
    {{- end }}
spec:
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata:
      labels: {app: {{ .Release.Name }}}
      annotations: {sandbox.fairlead.dev/outcome: {{ .Values.outcome }}}
    spec:
      containers:
        - name: web
          image: example.com/web
          env:
            - {name: ALWAYS, value: here}
            {{- if .Values.more }}
            - {name: ADDED, value: here}
            {{- end }}
        {{- if .Values.more }}
        - {name: sidecar, image: example.com/sidecar}
        {{- end }}
      volumes:
        - name: files
          {{- if .Values.more }}
          emptyDir: {}
          {{- else }}
          configMap: {name: files, optional: true}
          {{- end }}
`,
};

interface Deployment extends Unstructured {
  spec: {
    replicas: number;
    template: { spec: { containers: { name: string; env?: { name: string }[] }[]; volumes: object[] } };
  };
}

const harness = useHarness('hr-take', { charts: { web: WEB } });

const CHART: Spec = {
  chart: { spec: { chart: 'web', version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } } },
};

function installByHelm(name: string, ...flags: string[]): Promise<string> {
  return harness.helm('install', name, harness.chartFile('web', '1.0.0'), '--set', 'more=true', ...flags);
}

async function read(name: string): Promise<Deployment> {
  const found = await harness.member.get<Deployment>(deploymentResource, { name, namespace: harness.namespace });
  if (found === undefined) throw new Error(`no Deployment ${name}`);
  return found;
}

async function setByUser(name: string, body: object): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await harness.member.patch(deploymentResource, ref, { type: 'merge', body }, { fieldManager: 'kubectl-edit' });
}

/** Only what the chart says now is there. */
function expectPlain({ metadata, spec }: Deployment): void {
  const { containers, volumes } = spec.template.spec;
  expect(metadata.annotations).toMatchObject({ always: 'here' });
  expect(metadata.annotations).not.toHaveProperty('added');
  expect(containers.map(({ name, env = [] }) => [name, env.map((one) => one.name)])).toEqual([['web', ['ALWAYS']]]);
  expect(volumes).toEqual([{ name: 'files', configMap: expect.objectContaining({ name: 'files' }) }]);
  const managers = (metadata.managedFields ?? []).map(({ manager, operation }) => `${manager} ${operation}`);
  expect(managers).toContain('helm-controller Apply');
  expect(managers.filter((manager) => manager.startsWith('helm '))).toEqual([]);
}

test.each([
  ['from the client\u2019s side', 'client', ['--server-side=false']],
  ['on the server', 'server', []],
])('what a helm by hand set %s, and the release leaves out, goes; what a user set stays', async (_how, name, flags) => {
  await installByHelm(name, ...flags);
  // Helm did not wait: a roll-out that has not begun would be none.
  await eventually(async () => {
    expect((await read(name)).metadata.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '1' });
  });
  await setByUser(name, { metadata: { annotations: { mine: 'here' } }, spec: { replicas: 2 } });
  await harness.apply(name, CHART);
  await harness.untilReady(name);
  const live = await read(name);
  expectPlain(live);
  expect(live.metadata.annotations).toMatchObject({ mine: 'here' });
  expect(live.spec.replicas).toBe(2);
  // Rolled out once: by the user, and by the release.
  expect(live.metadata.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '2' });
});

test('a failed install of a helm by hand is taken over as a whole', async () => {
  const failing = ['--set', 'outcome=pending', '--wait=watcher', '--timeout=2s', '--server-side=false'];
  await expect(installByHelm('failing', ...failing)).rejects.toThrow('INSTALLATION FAILED');
  await harness.apply('failing', CHART);
  await harness.untilReady('failing');
  expectPlain(await read('failing'));
});

test('a release whose storage was lost is taken over by the marks on its objects', async () => {
  await installByHelm('lost', '--server-side=false');
  await harness.member.delete(
    { ...configMapResource, kind: 'Secret', plural: 'secrets' },
    { name: 'sh.helm.release.v1.lost.v1', namespace: harness.namespace },
  );
  await harness.apply('lost', CHART);
  await harness.untilReady('lost');
  expectPlain(await read('lost'));
});

test('what another release set stays on an object that is taken over', async () => {
  await harness.helm(
    ...['install', 'other', harness.chartFile('web', '1.0.0'), '--set', 'more=true', '--server-side=false'],
  );
  await harness.publish('thief', '1.0.0', {
    'templates/web.yaml':
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: other}\nspec:\n  selector: {matchLabels: {app: other}}\n' +
      '  template:\n    metadata: {labels: {app: other}}\n    spec: {containers: [{name: web, image: example.com/web}]}\n',
  });
  const chart = { spec: { ...CHART.chart?.spec, chart: 'thief', version: '1.0.0' } } as NonNullable<Spec['chart']>; // whole
  await harness.apply('thief', { chart });
  await harness.untilReady('thief');
  expect((await read('other')).spec.template.spec.containers.map(({ name }) => name)).toEqual(['web', 'sidecar']);
});

test('a rollback to a revision of the client\u2019s side is one on the server', async () => {
  const spec = { ...CHART, upgrade: { timeout: '2s', remediation: { remediateLastFailure: true } } };
  await harness.apply('back', spec);
  await harness.untilReady('back');
  await rewriteRevision(harness, 'back', 1, { applyMethod: 'csa' });
  await harness.apply('back', { ...spec, values: { outcome: 'pending' } });
  await harness.until('back', ({ status }) => {
    expect(status?.history?.[0]).toMatchObject({ version: 3, status: 'deployed', action: 'rollback' });
  });
  const metadata = await harness.helm('get', 'metadata', 'back', '--revision=3', '--output=json');
  expect(JSON.parse(metadata)).toMatchObject({ applyMethod: 'ssa' });
});
