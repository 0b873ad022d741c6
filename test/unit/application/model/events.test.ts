import { describe, expect, it } from '@jest/globals';
import type { Condition } from '#api/meta.js';
import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import { conditionEvents, plannedEvents, writeEvents } from '#controllers/application/model/status/events.js';
import type { Outcome } from '#controllers/application/model/child/verdicts.js';
import {
  application,
  applied,
  deploy,
  files,
  filesApplication,
  well,
  work,
  workApproved,
  type Deploy,
} from './builders.js';

const one = [deploy('prod')];
const children = applied([], work(application(one)).steps);
const name = `shop/${children[0]!.metadata.name}`;

function outcomes(entries: typeof one, before = children, error?: Error): Outcome[] {
  return workApproved(application(entries), before).steps.map((step) => ({ step, child: undefined, error }));
}

describe('the event of a write', () => {
  it.each<[string, Outcome[], string]>([
    ['creation', outcomes(one, []), `Created HelmRelease ${name}: new destination`],
    [
      'update',
      outcomes([deploy('prod', undefined, { timeout: '1m' })]),
      `Updated HelmRelease ${name}: changed timeout`,
    ],
  ])('tells the %s and its why', (_, given, message) => {
    expect(writeEvents(given).map((event) => event.message)).toEqual([message]);
  });

  it('reports what was deleted', () => {
    const deleted = writeEvents(outcomes([deploy('test')])).filter(({ reason }) => reason === 'Deleted');
    expect(deleted.map(({ message }) => message)).toEqual([
      `Deleted HelmRelease ${name}: no entry specifies it any more, and spec.fluxApp.spec.config.helmRelease.deploy[0] specifies release web in namespace test instead`,
    ]);
  });

  it('is one for all that was done for one and the same cause', () => {
    const many = Array.from({ length: 7 }, (_, index) => deploy(`prod-${index}`));
    const [event, ...others] = writeEvents(outcomes(many, []));
    expect(others).toEqual([]);
    expect(event?.message).toMatch(
      /^Created 7 HelmReleases in shop \((web-[^,]+, ){4}web-\S+ and 2 more\): new destination$/,
    );
  });

  it('reports that a duplicate is suspended, and for which child', () => {
    const twin = { ...children[0]!, metadata: { ...children[0]!.metadata, name: 'web-twin' } };
    expect(writeEvents(outcomes(one, [...children, twin]))).toEqual([
      {
        type: 'Normal',
        reason: 'DoubleSuspended',
        message: `Suspended HelmRelease shop/web-twin: HelmRelease ${name} keeps what it installed, so it is deleted without an uninstall`,
      },
    ]);
  });

  it('reports what was installed once', () => {
    const once = [deploy('prod', undefined, { mode: 'Once' })];
    const installed = applied([], work(application(once)).steps).map(well);
    expect(writeEvents(outcomes(once, installed))).toEqual([
      {
        type: 'Normal',
        reason: 'InstalledOnce',
        message: `Suspended HelmRelease ${name}: installed once, it is not managed any more`,
      },
    ]);
  });

  it('is none for what was kept, and none for what failed', () => {
    expect(writeEvents(outcomes(one))).toEqual([]);
    expect(writeEvents(outcomes(one, [], new Error('forbidden')))).toEqual([]);
  });
});

