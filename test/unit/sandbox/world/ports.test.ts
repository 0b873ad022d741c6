import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { freePort, freePorts } from '#sandbox/world/ports.js';

test('free ports are different ones', async () => {
  const ports = await freePorts(20);
  expect(new Set(ports).size).toBe(20);
  expect(await freePort()).toBeGreaterThan(0);
});

test('no outgoing connection can take a free port', async () => {
  // Linux tells the range; elsewhere it begins at 49152 (IANA).
  const told = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '49152');
  expect(Math.max(...(await freePorts(50)))).toBeLessThan(parseInt(told, 10));
});
