import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { INSTALLED_ONCE_ANNOTATION } from '#api/v1alpha1/labels.js';
import {
  askedChildren,
  handledBy,
  newRequests,
  requestsForChild,
  requestsForSource,
} from '#controllers/application/model/status/console.js';
import { groupRows } from '#controllers/application/model/status/rows.js';
import { nextStatus } from '#controllers/application/model/conclude.js';
import { application, applied, deploy, files, filesApplication, withStatus, work } from './builders.js';

const NOW = 'reconcile.fluxcd.io/requestedAt';
const FORCE = 'reconcile.fluxcd.io/forceAt';
const RESET = 'reconcile.fluxcd.io/resetAt';
const app = application([deploy('prod')]);
const [release] = applied([], work(app).steps);
const [kustomization] = applied([], work(filesApplication([files('prod')])).steps);

function asked(annotations: Record<string, string>, base: Application = app): Application {
  return { ...base, metadata: { ...base.metadata, annotations } };
}

describe('what an Application is asked for once', () => {
  it('is new until the status remembers it, and again with another value', () => {
    const first = asked({ [NOW]: '1', [FORCE]: '1', team: 'shop' });
    expect(newRequests(first)).toEqual({ [NOW]: '1', [FORCE]: '1' });
    const done = withStatus(
      first,
      nextStatus(first, { rejected: [], rows: groupRows([]), requests: newRequests(first) }, 0),
    );
    expect(newRequests(done)).toEqual({});
    // The next pass asks for nothing, and forgets nothing.
    const later = withStatus(done, nextStatus(done, { rejected: [], rows: groupRows([]) }, 0));
    expect(later.status).toEqual(done.status);
    expect(newRequests(asked({ [NOW]: '2', [FORCE]: '1' }, later))).toEqual({ [NOW]: '2' });
  });

  it.each([
    ['none', {}],
    ['an empty value', { [NOW]: '' }],
  ])('is nothing with %s', (_, annotations) => {
    expect(newRequests(asked(annotations))).toEqual({});
    expect(handledBy({})).toEqual({});
  });

  it('goes to children that lack it; what only releases know, to releases only', () => {
    const requests = { [NOW]: '1', [FORCE]: '1', [RESET]: '1' };
    expect(requestsForChild(requests, release!)).toEqual(requests);
    expect(requestsForChild(requests, kustomization!)).toEqual({ [NOW]: '1' });
    const told = { ...release!, metadata: { ...release!.metadata, annotations: requests } };
    expect(requestsForChild(requests, told)).toEqual({});
    expect(requestsForSource(requests, { ...release!, kind: 'GitRepository' })).toEqual({ [NOW]: '1' });
  });

  it.each(['keep', 'wait', 'update'] as const)('is passed on to what %s leaves running', (op) => {
    const [step] = work(app).steps;
    const entry = 'entry' in step! ? step.entry : undefined;
    const outcome = { step: { op, entry: entry!, live: release!, object: release!, why: '', isAdoption: false } };
    const children = askedChildren([{ ...outcome, child: release! }]);
    expect(children).toEqual([release]);
    // A write that failed is repeated, but the request is not.
    expect(askedChildren([{ ...outcome, child: release!, error: new Error('refused') }])).toEqual([release]);
    const going = { ...release!, metadata: { ...release!.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const once = { ...release!, metadata: { ...release!.metadata, annotations: { [INSTALLED_ONCE_ANNOTATION]: '' } } };
    for (const child of [undefined, going, once]) expect(askedChildren([{ ...outcome, child }])).toEqual([]);
  });

  it('is not passed on to what is new, or what no entry is for', () => {
    const [step] = work(app).steps;
    expect(askedChildren([{ step: step!, child: release! }])).toEqual([]);
    expect(askedChildren([{ step: { op: 'spare', live: release!, why: '' }, child: release! }])).toEqual([]);
  });
});
