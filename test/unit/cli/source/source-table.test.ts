import { describe, expect, test } from '@jest/globals';
import { ageOf, shortRevision, sourceTable } from '#cli/inspect/model/source-table.js';
import type { SourceView } from '#queries/answers/clusters.js';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const WHY = "unable to clone 'https://example.com/app.git': authentication required";

function view(fields: Partial<SourceView>): SourceView {
  const unknown = { reason: '', message: '', revision: '', storedAt: '', usedBy: [] };
  return { kind: 'GitRepository', namespace: 'shop', name: 'app', state: 'Ready', ...unknown, ...fields };
}

const user = (kind: string, name: string) => ({ kind, namespace: 'shop', name });
const VIEWS = [
  view({
    message: 'stored artifact',
    revision: `main@sha1:${'0123456789'.repeat(4)}`,
    storedAt: '2026-01-01T21:00:00Z',
    usedBy: [user('Application', 'web'), user('Kustomization', 'a'), user('Kustomization', 'b')],
  }),
  view({ name: 'private', state: 'Failed', message: WHY }),
];

function tableOf(columns: number | undefined, { wide = false, allNamespaces = false } = {}): string {
  const terminal = { columns, hasColors: false, hasSymbols: columns !== undefined };
  return `\n${sourceTable(VIEWS, { allNamespaces, wide, terminal, now: NOW })}\n`;
}

test('a pipe gets one line per source, the worst first', () => {
  expect(tableOf(undefined)).toBe(`
KIND            NAME      STATE    REVISION                 AGE   USED BY   MESSAGE
GitRepository   private   Failed   -                        -     0         ${WHY}
GitRepository   app       Ready    main@sha1:012345678901   3h    3         -
`);
});

test('a wide table has whole revisions, names and messages', () => {
  expect(tableOf(undefined, { wide: true, allNamespaces: true })).toBe(`
NAMESPACE   KIND            NAME      STATE    REVISION                                             AGE   USED BY                                                            MESSAGE
shop        GitRepository   private   Failed   -                                                    -     -                                                                  ${WHY}
shop        GitRepository   app       Ready    main@sha1:0123456789012345678901234567890123456789   3h    Application shop/web, Kustomization shop/a, Kustomization shop/b   stored artifact
`);
});

test('a terminal of 80 columns has the cause below, and one of 72 does without ages', () => {
  expect(tableOf(80)).toBe(`
KIND            NAME      STATE      REVISION                 AGE   USED BY
GitRepository   private   ✗ Failed   -                        -     0
  unable to clone 'https://example.com/app.git': authentication required
GitRepository   app       ✓ Ready    main@sha1:012345678901   3h    3
`);
  expect(tableOf(72)).toBe(`
KIND            NAME      STATE      REVISION                 USED BY
GitRepository   private   ✗ Failed   -                        0
  unable to clone 'https://example.com/app.git': authentication required
GitRepository   app       ✓ Ready    main@sha1:012345678901   3
`);
});

describe('ages', () => {
  test.each([
    ['2026-01-02T00:00:00Z', '0s'],
    ['2026-01-01T23:58:01Z', '119s'],
    ['2026-01-01T23:58:00Z', '2m'],
    ['2026-01-01T22:00:01Z', '119m'],
    ['2026-01-01T22:00:00Z', '2h'],
    ['2025-12-31T00:00:00Z', '2d'],
    ['2026-01-03T00:00:00Z', '0s'],
    ['soon', ''],
    ['', ''],
  ])('%s: %s', (time, age) => {
    expect(ageOf(time, NOW)).toBe(age);
  });
});

test.each([
  ['1.2.3', '1.2.3'],
  [`latest@sha256:${'a'.repeat(64)}`, `latest@sha256:${'a'.repeat(12)}`],
  ['sha256:abc', 'sha256:abc'],
  ['main', 'main'],
])('the revision %s is shown as %s', (revision, shown) => {
  expect(shortRevision(revision)).toBe(shown);
});
