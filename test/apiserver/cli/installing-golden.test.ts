import { afterAll, beforeAll, test } from '@jest/globals';
import { fairlead, kubectl } from '#bench/scenarios/shell.js';
import { packageVersion } from '#cli/command/program-info.js';
import type { Cluster, World } from '#sandbox/world.js';
import { everyFormat, expectGolden, type GoldenOptions, type Run } from '../../support/golden.js';
import { useWorld } from '../../support/world.js';

const LIMIT_MS = 600_000;

let world: World;
let cluster: Cluster;
let options: GoldenOptions;

beforeAll(async () => {
  world = await useWorld();
  [, cluster] = world.members as [Cluster, Cluster];
  await fairlead(cluster, 'uninstall', '--purge', '--yes');
  options = {
    flags: ['--kubeconfig', cluster.kubeconfig],
    inOrder: true,
    normal: [
      [/127\.0\.0\.1:\d+(\n +\d+)?/g, (found) => found.replace(/(?<=:[\d\s]*)\d/g, '0')],
      [/^Waiting for .*\n/gm, ''],
      [/v1\.\d+\.\d+\S*/g, 'v1.99.0'],
      [new RegExp(`\\b${packageVersion().replaceAll('.', '\\.')}\\b`, 'g'), '0.0.0'],
      // What is on this machine.
      [/^ +\{\n +"subject": "(helm|kustomize|git)",\n.*\n.*\n +\},?/gm, '    (a program of this machine)'],
      [/^ +- subject: (helm|kustomize|git)\n.*\n.*(\n {6,}.*)*/gm, '  (a program of this machine)'],
      [/^(ok|note) +(helm|kustomize|git) .*(\n {10,}.*)*/gm, '(a program of this machine)'],
    ],
  };
}, LIMIT_MS);

afterAll(async () => {
  await fairlead(cluster, 'uninstall', '--purge', '--yes');
}, LIMIT_MS);

test(
  'what the verbs print that install, check and remove',
  async () => {
    const place = ['-n', 'fairlead-system', 'deployment/fairlead-controller'];
    const isAvailable = () => kubectl(world, cluster, 'wait', '--for=condition=Available', '--timeout=90s', ...place);
    const runs: Run[] = [
      ...everyFormat('version'),
      ...everyFormat('version --client').map((run) => ({ ...run, flags: [] })),
      { line: 'status', columns: 40 },
      ...everyFormat('check'),
      { line: 'install --dry-run' },
      { line: 'install --image registry.example/fairlead:1' },
      { line: 'install --dry-run' },
      { line: 'version' },
      { line: 'check', before: isAvailable },
      { line: 'uninstall' },
      { line: 'uninstall --purge' },
      { line: 'uninstall --purge --yes' },
      { line: 'check' },
    ];
    await expectGolden('test/apiserver/cli/installing.golden', runs, options);
  },
  LIMIT_MS,
);
