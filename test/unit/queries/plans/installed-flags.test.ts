import { describe, expect, it } from '@jest/globals';
import { readController } from '#cli/install/package.js';
import { CONTROLLER } from '#queries/plans/installation.js';
import { rulesOf, type ControllerDeployment } from '#queries/plans/installed-flags.js';

function deployment(args: string[]): ControllerDeployment {
  const spec = { template: { spec: { containers: [{ name: 'sidecar' }, { name: 'controller', args }] } } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec };
}

it('the controller is where the package installs it', async () => {
  const packaged = (await readController()).find(({ kind }) => kind === 'Deployment');
  expect(packaged?.metadata).toMatchObject(CONTROLLER);
});

describe('what an installed controller lets Applications refer to', () => {
  const rows: Record<string, [args: string[], rules: Partial<ReturnType<typeof rulesOf>>]> = {
    'is everything without flags': [['--leader-elect'], {}],
    'is its namespace only, with its flag in one argument': [['--namespace=shop'], { watchedNamespace: 'shop' }],
    'is its namespace only, with its flag in two': [['--namespace', 'shop'], { watchedNamespace: 'shop' }],
    'is the last namespace of several': [['--namespace=a', '--namespace=b'], { watchedNamespace: 'b' }],
    'is no source of another namespace, if it says so': [['--no-cross-namespace-refs'], { allowCrossNamespace: false }],
    'is not limited by the value of another flag': [['--storage-path', '--no-cross-namespace-refs'], {}],
  };
  it.each(Object.entries(rows))('%s', (_title, [args, rules]) => {
    expect(rulesOf(deployment(args))).toEqual({ allowCrossNamespace: true, watchedNamespace: undefined, ...rules });
  });

  it('is everything where none is installed', () => {
    expect(rulesOf(undefined)).toEqual({ allowCrossNamespace: true, watchedNamespace: undefined });
  });
});
