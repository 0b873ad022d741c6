import { expect, it } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { objectStep } from '#cli/install/controller-plan.js';

function object(kind: string, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name: 'x', labels } };
}

const OURS = { 'app.kubernetes.io/part-of': 'fairlead' };

const INSTALL = { takeOver: false };
const TAKE_OVER = { takeOver: true };

it.each([
  ['what does not exist is applied', undefined, INSTALL, 'apply'],
  ['what is ours is applied again', object('Role', OURS), INSTALL, 'apply'],
  ['what somebody else installed is refused', object('Role'), INSTALL, 'refuse'],
  ['unless it is to be taken over', object('Role'), TAKE_OVER, 'apply'],
  ['their namespace is used as it is', object('Namespace'), INSTALL, 'leave'],
  ['and never taken over: an uninstallation would delete it', object('Namespace'), TAKE_OVER, 'leave'],
] as const)('%s', (_, live, { takeOver }, action) => {
  expect(objectStep(object(live?.kind ?? 'Role'), live, takeOver).action).toBe(action);
});
