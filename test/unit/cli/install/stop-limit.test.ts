import { expect, test } from '@jest/globals';
import { readController } from '#cli/install/package.js';
import { stopLimitSeconds, type Deployment } from '#cli/install/until-available.js';

function deployment(terminationGracePeriodSeconds?: number): Deployment {
  const spec = terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec: { template: { spec } } };
}

test.each<[string, Deployment, number]>([
  ['the grace period of the pods and a minute', deployment(660), 720],
  ['a grace period of zero is one', deployment(0), 60],
  ["Kubernetes' own where the pods say nothing", deployment(), 90],
])('waits for %s', (_, live, seconds) => {
  expect(stopLimitSeconds(live)).toBe(seconds);
});

test('the controller that is installed may end its running passes', async () => {
  const [installed] = (await readController()).filter(({ kind }) => kind === 'Deployment');
  expect(stopLimitSeconds(installed!)).toBeGreaterThan(600);
});
