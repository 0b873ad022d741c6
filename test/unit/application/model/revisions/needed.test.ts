import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { neededRevisions } from '#controllers/application/model/revisions/targets.js';
import { readPins } from '#controllers/application/model/spec/pins.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application } from '../builders.js';

const BASE = application([]);
const AT = '2026-01-01T00:00:00Z';

function child(revision: string): Child {
  const annotations = { 'gitops.kubesphere.io/application-revision': revision };
  return { apiVersion: '', kind: 'HelmRelease', metadata: { name: revision, annotations }, spec: {} };
}

function needed(app: Application, annotations: Record<string, string> = {}, owned: readonly Child[] = []) {
  const { isAsked, used, contents } = neededRevisions(
    app,
    readPins({ ...app, metadata: { ...app.metadata, annotations } }),
    owned,
  );
  return { isAsked, used: [...used].sort(), contents: [...contents(5)].sort() };
}

function rollingOut(more: object): Application {
  const phase = 'Progressing' as const;
  const rollout = { revision: 5, phase, startedAt: AT, stages: [], lastGood: 2, ...more };
  return { ...BASE, spec: { ...BASE.spec, rollout: {} }, status: { rollout } };
}

describe('what is needed of a history', () => {
  it('is nothing unless it is asked for', () => {
    expect(needed(BASE)).toEqual({ isAsked: false, used: [], contents: [] });
    expect(needed({ ...BASE, spec: { ...BASE.spec, revisionHistoryLimit: 3 } }).isAsked).toBe(true);
    expect(needed({ ...BASE, spec: { ...BASE.spec, rollout: {} } }).isAsked).toBe(true);
  });

  it('is what is pinned, and what runs is kept', () => {
    const pinned = needed(BASE, { 'gitops.kubesphere.io/pin-revision': '3' }, [child('4'), child('5'), child('x')]);
    expect(pinned).toEqual({ isAsked: true, used: [3, 4, 5], contents: [3] });
    expect(needed(BASE, { 'gitops.kubesphere.io/pin-revision': 'x' }).isAsked).toBe(true);
  });

  it('is all that runs, and what may come back, and what is resumed after one', () => {
    const owned = [child('4'), child('5')];
    expect(needed(rollingOut({}), {}, owned).contents).toEqual([2, 4]);
    expect(needed(rollingOut({ completedAt: AT }), {}, owned)).toMatchObject({ used: [2, 4, 5], contents: [4] });
    expect(needed(rollingOut({ completedAt: AT, revision: 4 }), {}, owned).contents).toEqual([2, 4]);
  });
});
