import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { World } from '#sandbox/world.js';
import { kubectl } from '#bench/scenarios/shell.js';
import { useHost } from '../../support/fixture.js';
import { auditEntries, auditPosition, freshNamespace, useWorld } from '../../support/world.js';

let world: World;
const host = useHost();
let namespace: string;

beforeAll(async () => {
  world = await useWorld();
  namespace = await freshNamespace(host, 'workloads');
});

function run(...args: string[]): Promise<string> {
  return kubectl(world, world.host, '--namespace', namespace, ...args);
}

async function phaseOf(pod: string): Promise<string> {
  return run('get', 'pod', pod, '-o', 'jsonpath={.status.phase}');
}

test.concurrent('a deployment becomes Available', async () => {
  await run('create', 'deployment', 'web', '--image=example.com/web', '--replicas=3');
  await run('wait', '--for=condition=Available', 'deployment/web', '--timeout=90s');
  expect(await run('get', 'deployment', 'web', '-o', 'jsonpath={.status.readyReplicas}')).toBe('3');
});

test.concurrent('a job completes', async () => {
  await run('create', 'job', 'once', '--image=example.com/job');
  await run('wait', '--for=condition=Complete', 'job/once', '--timeout=90s');
});

describe('a bare pod', () => {
  test.concurrent('that may end exits with 0', async () => {
    await run('run', 'ends', '--image=example.com/x', '--restart=Never');
    await run('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/ends', '--timeout=90s');
  });

  test.concurrent('with the outcome fail exits with 1', async () => {
    await run(
      'run',
      'fails',
      '--image=example.com/x',
      '--restart=Never',
      '--annotations=sandbox.fairlead.dev/outcome=fail',
    );
    await run('wait', '--for=jsonpath={.status.phase}=Failed', 'pod/fails', '--timeout=90s');
    const code = await run(
      'get',
      'pod',
      'fails',
      '-o',
      'jsonpath={.status.containerStatuses[0].state.terminated.exitCode}',
    );
    expect(code).toBe('1');
  });

  test.concurrent('with the outcome fail that may not end crashes in a loop and is not Ready', async () => {
    await run('run', 'crashes', '--image=example.com/x', '--annotations=sandbox.fairlead.dev/outcome=fail');
    const reason = '{.status.containerStatuses[0].state.waiting.reason}';
    await run('wait', `--for=jsonpath=${reason}=CrashLoopBackOff`, 'pod/crashes', '--timeout=90s');
    await run('wait', '--for=condition=Ready=false', 'pod/crashes', '--timeout=90s');
  });

  test.concurrent('with the outcome no-image waits for its image', async () => {
    await run('run', 'pulls', '--image=example.com/x', '--annotations=sandbox.fairlead.dev/outcome=no-image');
    const reason = '{.status.containerStatuses[0].state.waiting.reason}';
    await run('wait', `--for=jsonpath=${reason}=ImagePullBackOff`, 'pod/pulls', '--timeout=90s');
    expect(await phaseOf('pulls')).toBe('Pending');
  });

  test.concurrent('with the outcome pending never starts, with run it never ends', async () => {
    const annotate = (outcome: string): string => `--annotations=sandbox.fairlead.dev/outcome=${outcome}`;
    await run('run', 'waits', '--image=example.com/x', '--restart=Never', annotate('pending'));
    await run('run', 'stays', '--image=example.com/x', '--restart=Never', annotate('run'));
    await run('wait', '--for=condition=Ready', 'pod/stays', '--timeout=90s');
    await run('wait', '--for=condition=PodScheduled', 'pod/waits', '--timeout=90s');
    expect([await phaseOf('waits'), await phaseOf('stays')]).toEqual(['Pending', 'Running']);
  });

  test.concurrent('starts as late as its annotation says', async () => {
    await run('run', 'late', '--image=example.com/x', '--annotations=sandbox.fairlead.dev/start-after=2s');
    await run('wait', '--for=condition=Ready', 'pod/late', '--timeout=90s');
    const times = await run('get', 'pod', 'late', '-o', 'jsonpath={.metadata.creationTimestamp} {.status.startTime}');
    const [made = NaN, started = NaN] = times.split(' ').map((time) => Date.parse(time));
    expect(started - made).toBeGreaterThanOrEqual(2_000);
  });

  test.concurrent('is gone when it is deleted', async () => {
    await run('run', 'goes', '--image=example.com/x');
    await run('delete', 'pod', 'goes', '--timeout=90s');
    expect(await run('get', 'pod', 'goes', '--ignore-not-found')).toBe('');
  });
});

test.concurrent('a write is in the audit log when it is answered, and reads are not', async () => {
  const since = await auditPosition(world.host);
  await run('create', 'configmap', 'counted', '--from-literal=a=b');
  await run('get', 'configmap', 'counted');
  const ours = (await auditEntries(world.host, since)).filter(({ objectRef }) => objectRef?.name === 'counted');
  expect(ours.map(({ verb, user, responseStatus }) => [verb, user.username, responseStatus?.code])).toEqual([
    ['create', 'sandbox-admin', 201],
  ]);
});

test.concurrent('a namespace with pods in it can be deleted', async () => {
  const other = await freshNamespace(host, 'deleted');
  await kubectl(world, world.host, '--namespace', other, 'create', 'deployment', 'web', '--image=example.com/web');
  await kubectl(world, world.host, 'delete', 'namespace', other, '--timeout=90s');
});

test.concurrent('the certificate of the API server is verified', async () => {
  expect(await readFile(world.host.kubeconfig, 'utf8')).not.toContain('insecure');
  await expect(kubectl(world, world.host, '--certificate-authority=/dev/null', 'get', 'nodes')).rejects.toThrow();
});
