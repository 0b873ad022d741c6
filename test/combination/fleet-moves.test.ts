import { expect, it } from '@jest/globals';
import { ALL, play } from './story/play.js';
import type { Json, Step, Story } from './story/steps.js';

const SPEC: Json = {
  kind: 'fluxcd',
  fluxApp: {
    spec: {
      source: { sourceRef: { kind: 'HelmRepository', name: 'charts' } },
      config: {
        helmRelease: {
          chart: { chart: 'podinfo', version: '1.0.0' },
          deploy: [{ destination: { clusterSelector: { matchLabels: { env: 'plot' } }, targetNamespace: 'plot' } }],
        },
      },
    },
  },
};

const label = (cluster: string, env: string, seconds = 0): Step => ({ do: 'label', cluster, labels: { env }, seconds });

/** Secrets describe two clusters, and then objects of Cluster API do. */
const MOVE: Story = {
  members: ['plot-1', 'plot-2'],
  steps: [
    { do: 'join', cluster: 'p1', kind: 'Secret', member: 'plot-1', labels: { env: 'plot' }, seconds: 0 },
    { do: 'join', cluster: 'p2', kind: 'Secret', member: 'plot-2', labels: { env: 'plot' }, seconds: 0 },
    { do: 'create', app: 'plot', spec: SPEC, seconds: 60 },
    { do: 'join', cluster: 'q1', kind: 'Cluster', member: 'plot-1', labels: { env: 'x' }, seconds: 0 },
    { do: 'join', cluster: 'q2', kind: 'Cluster', member: 'plot-2', labels: { env: 'x' }, seconds: 60 },
    label('p1', 'x'),
    label('p2', 'x'),
    label('q1', 'plot'),
    label('q2', 'plot', 300),
  ],
};

it('a fleet that objects of another kind describe is handed over, and nothing is uninstalled', async () => {
  const { findings, world } = await play(MOVE, { invariants: ALL });
  expect(findings).toEqual([]);
  const rows = world.applications().flatMap(({ status }) => status?.destinations ?? []);
  expect(rows.map(({ cluster, state }) => [cluster, state])).toEqual([
    ['q1', 'Ready'],
    ['q2', 'Ready'],
  ]);
  expect(world.members.actions.filter(({ action }) => action === 'uninstall')).toEqual([]);
});
