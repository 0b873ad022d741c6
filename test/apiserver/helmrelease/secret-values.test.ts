import { expect, test } from '@jest/globals';
import { fairlead } from '#bench/scenarios/shell.js';
import { applicationController } from '#controllers/application/setup.js';
import { eventResource, secretResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease, type HelmReleaseSpec } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { runControllers } from '../../support/harness.js';
import { eventually } from '../../support/world.js';
import { application, deploy, type Deploy } from '../../unit/application/model/builders.js';
import { repository } from '../application/harness.js';
import { account, grant, sendDescribed, startConsole } from '../console/harness.js';
import { job, PLAIN, type ChartFiles } from './charts.js';
import { conditionOf, useHarness } from './harness.js';

/** No label, no pattern and no date takes it. */
const CANARY = 'canary-7Hq!<&"of a Secret';
const KEY = 'canarykey9x';
const SPELLINGS = [CANARY, JSON.stringify(CANARY).slice(1, -1), 'canary-7Hq', btoa(CANARY), KEY];

const SCHEMA = {
  type: 'object',
  properties: {
    checked: { type: 'string', pattern: '^[a-z]*$' },
    auth: { type: 'object', additionalProperties: false, properties: { password: {} } },
  },
};

const CHART: ChartFiles = {
  ...PLAIN,
  'values.schema.json': JSON.stringify(SCHEMA),
  'values.yaml': `${PLAIN['values.yaml']}checked: ""\nbefore: succeed\nrun: false\nnode: {}\n`,
  'templates/fails.yaml': '{{ with .Values.refused }}{{ fail (printf "no role %s" .) }}{{ end }}',
  'templates/broken.yaml': '{{ with .Values.broken }}a: {b: {{ . }}: c: {{ end }}',
  'templates/before.yaml': `{{ if .Values.run }}${job('before', 'pre-install')}{{ end }}`,
  'templates/zone.yaml': `{{ with .Values.node.zone }}
apiVersion: v1
kind: Pod
metadata: {name: zone-{{ $.Release.Name }}}
spec:
  nodeSelector: {zone: {{ . | quote }}}
  containers: [{name: main, image: example.com/x}]
{{ end }}`,
  'templates/token.yaml': `{{ with .Values.token }}
apiVersion: v1
kind: Secret
metadata: {name: token-{{ $.Release.Name }}}
stringData: {token: {{ . | quote }}}
{{ end }}`,
};

const lines: string[] = [];
const log = createLogger('debug', { write: (line) => lines.push(line) });

/** A kubelet that has the output of the hook: it printed its environment, at length. */
function printing(kube: Kube): Kube {
  const read: Kube['read'] = async (path, options) => {
    if (!path.includes('/log?')) return kube.read(path, options);
    return `TOKEN=${CANARY}\n${'-'.repeat(780)}${CANARY}` as never; // a text
  };
  return new Proxy(kube, {
    get: (target, name) => {
      if (name === 'read') return read;
      const found: unknown = Reflect.get(target, name);
      return typeof found === 'function' ? (found.bind(target) as unknown) : found;
    },
  });
}

const harness = useHarness('hr-secret', { charts: { canary: CHART }, log, through: printing });

const from = (targetPath: string): NonNullable<HelmReleaseSpec['valuesFrom']> => [
  { kind: 'Secret', name: 'canary', valuesKey: 'text', targetPath },
];
const wrongNode = {
  target: { kind: 'ConfigMap' },
  patch: '{"kind": "ConfigMap", "metadata": {"name": "x"}, "data": []}',
};

/** By its name: what it is given, and what is to be said instead of the value. */
const RELEASES: Readonly<Record<string, { spec: Partial<Deploy>; says: string }>> = {
  pattern: { spec: { valuesFrom: from('checked') }, says: "at '/checked': '*****' does not match pattern" },
  key: {
    spec: { valuesFrom: [{ kind: 'Secret', name: 'canary' }] },
    says: "at '/auth': additional properties '*****'",
  },
  fails: { spec: { valuesFrom: from('refused') }, says: 'no role *****' },
  broken: { spec: { valuesFrom: from('broken') }, says: 'YAML parse error on canary/templates/broken.yaml' },
  zone: { spec: { valuesFrom: from('node.zone') }, says: 'Invalid value: "*****"' },
  hook: {
    spec: { valuesFrom: from('token'), values: { before: 'fail', run: true } },
    says: 'printed last:\nTOKEN=*****',
  },
  post: {
    spec: { valuesFrom: from('color'), postRenderers: [{ kustomize: { patches: [wrongNode] } }] },
    says: 'post renderer: why is withheld',
  },
};

