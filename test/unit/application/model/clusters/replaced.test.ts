import { describe, expect, it } from '@jest/globals';
import {
  ACCEPT_CLUSTER_UID_ANNOTATION,
  CLUSTER_ID_ANNOTATION,
  CLUSTER_UID_ANNOTATION,
  HALTED_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import {
  isAccepted,
  replacedChildren,
  replacedText,
  replacedViolation,
  replacementOf,
  resumingUid,
  whyHalted,
} from '#controllers/application/model/clusters/replaced.js';
import type { Child, Entry } from '#controllers/application/model/child/types.js';
import { indexed } from '../builders.js';
import { inventory, own } from './builders.js';

const ID = '/Secret/shop/eu';

interface Situation {
  /** Recorded on the child. */
  readonly recorded?: string;
  /** As the last probe found it. */
  readonly now?: string;
  readonly accepted?: string;
  /** What the child was suspended for. */
  readonly halted?: string;
  /** Whether the inventory has the cluster. */
  readonly cluster?: 'gone' | 'lost';
}

function childOf({ recorded, halted }: Situation): Child {
  const annotations = {
    [CLUSTER_ID_ANNOTATION]: ID,
    ...(recorded === undefined ? {} : { [CLUSTER_UID_ANNOTATION]: recorded }),
    ...(halted === undefined ? {} : { [HALTED_ANNOTATION]: halted }),
  };
  const metadata = { name: 'web-eu', namespace: 'shop', annotations };
  const spec = halted === undefined ? {} : { suspend: true };
  return { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec };
}

function viewOf({ now, accepted, cluster }: Situation) {
  const annotations = accepted === undefined ? {} : { [ACCEPT_CLUSTER_UID_ANNOTATION]: accepted };
  const known = cluster === undefined ? [own('eu', {}, { annotations })] : [];
  const whyUnknown = () => (cluster === 'lost' ? 'not read yet' : undefined);
  return indexed(inventory(known, { uidOf: () => now, whyUnknown }));
}

describe('the cluster of a child', () => {
  const cases: Record<string, [Situation, { readonly found: string | undefined; readonly resumes?: string }]> = {
    'is the one that it is for': [{ recorded: 'a', now: 'a' }, { found: undefined }],
    'is another one': [{ recorded: 'a', now: 'b' }, { found: 'b' }],
    'is another one, which is accepted': [{ recorded: 'a', now: 'b', accepted: 'b' }, { found: undefined }],
    'is another one than the one that is accepted': [{ recorded: 'a', now: 'b', accepted: 'c' }, { found: 'b' }],
    'is unknown': [{ recorded: 'a' }, { found: undefined }],
    'is known, but not the one that the child was made for': [{ now: 'b' }, { found: undefined }],
    'is not known any more, and the child is suspended for it': [{ recorded: 'a', halted: 'b' }, { found: 'b' }],
    'is not known any more, even if it is accepted': [{ recorded: 'a', halted: 'b', accepted: 'b' }, { found: 'b' }],
    'is not known any more, and somebody removed what was recorded': [{ halted: 'b' }, { found: 'b' }],
    'is a third one': [{ recorded: 'a', now: 'c', halted: 'b' }, { found: 'c' }],
    'is the old one again': [
      { recorded: 'a', now: 'a', halted: 'b' },
      { found: undefined, resumes: 'a' },
    ],
    'is accepted': [
      { recorded: 'a', now: 'b', accepted: 'b', halted: 'b' },
      { found: undefined, resumes: 'b' },
    ],
    'is known, and somebody removed what was recorded': [
      { now: 'b', halted: 'b' },
      { found: undefined, resumes: 'b' },
    ],
    'is gone': [{ recorded: 'a', now: 'b', halted: 'b', cluster: 'gone' }, { found: undefined }],
    'may be gone': [{ recorded: 'a', halted: 'b', cluster: 'lost' }, { found: 'b' }],
    'may be gone, and was not known to be another one': [
      { recorded: 'a', now: 'b', cluster: 'lost' },
      { found: undefined },
    ],
  };

  it.each(Object.entries(cases))('%s', (_title, [situation, { found, resumes }]) => {
    const [child, view] = [childOf(situation), viewOf(situation)];
    expect(replacementOf(child, view)?.found).toBe(found);
    expect(resumingUid(child, view)).toBe(resumes);
    expect(whyHalted(child, view) !== undefined).toBe(found !== undefined || resumes !== undefined);
  });

  it('is not asked about on the host, or with a kubeconfig of its own', () => {
    const child = { ...childOf({}), metadata: { name: 'web', annotations: { [CLUSTER_UID_ANNOTATION]: 'a' } } };
    expect(replacementOf(child, viewOf({ now: 'b' }))).toBeUndefined();
  });

  it('keeps an entry from it that has no child yet', () => {
    const [child, view] = [childOf({ recorded: 'a' }), viewOf({ now: 'b' })];
    const replaced = replacedChildren([child], view);
    const violationOf = (cluster: Entry['cluster'], live?: Child) =>
      replacedViolation({ path: 'deploy[0]', cluster } as Entry, live, { clusters: view, replaced })?.reason;
    expect(violationOf(own('eu'))).toBe('ClusterReplaced');
    expect([violationOf(own('us')), violationOf(undefined)]).toEqual([undefined, undefined]);
    // Its own child is for the cluster that answers.
    expect(violationOf(own('eu'), childOf({ recorded: 'b' }))).toBeUndefined();
    // Its own child would move there.
    expect(violationOf(own('eu'), { ...childOf({}), metadata: { name: 'web' } })).toBe('ClusterReplaced');
  });

  it('is nothing that a namespace gets to know of a cluster that it may not use', () => {
    const id = '/Secret/fleet/eu';
    const others = { ...own('eu'), id: { ...own('eu').id, namespace: 'fleet' } };
    const view = indexed(inventory([others], { uidOf: () => 'b' }));
    const forged = (situation: Situation): Child => {
      const child = childOf(situation);
      const annotations = { ...child.metadata.annotations, [CLUSTER_ID_ANNOTATION]: id };
      return { ...child, metadata: { ...child.metadata, annotations } };
    };
    expect(view.get(id)?.cluster).toBe(others);
    expect(replacementOf(forged({ recorded: 'a' }), view)).toBeUndefined();
    expect(replacementOf(forged({ recorded: 'a', halted: 'x' }), view)).toEqual({ recorded: 'a', found: 'x' });
    expect(resumingUid(forged({ recorded: 'b', halted: 'x' }), view)).toBeUndefined();
  });

  it('is accepted by the object that describes it only', () => {
    const view = indexed(inventory([own('us', {}, { annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: 'b' } })]));
    expect([isAccepted(ID, 'b', view), isAccepted('/Secret/shop/us', 'b', view)]).toEqual([false, true]);
  });
});

it('a replaced cluster is named with both UIDs and the ways out, however long the annotations are', () => {
  const child = childOf({ recorded: 'r'.repeat(10_000) });
  const message = replacedText(child, { recorded: 'r'.repeat(10_000), found: 'f'.repeat(10_000) });
  expect(message).toMatch(
    /^cluster eu was replaced: the UID of its namespace kube-system was r{64} and is f{64}; put the old kubeconfig back, or set the annotation gitops.kubesphere.io\/accept-cluster-uid of Secret shop\/eu to the new UID$/,
  );
});
