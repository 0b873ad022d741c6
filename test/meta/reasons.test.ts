import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FLUX_REASONS } from '#api/flux/conditions.js';
import {
  APPLICATION_EVENTS,
  APPLICATION_REASONS,
  CLUSTER_EVENTS,
  CLUSTER_GRANT_REASONS,
  TEMPLATE_REASONS,
} from '#api/v1alpha1/conditions.js';
import { PENDING_REASONS } from '#api/v1alpha1/pending.js';

/** Reasons of events and of errors that never reach a condition. */
const NO_CONDITIONS = [...['Conflict', 'Cancelled', 'PartialFailure'], ...['DriftCorrected', 'DriftCorrectionFailed']];

/** The ways in which code gives a reason: a field, the first argument of an error, a check, a constant. */
const REASON =
  /(?:reason: |(?:Terminal|Waiting)Error\(\s*|refuse\(\s*|violation\(\s*|[A-Z_]*(?:UNREACHABLE|REASON)[A-Z_]* = |super\(\s*)'([A-Z][A-Za-z]+)'/g;

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(folder, file));
}

function reasonsIn(folder: string): string[] {
  const found = sources(folder).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(REASON)].map(([, reason]) => reason ?? ''),
  );
  return [...new Set(found)].filter((reason) => !NO_CONDITIONS.includes(reason)).sort();
}

describe('every reason that code gives is in a table, and so in docs/conditions.md', () => {
  it.each([
    ['controllers/application', { ...APPLICATION_REASONS, ...APPLICATION_EVENTS, ...PENDING_REASONS }],
    ['controllers/template', TEMPLATE_REASONS],
    ['controllers/cluster', { ...CLUSTER_EVENTS, ...CLUSTER_GRANT_REASONS, ...FLUX_REASONS }],
    ['controllers/helmrelease', FLUX_REASONS],
    ['controllers/kustomization', FLUX_REASONS],
    ['controllers/source', FLUX_REASONS],
    ['engine', FLUX_REASONS],
  ])('%s', (folder, table) => {
    const reasons = reasonsIn(folder);
    expect(reasons.length).toBeGreaterThan(4);
    expect(reasons.filter((reason) => !(reason in table))).toEqual([]);
  });
});
