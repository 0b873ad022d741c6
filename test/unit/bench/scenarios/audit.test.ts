import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { auditEntries } from '#bench/scenarios/audit.js';

const [FIRST, SECOND] = ['{"verb":"create"}\n', '{"verb":"patch"}\n'] as const;

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'fairlead-audit-'));
});
afterAll(() => rm(dir, { recursive: true }));

test.each([
  ['from the beginning of the log', FIRST + SECOND, 0, ['create', 'patch']],
  ['from the end of an entry', FIRST + SECOND, FIRST.length, ['patch']],
  ['from within an entry that was being written', FIRST + SECOND, 5, ['patch']],
  ['up to an entry that is being written', FIRST + SECOND.slice(0, 5), 0, ['create']],
  ['from the end of the log', FIRST, FIRST.length, []],
])('entries are read %s', async (title, text, since, verbs) => {
  const auditLog = path.join(dir, title.replaceAll(' ', '-'));
  await writeFile(auditLog, text);
  const entries = await auditEntries({ name: 'host', server: '', kubeconfig: '', auditLog }, since);
  expect(entries.map(({ verb }) => verb)).toEqual(verbs);
});
