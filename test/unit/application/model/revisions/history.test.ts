import { describe, expect, it } from '@jest/globals';
import type { Application, RevisionContent } from '#api/v1alpha1/application.js';
import { contentOf } from '#controllers/application/model/destinations/validate.js';
import {
  historyLimit,
  keptId,
  type KeptRevision,
  keptRevisions,
  planHistory,
} from '#controllers/application/model/spec/history.js';
import { application, deploy, observed } from '../builders.js';

function withLimit(revisionHistoryLimit: number, image = 'a'): Application {
  const app = application([deploy('prod', 'eu', { values: { image } })]);
  return { ...app, spec: { ...app.spec, revisionHistoryLimit } };
}

function contentIn(app: Application): RevisionContent {
  const { validation } = observed(app);
  const content = 'violation' in validation ? undefined : contentOf(validation.resolved);
  if (content === undefined) throw new Error('it has no content');
  return content;
}

const named = (used: readonly number[], pinned: readonly number[] = []) => ({
  used: new Set(used),
  pinned: new Set(pinned),
});

/** The history after each of these images was wanted, one after the other. */
function after(limit: number, images: readonly string[], used: readonly number[] = []): KeptRevision[] {
  let kept: KeptRevision[] = [];
  for (const image of images) {
    const app = withLimit(limit, image);
    const { create, remove } = planHistory(
      app,
      contentIn(app),
      kept,
      named(used.filter((each) => numbers(kept).includes(each))),
    );
    const objects = [...kept.map(({ object }) => object), ...(create === undefined ? [] : [create])];
    kept = keptRevisions(
      app,
      objects.filter((object) => !remove.includes(object)),
    );
  }
  return kept;
}

const numbers = (kept: readonly KeptRevision[]): number[] => kept.map(({ revision }) => revision);

