import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject } from '#api/meta.js';
import type { Application, FluxApplicationSpec } from '#api/v1alpha1/application.js';
import { CREDENTIALS_ANNOTATION, DRY_RUN_ANNOTATION, INLINE_SOURCE_LABEL } from '#api/v1alpha1/labels.js';
import { madeSource, madeSourceName } from '#controllers/application/model/spec/inline-source.js';
import {
  requestedSource,
  hasAll,
  isMarked,
  type LiveSource,
  planSource,
  secretsOf,
  sourcesOfChild,
  type SourceStep,
  type SourceView,
} from '#controllers/application/model/sources/made-source.js';
import { application, deploy } from './builders.js';

const INLINE = { repo: 'https://charts.example.com', chart: 'web', secretRef: { name: 'login' } };
const MADE = madeSource(INLINE);
const REF = { namespace: 'shop', name: madeSourceName(MADE) };
const ITS = { kind: 'HelmRepository', name: REF.name };
const RULES = { allowCrossNamespace: false };

function secret(resourceVersion: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', uid: 'u', resourceVersion } };
}

function view(more: Partial<SourceView> = {}): SourceView {
  const secretOf = (name: string): KubeObject | undefined => (name === 'login' ? secret('1') : undefined);
  return {
    type: helmRepositoryResource,
    ...{ label: INLINE_SOURCE_LABEL, mark: 'true', isCurrent: hasAll },
    ref: REF,
    requested: MADE,
    live: undefined,
    isTaken: false,
    users: 1,
    complete: true,
    secretOf,
    ...more,
  };
}

function objectOf(step: SourceStep): LiveSource {
  if (!('object' in step)) throw new Error(`nothing is written: ${step.op}`);
  return step.object;
}

