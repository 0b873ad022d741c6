import { expect, test } from '@jest/globals';
import { freePort, freePorts } from '#sandbox/world/ports.js';

test('free ports are different ones', async () => {
  const ports = await freePorts(20);
  expect(new Set(ports).size).toBe(20);
  expect(await freePort()).toBeGreaterThan(0);
});