function canaries(): Application {
  const { namespace } = harness;
  const entries = Object.entries(RELEASES).map(([name, { spec }]) => ({
    ...deploy(namespace, 'member', { name, releaseName: name, timeout: '20s', ...spec }),
  }));
  const made = application(entries, { metadata: { name: 'canaries', namespace } });
  made.spec.fluxApp!.spec.config.helmRelease!.chart = { chart: 'canary', version: '1.0.0' };
  return made;
}

/** The HelmRelease of an entry, once `check` passes on it. */
async function untilRelease(name: string, check: (release: HelmRelease) => void): Promise<HelmRelease> {
  const { host, namespace } = harness;
  let found: HelmRelease | undefined;
  await eventually(
    async () => {
      const { items } = await host.list<HelmRelease>(helmReleaseResource, { namespace });
      found = items.find(({ spec }) => spec.releaseName === name);
      if (found === undefined) throw new Error(`there is no release ${name} yet`);
      check(found);
    },
    { timeoutMs: 60_000 },
  );
  return found!;
}

function expectHidden(what: string, text: string): void {
  for (const spelling of SPELLINGS) if (text.includes(spelling)) throw new Error(`${what} shows ${spelling}:\n${text}`);
}

test('a value from a Secret is in no status, event, log, metric, answer or output', async () => {
  const { host, world, namespace } = harness;
  const values = `auth: {password: x, ${KEY}: y}`;
  await host.create<KubeObject>(secretResource, {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'canary', namespace } },
    ...{ stringData: { text: CANARY, 'values.yaml': values } },
  });
  await host.create(helmRepositoryResource, repository('charts', namespace));
  await host.create(applicationResource, canaries());
  const options = { allowCrossNamespace: true, controllerNamespace: 'fairlead-test' };
  const ours = runControllers({ kube: host, namespace, log }, [(context) => applicationController(context, options)]);
  const { user, token } = await account(host, namespace, 'reader');
  await grant(host, 'reader', { namespace, user, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] });
  const console = await startConsole(world, { kube: host, namespace });
  try {
    for (const [name, { says }] of Object.entries(RELEASES)) {
      const release = await untilRelease(name, (current) => {
        expect(conditionOf(current, 'Ready')?.message).toEqual(expect.stringContaining(says));
      });
      expectHidden(name, JSON.stringify({ ...release, spec: {} }));
    }
    const read = (): Promise<Application | undefined> =>
      host.get<Application>(applicationResource, { name: 'canaries', namespace });
    await eventually(
      async () => {
        const states = (await read())?.status?.destinations?.map(({ state }) => state);
        expect(states).toEqual(Object.keys(RELEASES).map(() => 'Stalled'));
      },
      { timeoutMs: 60_000 },
    );
    expectHidden('the Application', JSON.stringify(await read()));
    const dryRun = { metadata: { annotations: { 'gitops.kubesphere.io/dry-run': 'true' } } };
    const { metadata } = await untilRelease('fails', () => undefined);
    await host.patch(helmReleaseResource, metadata, { type: 'merge', body: dryRun });
    const dry = await untilRelease('fails', (current) => {
      expect(conditionOf(current, 'DryRun')?.message).toContain('no role *****');
    });
    expectHidden('a dry run', JSON.stringify({ ...dry, spec: {} }));
    await Promise.all([ours.eventsWritten(), harness.eventsWritten()]);
    const { items } = await host.list<KubeObject>(eventResource, { namespace });
    expect(JSON.stringify(items)).toContain('no role *****');
    expectHidden('an event', JSON.stringify(items));
    expectHidden('the log', lines.join(''));
    expectHidden('a metric', `${await ours.metrics()}${await harness.metrics()}`);
    const own = `/api/v1/namespaces/${namespace}/applications/canaries`;
    for (const path of ['', '/tree', '/events', '/live-diff?cluster=member&release=zone']) {
      const { code, text } = await sendDescribed(console.port, `${own}${path}`, { token });
      expect({ path, code, text }).toMatchObject({ code: 200 });
      expectHidden(path, text);
    }
    for (const words of [
      ['status', 'canaries'],
      ['tree', 'canaries'],
      ['diff', 'canaries'],
      ['events', 'canaries'],
    ]) {
      const shown = await fairlead(world.host, ...words, '-n', namespace);
      expectHidden(words.join(' '), shown);
    }
  } finally {
    await console.stop();
    await ours.stop();
  }
});