const LIVE = objectOf(planSource(view()));
const LEAVING = { ...LIVE, metadata: { ...LIVE.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
const EDITED = { ...LIVE, spec: { ...LIVE.spec, url: 'https://other.example.com' } };

describe('a source', () => {
  it('is created with our label, its spec and the versions of its Secrets', () => {
    expect(LIVE).toEqual({
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'HelmRepository',
      metadata: {
        ...REF,
        labels: { [INLINE_SOURCE_LABEL]: 'true' },
        annotations: { [CREDENTIALS_ANNOTATION]: expect.stringMatching(/^sha256:/) as unknown },
      },
      spec: MADE.spec,
    });
  });

  it.each<[string, SourceStep['op'], SourceView]>([
    ['as it was created, is left alone', 'none', view({ live: LIVE })],
    ['with defaults of the server, too', 'none', view({ live: { ...LIVE, spec: { timeout: '60s', ...LIVE.spec } } })],
    ['that somebody edited, is written again', 'update', view({ live: EDITED })],
    ['that only children use, is not', 'none', view({ live: EDITED, requested: undefined })],
    ['that nothing asks for, is not created', 'none', view({ requested: undefined })],
    ['of somebody else, is left alone', 'none', view({ isTaken: true })],
    ['that nothing uses, is deleted', 'delete', view({ live: LIVE, requested: undefined, users: 0 })],
    [
      'that nothing known uses, waits for the caches',
      'none',
      view({ live: LIVE, requested: undefined, users: 0, complete: false }),
    ],
    ['that is being deleted, is not written', 'none', view({ live: LEAVING })],
    ['whose Secret changed, is fetched again', 'refetch', view({ live: LIVE, secretOf: () => secret('2') })],
    ['whose Secret is gone, is fetched again', 'refetch', view({ live: LIVE, secretOf: () => undefined })],
    [
      'whose Secret changed, is fetched again for children alone',
      'refetch',
      view({ live: LIVE, requested: undefined, secretOf: () => secret('2') }),
    ],
  ])('%s: %s', (_name, op, seen) => expect(planSource(seen).op).toBe(op));

  it('is ours by the mark on it, not by the label alone', () => {
    expect(isMarked(LIVE, view())).toBe(true);
    expect(isMarked(LIVE, view({ mark: 'other' }))).toBe(false);
    const unused = { live: LIVE, requested: undefined, users: 0 };
    expect(planSource(view({ ...unused, mark: 'other' })).op).toBe('none');
  });

  it('is never touched if it is not ours, and never deleted while anything may use it', () => {
    const anyView = fc.record<SourceView>({
      type: fc.constant(helmRepositoryResource),
      label: fc.constant(INLINE_SOURCE_LABEL),
      mark: fc.constant('true'),
      isCurrent: fc.constant(hasAll),
      ref: fc.constant(REF),
      requested: fc.constantFrom(MADE, undefined),
      live: fc.constantFrom(LIVE, LEAVING, EDITED, undefined),
      isTaken: fc.boolean(),
      users: fc.nat(3),
      complete: fc.boolean(),
      secretOf: fc.constantFrom(
        () => secret('1'),
        () => secret('2'),
        () => undefined,
      ),
    });
    fc.assert(
      fc.property(anyView, (seen) => {
        const { op } = planSource(seen);
        if (seen.isTaken) expect(op).toBe('none');
        if (op === 'delete') expect([seen.users, seen.complete]).toEqual([0, true]);
        if (op === 'create' || op === 'update') expect(seen.requested).toBe(MADE);
        if (seen.live === LEAVING) expect(op).toBe('none');
      }),
    );
  });

  it('is fetched again once for each change', () => {
    const secretOf = (): KubeObject => secret('2');
    const step = planSource(view({ live: LIVE, secretOf }));
    if (step.op !== 'refetch') throw new Error(`it is not fetched again: ${step.op}`);
    const requested = step.annotations['reconcile.fluxcd.io/requestedAt'];
    expect(requested).toBe(step.annotations[CREDENTIALS_ANNOTATION]);
    expect(requested).not.toBe(LIVE.metadata.annotations?.[CREDENTIALS_ANNOTATION]);
    const live = { ...LIVE, metadata: { ...LIVE.metadata, annotations: step.annotations } };
    expect(planSource(view({ live, secretOf }))).toEqual({ op: 'none' });
  });

  it('without Secrets has no version of them', () => {
    const requested = madeSource({ repo: INLINE.repo, chart: 'web' });
    const live = objectOf(planSource(view({ requested })));
    expect(live.metadata.annotations).toEqual({});
    expect(planSource(view({ requested, live }))).toEqual({ op: 'none' });
    expect([secretsOf(live), secretsOf(LIVE)]).toEqual([[], ['login']]);
  });
});

describe('an Application', () => {
  const of = (source: NonNullable<FluxApplicationSpec['source']>, more: Partial<Application> = {}): Application => {
    const spec = { source, config: { helmRelease: { deploy: [deploy('prod')] } } };
    return { ...application([], { spec: { kind: 'fluxcd', fluxApp: { spec } } }), ...more };
  };
  const sound = of({ inline: INLINE });
  const marked = (more: object): Application => ({ ...sound, metadata: { ...sound.metadata, ...more } });

  it('asks for the source that its inline one stands for', () => {
    expect(requestedSource(sound, ITS, RULES)).toEqual(MADE);
    expect(requestedSource(sound, { ...ITS, name: 'other' }, RULES)).toBeUndefined();
    expect(requestedSource(sound, { ...ITS, kind: 'OCIRepository' }, RULES)).toBeUndefined();
  });

  it.each<[string, Application]>([
    ['with a source of its user', of({ sourceRef: { kind: 'HelmRepository', name: 'charts' } })],
    ['that is not valid', of({ inline: { ...INLINE, version: 'newest' } })],
    ['that is being deleted', marked({ deletionTimestamp: '2026-01-01T00:00:00Z' })],
    ['in a dry run', marked({ annotations: { [DRY_RUN_ANNOTATION]: 'true' } })],
  ])('%s asks for none', (_name, each) => expect(requestedSource(each, ITS, RULES)).toBeUndefined());
});

describe('the sources of a child', () => {
  const child = (spec: object) => ({
    ...{ apiVersion: 'v1', kind: 'HelmRelease', metadata: { name: 'web', namespace: 'shop' } },
    spec: { ...spec },
  });
  const ref = { kind: 'HelmRepository', name: 'charts' };
  it.each<[string, object, object[]]>([
    ['of its chart', { chart: { spec: { sourceRef: ref } } }, [{ ...ref, namespace: 'shop' }]],
    ['of its artifact', { chartRef: { ...ref, namespace: 'other' } }, [{ ...ref, namespace: 'other' }]],
    ['of its files', { sourceRef: { ...ref, namespace: '' } }, [{ ...ref, namespace: 'shop' }]],
    ['none', {}, []],
    ['none in junk', { chart: 'web', chartRef: ['x'], sourceRef: { kind: 1 } }, []],
  ])('%s', (_name, spec, sources) => expect(sourcesOfChild(child(spec))).toEqual(sources));
});
