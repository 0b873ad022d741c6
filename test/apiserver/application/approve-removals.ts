import { expect } from '@jest/globals';
import { APPROVE_REMOVALS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { getCondition } from '#lib/kube/conditions.js';
import { eventually } from '../../support/world.js';
import type { useHarness } from './harness.js';

/** Approves what waits for that, once it does. */
export async function approveRemovals(harness: ReturnType<typeof useHarness>, name: string): Promise<void> {
  const approval = await eventually(async () => {
    const { removals, conditions } = (await harness.read(name)).status ?? {};
    expect(getCondition(conditions, 'RemovalsHeld')?.status).toBe('True');
    return removals?.approval ?? '';
  });
  await harness.annotate(name, { [APPROVE_REMOVALS_ANNOTATION]: approval });
}
