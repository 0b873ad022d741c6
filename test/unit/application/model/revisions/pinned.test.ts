import { describe, expect, it } from '@jest/globals';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, applied, ops, decide } from '../builders.js';
import { before, eu, PIN, pinnedTo, plan, us, validOf, valuesOf } from './builders.js';

function at(children: readonly Child[], revision: string): Child[] {
  const mark = { 'gitops.kubesphere.io/application-revision': revision };
  return children.map((child) => {
    const annotations = { ...child.metadata.annotations, ...mark };
    return { ...child, metadata: { ...child.metadata, annotations } };
  });
}

const CLUSTERS = 'gitops.kubesphere.io/pin-cluster-revisions';

describe('a pinned Application', () => {
  const old = [eu({ image: 'a' }), us({ image: 'a' })];
  const app = application([eu({ image: 'b' }), us({ image: 'b' })]);
  const running = applied([], plan(application(old), []).steps);
  const earlier = { 1: before(app, old) };

  it('stays at its revision: nothing is written', () => {
    expect(ops(plan(app, running, pinnedTo(app, { [PIN]: '1' }, earlier)).steps)).toEqual(['keep', 'keep']);
    expect(ops(plan(app, running, pinnedTo(app, {}, {})).steps)).toEqual(['update', 'update']);
  });

  it('goes back to it', () => {
    const next = applied(running, plan(app, running, pinnedTo(app, {}, {})).steps);
    expect(valuesOf(next)).toEqual([{ image: 'b' }, { image: 'b' }]);
    const back = applied(next, plan(app, next, pinnedTo(app, { [PIN]: '1' }, earlier)).steps);
    expect(valuesOf(back)).toEqual([{ image: 'a' }, { image: 'a' }]);
  });

  it('is healed to it', () => {
    const [first, ...others] = running;
    const edited = [{ ...first!, spec: { ...first!.spec, values: { image: 'edited' } } }, ...others];
    const { steps } = plan(app, edited, pinnedTo(app, { [PIN]: '1' }, earlier));
    expect(ops(steps)).toEqual(['update', 'keep']);
    expect(valuesOf(applied(edited, steps))).toContainEqual({ image: 'a' });
  });

  it('may be so on one cluster', () => {
    const { steps } = plan(app, running, pinnedTo(app, { [CLUSTERS]: 'us=1' }, earlier));
    const images = applied(running, steps).map(({ spec }) => [spec.kubeConfig?.secretRef?.name, spec['values']]);
    expect(Object.fromEntries(images)).toEqual({ eu: { image: 'b' }, us: { image: 'a' } });
    expect(ops(steps).sort()).toEqual(['keep', 'update']);
  });

  it('says that a cluster with another name is not pinned', () => {
    const revisions = pinnedTo(app, { [CLUSTERS]: 'ue=1' }, earlier);
    const { finding } = decide({ ...validOf(app).seen, owned: running, revisions });
    expect(finding.warnings).toEqual([expect.stringContaining('no destination is on "ue" (they are on eu, us)')]);
  });

  it('keeps what each destination has while the spec is no revision yet, and is healed to it', () => {
    const [first, ...others] = at(running, '1');
    const edited = [{ ...first!, spec: { ...first!.spec, values: { image: 'edited' } } }, ...others];
    const waiting = { ...pinnedTo(app, {}, earlier), waits: 'waits for a chart' };
    const { steps } = plan(app, edited, waiting);
    expect(ops(steps)).toEqual(['update', 'keep']);
    expect(valuesOf(applied(edited, steps))).toEqual(valuesOf(running));
    expect(plan(app, [], waiting).steps).toMatchObject([
      { op: 'wait', why: 'waits for a chart' },
      { op: 'wait', why: 'waits for a chart' },
    ]);
    const back = { ...pinnedTo(app, { [PIN]: '1' }, earlier), waits: 'waits for a chart' };
    expect(valuesOf(applied(edited, plan(app, edited, back).steps))).toEqual(valuesOf(running));
  });

  it('leaves alone what was installed once, whatever the revision says', () => {
    const once = application([{ ...eu({ image: 'b' }), mode: 'Once' }, us({ image: 'a' })]);
    const left = at(running, '1').map((child): Child => {
      if (child.spec.kubeConfig?.secretRef?.name !== 'eu') return child;
      const annotations = { ...child.metadata.annotations, 'gitops.kubesphere.io/installed-once': '1' };
      const metadata = { ...child.metadata, annotations };
      return { ...child, metadata, spec: { ...child.spec, suspend: true, values: { image: 'edited' } } };
    });
    const pinned = pinnedTo(once, { [PIN]: '1' }, earlier);
    const waiting = { ...pinnedTo(once, {}, earlier), waits: 'waits for a chart' };
    for (const revisions of [pinned, waiting]) {
      const { steps } = plan(once, left, revisions);
      expect(ops(steps)).toEqual(['keep', 'keep']);
      expect(steps.map(({ why }) => why)).toContain('installed once');
    }
    // The same if somebody resumed it, or if it was suspended for a removal that is not wanted any more.
    for (const revisions of [pinned, waiting]) {
      const [resumed, leaving] = [{ suspend: false }, {}].map((spec, index) =>
        left.map((child): Child => {
          if (child.spec.kubeConfig?.secretRef?.name !== 'eu') return child;
          const wanted = index === 0 ? {} : { 'gitops.kubesphere.io/suspended-for-removal': 'true' };
          const metadata = { ...child.metadata, annotations: { ...child.metadata.annotations, ...wanted } };
          return { ...child, metadata, spec: { ...child.spec, ...spec } };
        }),
      );
      expect(ops(plan(once, resumed!, revisions).steps)).toEqual(['unmanage', 'keep']);
      expect(ops(plan(once, leaving!, revisions).steps)).toEqual(['unmanage', 'keep']);
    }
    // If it is to be managed again, the revision counts.
    expect(ops(plan(app, left, pinnedTo(app, { [PIN]: '1' }, earlier)).steps)).toEqual(['update', 'keep']);
  });

  it('is left unchanged while the revision is not known, or the pin is junk', () => {
    for (const revisions of [
      pinnedTo(app, { [PIN]: '7' }, {}),
      pinnedTo(app, { [PIN]: '7' }, { 7: { problem: 'revision 7 is not kept' } }),
      pinnedTo(app, { [PIN]: 'seven' }, {}),
      pinnedTo(app, { [CLUSTERS]: 'eu' }, {}),
    ]) {
      expect(ops(plan(app, running, revisions).steps)).toEqual(['keep', 'keep']);
      expect(ops(plan(app, [], revisions).steps)).toEqual(['wait', 'wait']);
    }
  });
});
