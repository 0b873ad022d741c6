import { describe, expect, it } from '@jest/globals';
import { pinFinding, pinWarning } from '#controllers/application/model/status/revisions.js';
import type { ClusterNames } from '#controllers/application/model/child/types.js';
import { readPins } from '#controllers/application/model/spec/pins.js';
import type { WorldRevisions } from '#controllers/application/model/children/world.js';
import { application } from '../builders.js';

const PIN = 'gitops.kubesphere.io/pin-revision';
const CLUSTERS = 'gitops.kubesphere.io/pin-cluster-revisions';
const APP = application([]);

function find(annotations: Record<string, string>, earlier: WorldRevisions['earlier'] = new Map()) {
  const pins = readPins({ ...APP, metadata: { ...APP.metadata, annotations } });
  return pinFinding(APP, { history: { current: 5, isKept: true, remove: [] }, pins, earlier });
}

const named = (name: string): ClusterNames => ({ short: name, full: name, key: name });

describe('what is said of pins', () => {
  it('is nothing without a history', () => {
    expect(pinFinding(APP, undefined)).toEqual({});
    expect(find({})).toEqual({ history: { revision: 5 } });
    const none = { current: 0, isKept: false, remove: [] };
    expect(pinFinding(APP, { history: none, pins: readPins(APP), earlier: new Map() })).toEqual({});
  });

  it('names the command that ends them', () => {
    const { history, pinned } = find({ [PIN]: '3', [CLUSTERS]: 'eu=2' });
    expect(history).toEqual({ revision: 5, pinned: '3, eu=2' });
    expect(pinned).toMatchObject({ reason: 'Pinned' });
    expect(pinned?.message).toMatch(new RegExp(`kubectl annotate gapp web -n shop ${PIN}- ${CLUSTERS}-$`));
  });

  it('is why they mean nothing', () => {
    expect(find({ [PIN]: 'x' }).pinned).toMatchObject({ reason: 'RevisionUnknown' });
    const { pinned } = find({ [PIN]: '9' }, new Map([[9, { problem: 'revision 9 is not kept' }]]));
    expect(pinned).toEqual({
      reason: 'RevisionUnknown',
      message: 'revision 9 is not kept; what runs is left unchanged',
    });
  });

  it('warns of clusters that no destination is on: they are not pinned', () => {
    const pins = readPins({ ...APP, metadata: { ...APP.metadata, annotations: { [CLUSTERS]: 'eu=2,ue=3' } } });
    const revisions = { history: { current: 5, isKept: true, remove: [] }, pins, earlier: new Map() };
    expect(pinWarning(revisions, [named('eu'), named('us')])).toContain(
      `${CLUSTERS}: no destination is on "ue" (they are on eu, us)`,
    );
    expect(pinWarning(revisions, [named('eu'), named('ue')])).toBeUndefined();
    expect(pinWarning(undefined, [])).toBeUndefined();
  });
});