describe('the history of an Application', () => {
  it('begins with what the spec says, and grows by each change', () => {
    expect(numbers(after(10, ['a']))).toEqual([1]);
    expect(numbers(after(10, ['a', 'a', 'b', 'b']))).toEqual([2, 1]);
  });

  it('gives a new number to what comes back: a pin must not move', () => {
    expect(numbers(after(10, ['a', 'b', 'a']))).toEqual([3, 2, 1]);
  });

  it('keeps as many earlier ones as the limit says, and those in use', () => {
    expect(numbers(after(2, ['a', 'b', 'c', 'd', 'e']))).toEqual([5, 4, 3]);
    expect(numbers(after(2, ['a', 'b', 'c', 'd', 'e'], [2]))).toEqual([5, 4, 3, 2]);
    const kept = after(9, ['a', 'b', 'c', 'd']);
    const app = withLimit(1, 'd');
    const { remove } = planHistory(app, contentIn(app), kept, named([1]));
    expect(numbers(keptRevisions(app, remove))).toEqual([2]);
  });

  it('keeps why a change was made, as kubectl rollout history knows it, and no more of it than people read', () => {
    const app = withLimit(3);
    const causeOf = (cause: string) => {
      const annotations = { 'kubernetes.io/change-cause': cause };
      const said = { ...app, metadata: { ...app.metadata, annotations } };
      const { create } = planHistory(said, contentIn(said), [], named([]));
      return create?.metadata.annotations?.['kubernetes.io/change-cause'];
    };
    expect(causeOf('CVE-1')).toBe('CVE-1');
    expect(causeOf('')).toBeUndefined();
    expect(causeOf('x'.repeat(100_000))?.length).toBeLessThanOrEqual(250);
  });

  it('is empty without a limit, but for what is in use', () => {
    expect(numbers(after(0, ['a', 'b']))).toEqual([]);
    const app = withLimit(0, 'c');
    const kept = after(3, ['a', 'b']);
    expect(planHistory(app, contentIn(app), kept, named([1])).remove).toEqual([kept[0]?.object]);
  });

  it('never gives a number twice, whatever was removed by hand', () => {
    const app = { ...withLimit(3, 'z'), status: { history: { revision: 7 } } };
    expect(planHistory(app, contentIn(app), [], named([3])).current).toBe(8);
    const far = { ...app, status: { history: { revision: 999_999_999 } } };
    expect(planHistory(far, contentIn(far), [], named([])).create).toBeUndefined();
  });

  it('gives no number that is pinned already: what is pinned would follow the spec', () => {
    const app = { ...withLimit(3, 'z'), status: { history: { revision: 2 } } };
    expect(planHistory(app, contentIn(app), [], named([3], [3, 4])).current).toBe(5);
    // A child says it, and it is of an Application that had this name before.
    expect(planHistory(app, contentIn(app), [], named([3])).current).toBe(4);
    const kept = after(3, ['a', 'z']);
    expect(planHistory(app, contentIn(app), kept, named([2], [2]))).toMatchObject({ current: 2, remove: [] });
  });

  it('says by its digest what a number means', () => {
    const ids = ['a', 'b'].map((image) => {
      const app = withLimit(3, image);
      const { current, digest } = planHistory(app, contentIn(app), [], named([]));
      return [current, digest];
    });
    expect(ids).toEqual([
      [1, expect.stringMatching(/^[0-9a-f]{8}$/)],
      [1, expect.stringMatching(/^[0-9a-f]{8}$/)],
    ]);
    expect(new Set(ids.map(([, digest]) => digest)).size).toBe(2);
    const kept = after(3, ['a']);
    expect(kept.map(keptId)).toEqual([`1-${ids[0]?.[1]}`]);
    const app = withLimit(0, 'a');
    expect(planHistory(app, contentIn(app), [], named([])).digest).toBe(ids[0]?.[1]);
  });

  it('has the same number in each pass while none are kept', () => {
    const app = withLimit(0);
    const first = planHistory(app, contentIn(app), [], named([1]));
    const next = { ...app, status: { history: { revision: first.current } } };
    expect(first).toMatchObject({ current: 2, isKept: false });
    expect(planHistory(next, contentIn(next), [], named([1])).current).toBe(2);
  });

  it('is kept for every rollout', () => {
    const app = withLimit(0);
    expect(historyLimit({ ...app, spec: { ...app.spec, rollout: {} } })).toBe(1);
    expect(historyLimit(app)).toBe(0);
  });

  it('does not count on from a pin to a number that there is not', () => {
    const app = withLimit(0);
    const misspelt = named([999_999_999, 1], [999_999_999]);
    expect(planHistory(app, contentIn(app), [], misspelt).current).toBe(2);
    expect(planHistory(app, contentIn(app), [], named([1], [1])).current).toBe(2);
    const [kept] = after(3, ['a']);
    expect(planHistory(app, contentIn(app), [kept!], named([1], [1])).current).toBe(2);
  });

  it('does not count on from a number that somebody else made up', () => {
    const [kept] = after(3, ['a']);
    if (kept === undefined) throw new Error('it is kept');
    const app = { ...withLimit(3, 'b'), status: { history: { revision: 1 } } };
    const numbered = (revision: string) => {
      const labels = { 'gitops.kubesphere.io/application-revision': revision };
      return { ...kept.object, metadata: { ...kept.object.metadata, name: revision, labels } };
    };
    const forged = keptRevisions(app, [kept.object, numbered('999999999')]);
    expect(numbers(forged)).toEqual([1]);
    expect(planHistory(app, contentIn(app), forged, named([])).create?.revision).toBe(2);
    // What was lost with a status, or skipped for pins, is no forgery; without a status everything may be.
    expect(numbers(keptRevisions(app, [kept.object, numbered('9')]))).toEqual([9, 1]);
    expect(numbers(keptRevisions(withLimit(3), [numbered('5000')]))).toEqual([5000]);
  });

  it('has nothing of an Application that had the name before, and nothing without a number', () => {
    const [kept] = after(3, ['a']);
    const mine = withLimit(3);
    const other = { ...mine, metadata: { ...mine.metadata, uid: 'uid-2' } };
    expect(keptRevisions(other, kept === undefined ? [] : [kept.object])).toEqual([]);
    const { metadata, ...rest } = kept?.object ?? { apiVersion: '', kind: '', metadata: { name: '' } };
    for (const number of ['', '0', '-1', '1.5', 'one', '9999999999', undefined]) {
      const labels = number === undefined ? {} : { 'gitops.kubesphere.io/application-revision': number };
      expect(keptRevisions(mine, [{ ...rest, metadata: { ...metadata, labels } }])).toEqual([]);
    }
  });
});