describe('before it is done, an event', () => {
  const said = (before: Deploy, after: Deploy): string[] => {
    const { steps } = workApproved(application([after]), applied([], work(application([before])).steps));
    return plannedEvents(steps).map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  };
  const main = deploy('prod', 'eu', { name: 'main' });

  it.each<[string, Deploy, Deploy, RegExp]>([
    [
      'the release name of a named entry',
      main,
      deploy('prod', 'eu', { name: 'main', releaseName: 'new' }),
      /^Warning Moving: HelmRelease .* moves: release prod\/web on eu is removed first, followed by release prod\/new on eu in namespace prod$/,
    ],
    [
      'the target namespace of a named entry',
      main,
      deploy('test', 'eu', { name: 'main', storageNamespace: 'prod' }),
      /^Warning Moving: .* in namespace test$/,
    ],
    [
      'the storage namespace of a named entry',
      main,
      deploy('prod', 'eu', { name: 'main', storageNamespace: 'store' }),
      /^Warning Moving: .*release store\/web on eu/,
    ],
    [
      'the cluster',
      main,
      deploy('prod', 'us', { name: 'main' }),
      /^Normal Removing: release prod\/web on eu is removed: no entry specifies it any more$/,
    ],
    [
      'the release name of an entry without name',
      deploy('prod', 'eu'),
      deploy('prod', 'eu', { releaseName: 'new' }),
      /^Normal Removing: release prod\/web on eu is removed/,
    ],
  ])('tells a change of %s', (_, before, after, expected) => {
    expect(said(before, after)).toEqual([expect.stringMatching(expected)]);
  });

  it('tells that a child of an earlier Application is taken over and moved', () => {
    const [child] = applied([], work(application([main])).steps);
    const labels = { ...child!.metadata.labels, [APPLICATION_UID_LABEL]: 'earlier' };
    const ownerReferences = child!.metadata.ownerReferences!.map((owner) => ({ ...owner, uid: 'earlier' }));
    const left = { ...child!, metadata: { ...child!.metadata, labels, ownerReferences } };
    const { steps } = workApproved(application([deploy('prod', 'eu', { name: 'main', releaseName: 'new' })]), [left]);
    expect(steps).toMatchObject([{ op: 'update', isAdoption: true }]);
    expect(plannedEvents(steps).map(({ reason }) => reason)).toEqual(['Moving']);
    // What stays as it is needs no event.
    expect(plannedEvents(work(application([main]), [left]).steps)).toEqual([]);
  });

  it.each([
    [
      true,
      /^Warning Moving: Kustomization .*: its files are applied to test first, and what it applied to prod on eu is pruned afterwards$/,
    ],
    [false, /^Warning Moving: .*: .* and what it applied to prod on eu stays, because prune is false$/],
  ])('tells what becomes of files whose namespace changes, pruned: %j', (prune, expected) => {
    const of = (namespace: string) => filesApplication([files(namespace, 'eu', { name: 'f', prune })]);
    const { steps } = workApproved(of('test'), applied([], work(of('prod')).steps));
    expect(plannedEvents(steps).map(({ type, reason, message }) => `${type} ${reason}: ${message}`)).toEqual([
      expect.stringMatching(expected),
    ]);
  });

  it('does not report what is not moved', () => {
    expect(said(main, deploy('prod', 'eu', { name: 'main', timeout: '1m' }))).toEqual([]);
    expect(said(deploy('prod', 'eu'), main)).toEqual([]);
  });

  it('does not report files whose entries swap names', () => {
    const at = (name: string, path: string) => files('prod', 'eu', { name, path });
    const before = applied([], work(filesApplication([at('a', './1'), at('b', './2')])).steps);
    expect(plannedEvents(work(filesApplication([at('a', './2'), at('b', './1')]), before).steps)).toEqual([]);
  });

  it('warns that a suspended child takes nothing along', () => {
    const suspended = applied([], work(application([deploy('prod', 'eu', { suspend: true })])).steps);
    const [warning] = plannedEvents(work(application([deploy('test')]), suspended).steps);
    expect(warning).toMatchObject({ type: 'Warning', reason: 'SuspendedChildDeleted' });
  });

  it('warns once of all suspended children', () => {
    const many = Array.from({ length: 7 }, (_, index) => deploy(`prod-${index}`, 'eu', { suspend: true }));
    const suspended = applied([], work(application(many)).steps);
    const events = plannedEvents(work(application([deploy('test')]), suspended).steps);
    expect(events).toHaveLength(1);
    expect(events[0]?.message).toMatch(/^7 HelmReleases in shop \(.* and 2 more\) are suspended: they are deleted/);
  });

  it('reports where files were', () => {
    const before = applied([], work(filesApplication([files(undefined, 'eu')])).steps);
    const [removal] = plannedEvents(work(filesApplication([files('prod')]), before).steps);
    expect(removal?.message).toContain('what it applied to the namespaces of its files on eu is removed');
  });
});

describe('the event of an adoption', () => {
  it('is one event', () => {
    const app = application(one);
    const restored = { ...app, metadata: { ...app.metadata, uid: 'uid-2' } };
    const { steps } = work(restored, [], { adoptable: children });
    const events = writeEvents(steps.map((step) => ({ step, child: undefined })));
    expect(events).toEqual([{ type: 'Normal', reason: 'Adopted', message: `Adopted HelmRelease ${name}: taken over` }]);
    expect(plannedEvents(steps)).toEqual([]);
  });
});

describe('the event of a condition', () => {
  const ready = (status: Condition['status'], reason: string): Condition[] => [
    { type: 'Ready', status, reason, message: `${reason} it is`, lastTransitionTime: '2026-01-01T00:00:00Z' },
  ];
  it.each<[string, Condition[], Condition[], string | undefined]>([
    ['the first success', [], ready('True', 'AllReady'), 'Normal AllReady'],
    ['a failure', ready('True', 'AllReady'), ready('False', 'DestinationsFailed'), 'Warning DestinationsFailed'],
    ['another failure', ready('False', 'SourceNotFound'), ready('False', 'DeployEmpty'), 'Warning DeployEmpty'],
    ['a deletion that was asked for', ready('True', 'AllReady'), ready('False', 'Deleting'), 'Normal Deleting'],
    ['the same again', ready('True', 'AllReady'), ready('True', 'AllReady'), undefined],
    ['a step on the way', ready('True', 'AllReady'), ready('Unknown', 'DestinationsNotReady'), undefined],
    ['nothing known', ready('True', 'AllReady'), [], undefined],
  ])('of %s is what people need to hear', (_, before, after, expected) => {
    const [event, ...others] = conditionEvents(before, after);
    expect(others).toEqual([]);
    expect(event === undefined ? undefined : `${event.type} ${event.reason}`).toBe(expected);
  });
});
