import { beforeAll, expect, test } from '@jest/globals';
import type { World } from '#sandbox/world.js';
import { auditEntries, useWorld } from '../../support/world.js';

let world: World;

beforeAll(async () => {
  world = await useWorld();
});

test('a world has a host, two members and three servers', async () => {
  expect(world.host.name).toBe('host');
  expect(world.members.map(({ name }) => name)).toEqual(['member-1', 'member-2']);
  expect((await fetch(`${world.helmRepositoryUrl}/index.yaml`)).status).toBe(200);
  expect((await fetch(`${world.gitUrl}/info/refs?service=git-upload-pack`)).status).toBe(200);
  expect((await fetch(`http://${world.registry}/v2/`)).status).toBe(200);
});

test('every caller gets the same world', async () => {
  expect((await useWorld()).dir).toBe(world.dir);
});

test('the audit log holds mutating requests only, each once', async () => {
  const entries = await auditEntries(world.host);
  expect(entries.length).toBeGreaterThan(0);
  expect(new Set(entries.map(({ verb }) => verb)).has('get')).toBe(false);
});
