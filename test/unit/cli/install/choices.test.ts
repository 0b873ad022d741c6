import { describe, expect, it } from '@jest/globals';
import { chosenDeployment, imageOf, keptInWords, removedFlags, unknownFlags } from '#cli/install/choices.js';
import type { ControllerDeployment } from '#queries/plans/installed-flags.js';

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

describe('an image', () => {
  it.each([
    ['of another version is replaced', 'fairlead:0.1.0', 'fairlead:0.2.0'],
    ['of the user with the name of the default one is kept', 'fairlead:dev', 'fairlead:dev'],
    ['without a tag is kept', 'fairlead', 'fairlead'],
    ['of a registry with a port is kept', 'localhost:5000/fairlead:0.1.0', 'localhost:5000/fairlead:0.1.0'],
  ])('%s', (_, image, expected) => {
    expect(imageOf(chosenDeployment(PACKAGED, deployment({ image }), {}))).toBe(expected);
  });
});

describe('the flags of a profile', () => {
  const TENANT = ['--default-service-account=default', '--no-cross-namespace-refs'];
  it.each([
    ['tenant adds what is missing', 'tenant', ['--concurrent=8'], ['--concurrent=8', ...TENANT], []],
    ['tenant changes nothing when repeated', 'tenant', TENANT, TENANT, []],
    [
      'tenant keeps the ServiceAccount of the user',
      'tenant',
      ['--default-service-account=deployer'],
      ['--default-service-account=deployer', '--no-cross-namespace-refs'],
      [],
    ],
    [
      'tenant knows a value that is an argument of its own',
      'tenant',
      ['--default-service-account', 'deployer'],
      ['--default-service-account', 'deployer', '--no-cross-namespace-refs'],
      [],
    ],
    ['cluster removes what tenant adds', 'cluster', ['--concurrent=8', ...TENANT], ['--concurrent=8'], TENANT],
    [
      'cluster removes no other ServiceAccount',
      'cluster',
      ['--default-service-account=deployer'],
      ['--default-service-account=deployer'],
      [],
    ],
    [
      'cluster removes a flag with its value',
      'cluster',
      ['--default-service-account', 'default', '--concurrent', '8'],
      ['--concurrent', '8'],
      ['--default-service-account', 'default'],
    ],
  ] as const)('%s', (...[, profile, args, expected, removed]) => {
    const live = deployment({ image: 'reg/f:7', args: [...args] });
    expect(chosenDeployment(PACKAGED, live, { profile })).toEqual(
      deployment({ image: 'reg/f:7', args: [...expected], resources: { limits: { memory: '3Gi' } } }),
    );
    expect(removedFlags(live, { profile })).toEqual(removed);
  });
});

describe('a Deployment with a sidecar before the controller', () => {
  const live = deployment({ image: 'reg/f:7', args: ['--concurrent=8'] });
  live.spec?.template?.spec?.containers?.unshift({ name: 'proxy', image: 'proxy:1', args: ['--foo'] });

  it('keeps the image and the flags of the controller', () => {
    const chosen = deployment({
      image: 'reg/f:7',
      args: ['--concurrent=8'],
      resources: { limits: { memory: '3Gi' } },
    });
    expect(chosenDeployment(PACKAGED, live, {})).toEqual(chosen);
    expect(imageOf(live)).toBe('reg/f:7');
    expect(unknownFlags(live)).toEqual([]);
  });

  it('gets the package where it has no controller', () => {
    const other = structuredClone(live);
    other.spec?.template?.spec?.containers?.pop();
    expect(chosenDeployment(PACKAGED, other, {})).toEqual(PACKAGED);
  });
});

describe('unknown flags', () => {
  it.each([
    ['are those that this version does not have', ['--leader-elect', '--engine=embedded', '--gone=1'], ['--gone']],
    ['are not those of every verb', ['--debug', '--no-color', '--no-cross-namespace-refs'], []],
    ['are no values', ['--log-level', '-x'], []],
  ])('%s', (_, args, expected) => {
    expect(unknownFlags(deployment({ args }))).toEqual(expected);
  });
});
