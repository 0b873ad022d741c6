import { expect, test } from '@jest/globals';
import { freePort, freePorts } from '#sandbox/world/ports.js';

test('free ports are different ones', async () => {
  const ports = await freePorts(20);
  expect(new Set(ports).size).toBe(20);
  expect(await freePort()).toBeGreaterThan(0);
});

test('no outgoing connection takes a free port', async () => {
  // Those of Linux begin at 32768 unless somebody changed that, and elsewhere at 49152 (IANA).
  expect(Math.max(...(await freePorts(50)))).toBeLessThan(32_768);
});
