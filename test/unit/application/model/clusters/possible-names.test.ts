import { describe, expect, it } from '@jest/globals';
import { ACCEPT_CLUSTER_UID_ANNOTATION, CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import type { ClusterView } from '#controllers/application/model/child/cluster.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { otherNameFinder, whySilent } from '#controllers/application/model/clusters/possible-names.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';
import { application, decideApproved, entriesOf, indexed, NO_TEMPLATES, observed, type Deploy } from '../builders.js';
import { inventory, own, selecting, toClusters } from './builders.js';

const to = (name: string, more: Partial<Deploy> = {}): Deploy =>
  toClusters({ clusterRef: { kind: 'Secret', name } }, more);

interface Situation {
  readonly deploy: readonly Deploy[];
  /** The entries whose children there are, and the UID that these were made for. */
  readonly owned?: readonly (readonly [Deploy, uid: string])[];
  /** The UIDs that clusters told last. */
  readonly told?: Readonly<Record<string, string>>;
  /** The UID that is accepted for us. */
  readonly accepted?: string;
  /** Default: us. */
  readonly silent?: readonly string[];
  readonly unasked?: readonly string[];
}

const nameIn = (id: string): string => id.split('/').at(-1) ?? '';

function viewOf({ told = {}, accepted, silent = ['us'], unasked = [] }: Situation): ClusterView {
  const annotations = accepted === undefined ? {} : { [ACCEPT_CLUSTER_UID_ANNOTATION]: accepted };
  const clusters = [own('eu', { env: 'prod' }), own('us', { env: 'prod' }, { annotations }), own('ap')];
  return inventory(clusters, {
    uidOf: (id) => told[nameIn(id)],
    isToBeAsked: (id) => [...silent, ...unasked].includes(nameIn(id)),
    isSilent: (id) => silent.includes(nameIn(id)),
    isUnasked: (id) => unasked.includes(nameIn(id)),
  });
}

function childOf(deploy: Deploy, uid: string, view: ClusterView): Child {
  const app = application([deploy]);
  const { object } = desiredChild(app, entriesOf(app, view)[0]!, undefined);
  const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: uid };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function decided(situation: Situation) {
  const { deploy, owned = [] } = situation;
  const clusters = viewOf(situation);
  const app = application([...deploy]);
  const children = owned.map(([entry, uid]) => childOf(entry, uid, clusters));
  const validation = validate(app, { templates: NO_TEMPLATES, clusters }, { allowCrossNamespace: false });
  if (validation === 'pending') throw new Error('there is no template');
  return decideApproved({ ...observed(app, children), validation, clusters });
}

const opsOf = (situation: Situation): string[] => decided(situation).steps.map(({ op }) => op);

describe('what is new on a cluster that does not answer', () => {
  const [eu, us] = [to('eu'), to('us')];
  const other = to('us', { name: 'other', releaseName: 'other' });

  it.each<[string, Situation, string[]]>([
    ['waits beside an entry with its release', { deploy: [eu, us], told: { eu: 'a' } }, ['create', 'wait']],
    ['waits beside one that is as unknown', { deploy: [eu, us], silent: ['eu', 'us'] }, ['wait', 'wait']],
    ['waits beside a child', { deploy: [eu, us], owned: [[eu, 'a']], told: { eu: 'a' } }, ['keep', 'wait']],
    [
      'waits beside a child that no entry matches',
      { deploy: [us], owned: [[eu, 'a']], told: { eu: 'a' } },
      ['wait', 'spare'],
    ],
    ['waits within one selector', { deploy: [selecting({ env: 'prod' })], told: { eu: 'a' } }, ['create', 'wait']],
    ['waits although it answered before', { deploy: [eu, us], told: { eu: 'a', us: 'b' } }, ['create', 'wait']],
    [
      'waits although a sibling was made for a cluster, if another one is accepted',
      { deploy: [eu, us, other], owned: [[other, 'b']], told: { eu: 'a' }, accepted: 'a' },
      ['create', 'wait', 'keep'],
    ],
    [
      'comes beside a sibling that says which cluster it is for',
      { deploy: [eu, us, other], owned: [[other, 'b']], told: { eu: 'a' } },
      ['create', 'create', 'keep'],
    ],
    ['comes if nothing else has its release', { deploy: [eu, other], told: { eu: 'a' } }, ['create', 'create']],
    [
      'comes beside the same release in another namespace',
      { deploy: [eu, to('us', { destination: { clusterRef: { kind: 'Secret', name: 'us' }, targetNamespace: 'x' } })] },
      ['create', 'create'],
    ],
    ['comes once that took too long', { deploy: [eu, us], told: { eu: 'a' }, silent: [] }, ['create', 'create']],
    ['is not what is there', { deploy: [eu, us], owned: [[us, 'b']], told: { eu: 'a' } }, ['create', 'keep']],
  ])('%s', (_title, situation, ops) => expect(opsOf(situation)).toEqual(ops));

  it('says what it waits for', () => {
    const { steps } = decided({ deploy: [eu, us], told: { eu: 'a' } });
    expect(steps[1]).toMatchObject({
      why: 'waiting for some minutes, or until cluster us answers: it may be another name of cluster eu, which has or is to have the same release',
      hold: 'Release',
    });
  });

  it('is looked at again, as nobody may hear of the answer, and sooner if it comes sooner', () => {
    const retryOf = (situation: Partial<Situation>) => decided({ deploy: [eu, us], ...situation }).retryAfterMs;
    expect(retryOf({})).toBe(30_000);
    expect(retryOf({ silent: [], unasked: ['us'] })).toBe(5_000);
    expect(retryOf({ silent: ['us'], unasked: ['eu'] })).toBe(5_000);
    expect(retryOf({ silent: [] })).toBeUndefined();
  });

  it('is found among thousands at the cost of a few', () => {
    const clusters = Array.from({ length: 4_000 }, (_, index) => own(`c${index}`, { env: 'prod' }));
    const view = inventory(clusters, { isSilent: () => true, isToBeAsked: () => true });
    const app = application([selecting({ env: 'prod' })]);
    const desired = entriesOf(app, view).map((entry) => desiredChild(app, entry, undefined));
    const index = indexed(view);
    const take = (): void => {
      const otherName = otherNameFinder(desired, []);
      expect(desired.every((each) => whySilent(each, index, otherName) !== undefined)).toBe(true);
    };
    expect(cpuMsOf(take)).toBeLessThan(1_000);
  });
});
