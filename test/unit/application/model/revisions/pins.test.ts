import { describe, expect, it } from '@jest/globals';
import { kubeConfigNames } from '#controllers/application/model/child/cluster-names.js';
import {
  checkedPins,
  describePins,
  pinnedRevisions,
  readPins,
  resolvedPins,
} from '#controllers/application/model/spec/pins.js';
import { application } from '../builders.js';

const PIN = 'gitops.kubesphere.io/pin-revision';
const CLUSTERS = 'gitops.kubesphere.io/pin-cluster-revisions';

function read(annotations: Record<string, string>) {
  const app = application([]);
  return readPins({ ...app, metadata: { ...app.metadata, annotations } });
}

describe('the pins of an Application', () => {
  it('are for all clusters, or for some', () => {
    const pins = read({ [PIN]: '3', [CLUSTERS]: 'eu-west=2, fleet/us=1,' });
    expect(pins).toMatchObject({ all: 3, problem: undefined });
    expect(Object.fromEntries(pins.clusters)).toEqual({ 'eu-west': 2, 'fleet/us': 1 });
    expect([...pinnedRevisions(pins)].sort()).toEqual([1, 2, 3]);
    expect(describePins(pins)).toBe('3, eu-west=2, fleet/us=1');
  });

  it('are mostly none', () => {
    expect(describePins(read({}))).toBeUndefined();
    expect(read({}).problem).toBeUndefined();
  });

  it.each([
    [PIN, 'three'],
    [PIN, ''],
    [PIN, '0'],
    [PIN, '1e3'],
    [CLUSTERS, 'eu'],
    [CLUSTERS, 'eu=x'],
    [CLUSTERS, '=1'],
    [CLUSTERS, 'a=1;b=2'],
  ])('mean nothing as %s=%j, and say so', (annotation, value) => {
    expect(read({ [annotation]: value }).problem).toMatch(
      new RegExp(`^annotation ${annotation}: .* is not .*: correct or remove it$`),
    );
  });

  it('name few revisions: each is expanded to all clusters', () => {
    expect(read({ [CLUSTERS]: 'a=1,b=2,c=3,d=4,e=5,f=1' }).problem).toBeUndefined();
    expect(read({ [CLUSTERS]: 'a=1,b=2,c=3,d=4,e=5,f=6' }).problem).toContain('of at most 5');
  });

  it('may have two names of a cluster, but not two revisions for it', () => {
    const eu = { clusterName: 'eu', names: kubeConfigNames('shop', { secretRef: { name: 'eu' } }) };
    const resolved = (pins: string) => resolvedPins(read({ [CLUSTERS]: pins }), [eu], []);
    expect(resolved('eu=1,Secret/shop/eu=1').clusters).toEqual(new Map([['eu', 1]]));
    expect(resolved('eu=1,Secret/shop/eu=2').problem).toBe(
      `annotation ${CLUSTERS}: "Secret/shop/eu" is pinned to revision 2 and, by another name, to 1: keep one`,
    );
  });

  it('may name the content: that of another one changes nothing', () => {
    const pins = read({ [PIN]: '3-0123abcd', [CLUSTERS]: 'eu=2-00000002,us=1' });
    expect(pins).toMatchObject({ all: 3, problem: undefined });
    expect(Object.fromEntries(pins.clusters)).toEqual({ eu: 2, us: 1 });
    expect(checkedPins(pins, ['3-0123abcd', '2-00000002', '1-00000001']).problem).toBeUndefined();
    expect(checkedPins(pins, ['3-0123abcd', '2-ffffffff']).problem).toBe(
      'the pin to revision 2-00000002 is not for its content, which is 2-ffffffff: correct or remove it',
    );
  });

  it('show a bounded text only', () => {
    expect(read({ [PIN]: 'x'.repeat(100_000) }).problem?.length).toBeLessThan(250);
  });
});
