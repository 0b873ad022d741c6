import { describe, expect, it } from '@jest/globals';
import { chosenDeployment, keptInWords, unknownFlags, type ControllerDeployment } from '#cli/install/choices.js';

interface Fields {
  readonly image?: string;
  readonly args?: string[];
  readonly replicas?: number;
  readonly resources?: object;
}

function deployment({ image, args = [], replicas = 2, ...rest }: Fields): ControllerDeployment {
  const container = { name: 'controller', ...(image === undefined ? {} : { image }), args, ...rest };
  const metadata = { name: 'fairlead-controller', namespace: 'fairlead-system' };
  const spec = { replicas, template: { spec: { containers: [container] } } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec };
}

const PACKAGED = deployment({
  image: 'fairlead:0.2.0',
  args: ['--leader-elect'],
  resources: { limits: { memory: '3Gi' } },
});

describe('chosenDeployment', () => {
  it.each([
    ['nothing is installed: the package', undefined, {}, PACKAGED],
    [
      'image, flags, replicas and resources of the installed one stay',
      deployment({ image: 'reg/f:7', args: ['--concurrent=8'], replicas: 1, resources: { limits: { memory: '6Gi' } } }),
      {},
      deployment({ image: 'reg/f:7', args: ['--concurrent=8'], replicas: 1, resources: { limits: { memory: '6Gi' } } }),
    ],
    [
      'an image that was told wins',
      deployment({ image: 'reg/f:7', args: ['--leader-elect'] }),
      { image: 'reg/f:8' },
      deployment({ image: 'reg/f:8', args: ['--leader-elect'], resources: { limits: { memory: '3Gi' } } }),
    ],
    [
      'the default image of an earlier version is not kept',
      deployment({ image: 'fairlead:0.1.0', args: ['--leader-elect'] }),
      {},
      PACKAGED,
    ],
    [
      'a controller scaled to 0 stays so',
      deployment({ image: 'fairlead:0.2.0', args: ['--leader-elect'], replicas: 0 }),
      {},
      deployment({
        image: 'fairlead:0.2.0',
        args: ['--leader-elect'],
        replicas: 0,
        resources: { limits: { memory: '3Gi' } },
      }),
    ],
    [
      'tenant adds its flags, and replaces another value of one',
      deployment({ image: 'reg/f:7', args: ['--default-service-account=x', '--concurrent=8'] }),
      { profile: 'tenant' },
      deployment({
        image: 'reg/f:7',
        args: ['--concurrent=8', '--default-service-account=default', '--no-cross-namespace-refs'],
        resources: { limits: { memory: '3Gi' } },
      }),
    ],
    [
      'cluster removes the flags of tenant',
      deployment({
        image: 'reg/f:7',
        args: ['--concurrent=8', '--default-service-account=x', '--no-cross-namespace-refs'],
      }),
      { profile: 'cluster' },
      deployment({ image: 'reg/f:7', args: ['--concurrent=8'], resources: { limits: { memory: '3Gi' } } }),
    ],
  ] as const)('%s', (_, live, told, expected) => {
    expect(chosenDeployment(PACKAGED, live, told)).toEqual(expected);
  });

  it('does not change its input', () => {
    const before = structuredClone(PACKAGED);
    chosenDeployment(PACKAGED, undefined, { image: 'x', profile: 'tenant' });
    expect(PACKAGED).toEqual(before);
  });
});

describe('keptInWords', () => {
  it('names what differs from the package', () => {
    const live = deployment({ image: 'reg/f:7', args: ['--concurrent=8'], replicas: 1, resources: {} });
    expect(keptInWords(PACKAGED, chosenDeployment(PACKAGED, live, {}), {})).toEqual([
      'image reg/f:7',
      'flags --concurrent=8',
      'without --leader-elect',
      'replicas: 1',
      'resources',
    ]);
  });

  it('does not name what was told', () => {
    const told = { image: 'reg/f:7', profile: 'tenant' } as const;
    expect(keptInWords(PACKAGED, chosenDeployment(PACKAGED, undefined, told), told)).toEqual([]);
  });
});

it('finds flags that this version does not know', () => {
  const live = deployment({ args: ['--leader-elect', '--engine=embedded', '--no-cross-namespace-refs', '--gone=1'] });
  expect(unknownFlags(live)).toEqual(['--gone=1']);
});
