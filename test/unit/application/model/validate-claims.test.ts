import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import {
  type Claims,
  claimsOf,
  validate,
  type Validation,
  wantedOf,
} from '#controllers/application/model/destinations/validate.js';
import { releaseIndexValue } from '#controllers/application/model/destinations/identity.js';
import { resolveTemplates } from '#controllers/application/model/destinations/template-use.js';
import type { Violation } from '#controllers/application/model/child/types.js';
import { cpuMsOf } from '../../../support/cpu-time.js';
import { application, deploy, entriesOf, NO_TEMPLATES } from './builders.js';
import { inventory, own, selecting } from './clusters/builders.js';

const VIOLATION: Violation = { reason: 'AccessDenied', message: 'not yours' };
const WANTED = deploy('prod', 'eu');

function valid(app: Application, violations: Readonly<Record<string, Violation>> = {}): Validation {
  const resolved = resolveTemplates(app, NO_TEMPLATES, { allowCrossNamespace: true });
  if (resolved === 'pending' || 'violation' in resolved) throw new Error('no template was asked for');
  return {
    resolved,
    entries: entriesOf(app),
    violationOf: ({ path }) => violations[path],
    selections: [],
    warnings: [],
  };
}

function isClaimed(claims: Claims, release: string): boolean {
  return claims === 'any' || claims.has(release);
}

/** Does it keep younger Applications from the release of `WANTED`? */
function keeps(validation: Validation): boolean {
  const [entry] = entriesOf(application([WANTED]));
  return isClaimed(claimsOf(validation, 'shop'), releaseIndexValue('shop', entry!.release));
}

describe('an older Application', () => {
  const second = 'spec.fluxApp.spec.config.helmRelease.deploy[1]';

  it.each<[string, Validation]>([
    ['that is valid', valid(application([WANTED]))],
    ['of whose template nothing is known yet', 'pending'],
    ['another entry of which is rejected', valid(application([WANTED, deploy('No_Name', 'eu')]))],
    ['whose template is wrong for another entry', valid(application([WANTED, deploy('b')]), { [second]: VIOLATION })],
  ])('%s keeps younger ones from the release that it wants', (_, validation) => {
    expect(keeps(validation)).toBe(true);
  });

  it.each<[string, Validation]>([
    ['that is wrong as a whole', { violation: VIOLATION }],
    ['that wants another release', valid(application([deploy('prod', 'us')]))],
    ['whose entry is rejected', valid(application([{ ...WANTED, install: { strategy: {} } }]))],
    ['two entries of which mean the release', valid(application([WANTED, WANTED]))],
    ['whose template or values are wrong', valid(application([deploy('b'), WANTED]), { [second]: VIOLATION })],
  ])('%s does not', (_, validation) => {
    expect(keeps(validation)).toBe(false);
  });
});

it('costs about as much as its entries to compare with another Application of 2,000 clusters', () => {
  const clusters = inventory(Array.from({ length: 2_000 }, (_, index) => own(`c${index}`, { env: 'prod' })));
  const both = application([selecting({ env: 'prod' })]);
  const validated = (): Validation =>
    validate(both, { templates: NO_TEMPLATES, clusters }, { allowCrossNamespace: false });
  const younger = [...wantedOf(both, validated()).keys()];
  const older = validated();
  expect(younger).toHaveLength(2_000);
  const cost = cpuMsOf(() => {
    const claims = claimsOf(older, 'shop');
    expect(younger.every((release) => isClaimed(claims, release))).toBe(true);
  });
  expect(cost).toBeLessThan(2_000);
});
