import { describe, expect, test } from '@jest/globals';
import { decide, type Decision, type DecisionFacts } from '../../../../../controllers/flux/helmrelease/model/decide.js';
import { configDigest } from '../../../../../controllers/flux/helmrelease/model/digest.js';
import { isUnsaid, recalled } from '../../../../../controllers/flux/helmrelease/model/recalled.js';
import {
  describeUnlocked,
  isPending,
  lastRevision,
  type ReleaseRecord,
  type ReleaseStatus,
  type StoredRevision,
} from '../../../../../controllers/flux/helmrelease/model/release.js';
import {
  previousSuccess,
  snapshotOf,
  type Snapshot,
} from '../../../../../controllers/flux/helmrelease/model/snapshot.js';
import { releaseState } from '../../../../../controllers/flux/helmrelease/model/state.js';
import * as steps from '../../../../../controllers/flux/helmrelease/model/status.js';
import type { ReleaseStatusFields } from '../../../../../controllers/flux/helmrelease/model/status.js';
import { record, statusContext } from './builders.js';

/** What a process finds that starts after another one was killed: storage and status, as the last writes left them. */
interface Found {
  /**
   * `2 pending-upgrade green`; the colour is its values. `3 deployed red <1` went back to revision 1, and the lock on
   * `2 failed green !pending-upgrade` was opened.
   */
  readonly stored: readonly string[];
  readonly status: ReleaseStatusFields;
}

interface Row extends Found {
  /** What is wanted, beside green values; a `broken` chart fails to come up. */
  readonly spec?: DecisionFacts['spec'];
  readonly broken?: boolean;
  readonly tests?: boolean;
  /** What the new process does, to the end. */
  readonly does: readonly string[];
  readonly ends: readonly string[];
}

const CONTEXT = statusContext();

function recordOf(text: string): ReleaseRecord {
  const [version = '', status = '', color = '', ...marks] = text.split(' ');
  const base = record({ version: Number(version), config: { color } });
  const mark = (sign: string): string | undefined => marks.find((each) => each.startsWith(sign))?.slice(1);
  const [back, was] = [mark('<'), mark('!')];
  const info = {
    ...base.info,
    // The rows of the tables are written with Helm's own words.
    status: status as ReleaseStatus,
    description: was === undefined ? `Upgrade "web" failed: it broke` : describeUnlocked(was as ReleaseStatus),
    ...(back === undefined ? {} : { rollback_revision: Number(back) }),
  };
  return { ...base, info };
}

function snap(text: string): Snapshot {
  const made = recordOf(text);
  return snapshotOf(made, configDigest(made.config), 'upgrade');
}

/** Helm's storage and the status of one release, changed by the rules of the model as the engine would. */
class Release {
  #records: ReleaseRecord[];
  status: ReleaseStatusFields;
  readonly #row: Row;

  constructor(row: Row) {
    this.#row = row;
    this.#records = row.stored.map(recordOf);
    this.status = row.status;
  }

  get stored(): string[] {
    return this.#records.map(({ version, info }) => `${version} ${info.status}`);
  }

  get #last(): ReleaseRecord | undefined {
    return lastRevision(this.#records);
  }

  /** Does the one next thing; its name, or how it ended. */
  step(): { readonly did: string; readonly isEnd: boolean } {
    const last = this.#last;
    const found = last && this.#revisionOf(last);
    const decision = this.#decide(found);
    if (decision.kind === 'stall') return { did: decision.reason, isEnd: true };
    if (decision.kind === 'done' || decision.kind === 'correct') return { did: decision.kind, isEnd: true };
    if (decision.kind === 'act') return { did: this.#act(decision.action), isEnd: false };
    const unsaid = found !== undefined && isUnsaid(found, this.status) ? last : undefined;
    return { did: unsaid === undefined ? this.#act('upgrade') : this.#recall(unsaid), isEnd: false };
  }

  #decide(last: StoredRevision | undefined): Decision {
    const { history = [] } = this.status;
    const config = configDigest({ color: 'green' });
    const finding = releaseState({
      last,
      history,
      desired: { chartName: 'web', chartVersion: '1.0.0', configDigest: config, metadataDigest: undefined },
      observedMetadataDigest: undefined,
      isKnownToRun: false,
      tests: { enabled: this.#row.tests === true, ignoreFailures: false },
    });
    const storedVersions = this.#records.map(({ version }) => version);
    return decide(finding, { spec: this.#row.spec ?? {}, status: this.status, history, storedVersions, forced: false });
  }

  #revisionOf({ version, info: { status } }: ReleaseRecord): StoredRevision {
    return { version, status, secretName: '', resourceVersion: '1', origin: 'shop/web', untouched: true };
  }

  #recall(last: ReleaseRecord): string {
    const config = { color: 'green' };
    const now = { config, configDigest: configDigest(config) };
    this.status = recalled(this.status, CONTEXT, { record: last, now, clearFailures: false }) ?? this.status;
    return 'recall';
  }

  #act(action: string): string {
    if (action === 'unlock') this.#unlock();
    else if (action === 'test') this.#test();
    else if (action === 'uninstall') this.#uninstall();
    else if (action === 'rollback') this.#rollBack();
    else this.#release(action === 'install' ? 'install' : 'upgrade');
    return action;
  }

  #put(next: ReleaseRecord): void {
    const others = this.#records.filter(({ version }) => version !== next.version);
    const isNew = next.info.status === 'deployed';
    const kept = others.map((old) =>
      isNew && old.info.status === 'deployed' ? { ...old, info: { ...old.info, status: 'superseded' as const } } : old,
    );
    this.#records = [...kept, next];
  }

  #unlock(): void {
    const last = this.#last;
    if (last === undefined || !isPending(last.info.status)) throw new Error('nothing is locked');
    const was = last.info.status;
    this.#put({ ...last, info: { ...last.info, status: 'failed' } });
    const opened = { snapshot: snapshotOf(this.#last ?? last, configDigest(last.config), 'upgrade'), was, isOwn: true };
    this.status = steps.unlocked(this.status, CONTEXT, opened);
  }

  #release(action: 'install' | 'upgrade'): void {
    const version = (this.#last?.version ?? 0) + 1;
    const made = recordOf(`${version} ${this.#row.broken === true ? 'failed' : 'deployed'} green`);
    this.#put(made);
    const before = { ...this.status, lastAttemptedReleaseAction: action };
    const outcome = { action, snapshot: snapshotOf(made, configDigest(made.config), action) };
    this.status =
      this.#row.broken === true
        ? steps.releaseFailed(before, CONTEXT, { ...outcome, attempted: outcome.snapshot, error: 'it broke' })
        : steps.released(before, CONTEXT, { ...outcome, clearFailures: false });
  }

  #rollBack(): void {
    const target = previousSuccess(this.status.history ?? [], false);
    if (target === undefined) throw new Error('nothing to go back to');
    const made = recordOf(`${(this.#last?.version ?? 0) + 1} deployed red <${target.version}`);
    this.#put(made);
    const outcome = { snapshot: snapshotOf(made, target.configDigest, 'rollback'), target, error: undefined };
    this.status = steps.remediated(this.status, CONTEXT, { action: 'rollback', ...outcome });
  }

  #uninstall(): void {
    const last = this.#last;
    if (last === undefined) throw new Error('nothing to uninstall');
    this.#records = [];
    const gone = { ...snap(`${last.version} uninstalled green`), action: 'uninstall-remediation' as const };
    this.status = steps.remediated(this.status, CONTEXT, {
      action: 'uninstall',
      snapshot: gone,
      target: gone,
      error: undefined,
    });
  }

  #test(): void {
    const [latest] = this.status.history ?? [];
    if (latest === undefined) throw new Error('nothing to test');
    const outcome = {
      snapshot: { ...latest, testHooks: { check: { phase: 'Succeeded' } } },
      error: undefined,
      counts: true,
    };
    this.status = steps.tested(this.status, CONTEXT, outcome);
  }
}

function play(row: Row): { does: string[]; ends: string[] } {
  const release = new Release(row);
  const does: string[] = [];
  for (let isEnd = false; !isEnd;) {
    const step = release.step();
    does.push(step.did);
    isEnd = step.isEnd;
    expect(release.stored.filter((each) => each.endsWith('deployed')).length).toBeLessThan(2);
    expect(does.length).toBeLessThan(9);
  }
  return { does, ends: release.stored };
}

const INSTALLING: ReleaseStatusFields = { lastAttemptedReleaseAction: 'install' };
const RED: ReleaseStatusFields = { ...INSTALLING, history: [snap('1 deployed red')] };
const UPGRADING: ReleaseStatusFields = { ...RED, lastAttemptedReleaseAction: 'upgrade' };
const TO_THREE = ['1 superseded', '2 failed', '3 deployed'];

function rows(table: readonly (readonly [string, Row])[]): [string, Row][] {
  return table.map(([name, row]) => [name, row]);
}

function expectAsTold(_name: string, row: Row): void {
  expect(play(row)).toEqual({ does: row.does, ends: row.ends });
}

describe('a process that is killed in an install', () => {
  test.each(
    rows([
      ['before it wrote anything', { stored: [], status: {}, does: ['install', 'done'], ends: ['1 deployed'] }],
      [
        'with the action announced',
        { stored: [], status: INSTALLING, does: ['install', 'done'], ends: ['1 deployed'] },
      ],
      [
        'with the revision pending: hooks and objects are there, or some of them',
        {
          stored: ['1 pending-install green'],
          status: INSTALLING,
          does: ['unlock', 'upgrade', 'done'],
          ends: ['1 failed', '2 deployed'],
        },
      ],
      [
        'with the revision deployed and the status silent',
        { stored: ['1 deployed green'], status: INSTALLING, does: ['recall', 'done'], ends: ['1 deployed'] },
      ],
      [
        'with everything said',
        {
          stored: ['1 deployed green'],
          status: { ...INSTALLING, history: [snap('1 deployed green')] },
          does: ['done'],
          ends: ['1 deployed'],
        },
      ],
    ]),
  )('%s', expectAsTold);
});

describe('a process that is killed in an upgrade', () => {
  test.each(
    rows([
      [
        'before it wrote anything',
        { stored: ['1 deployed red'], status: RED, does: ['upgrade', 'done'], ends: ['1 superseded', '2 deployed'] },
      ],
      [
        'with the action announced',
        {
          stored: ['1 deployed red'],
          status: UPGRADING,
          does: ['upgrade', 'done'],
          ends: ['1 superseded', '2 deployed'],
        },
      ],
      [
        'with the revision pending: objects are new, old, or gone',
        {
          stored: ['1 deployed red', '2 pending-upgrade green'],
          status: UPGRADING,
          does: ['unlock', 'upgrade', 'done'],
          ends: TO_THREE,
        },
      ],
      [
        'with the old revision superseded, and the new one still pending',
        {
          stored: ['1 superseded red', '2 pending-upgrade green'],
          status: UPGRADING,
          does: ['unlock', 'upgrade', 'done'],
          ends: TO_THREE,
        },
      ],
      [
        'with the revision deployed and the status silent',
        {
          stored: ['1 superseded red', '2 deployed green'],
          status: UPGRADING,
          does: ['recall', 'done'],
          ends: ['1 superseded', '2 deployed'],
        },
      ],
      [
        'with the oldest revision forgotten and the status silent',
        { stored: ['2 deployed green'], status: UPGRADING, does: ['recall', 'done'], ends: ['2 deployed'] },
      ],
    ]),
  )('%s', expectAsTold);
});

describe('a process that is killed in a rollback', () => {
  const wish = { broken: true, spec: { upgrade: { remediation: { remediateLastFailure: true } } } };
  const failed = {
    ...UPGRADING,
    failures: 1,
    upgradeFailures: 1,
    history: [snap('2 failed green'), snap('1 deployed red')],
  };
  const [first, second] = ['1 deployed red', '2 failed green'];
  test.each(
    rows([
      [
        'with the upgrade before it pending',
        {
          ...wish,
          stored: [first, '2 pending-upgrade green'],
          status: UPGRADING,
          does: ['unlock', 'upgrade', 'rollback', 'RetriesExceeded'],
          ends: ['1 superseded', '2 failed', '3 failed', '4 deployed'],
        },
      ],
      [
        'with the upgrade failed and the status silent',
        {
          ...wish,
          stored: [first, second],
          status: UPGRADING,
          does: ['recall', 'rollback', 'RetriesExceeded'],
          ends: TO_THREE,
        },
      ],
      [
        'with the failure said',
        { ...wish, stored: [first, second], status: failed, does: ['rollback', 'RetriesExceeded'], ends: TO_THREE },
      ],
      [
        'with the revision pending',
        {
          ...wish,
          stored: [first, second, '3 pending-rollback red <1'],
          status: failed,
          does: ['unlock', 'rollback', 'RetriesExceeded'],
          ends: ['1 superseded', '2 failed', '3 failed', '4 deployed'],
        },
      ],
      [
        'with the old revision superseded, and the new one still pending',
        {
          ...wish,
          stored: ['1 superseded red', second, '3 pending-rollback red <1'],
          status: failed,
          does: ['unlock', 'rollback', 'RetriesExceeded'],
          ends: ['1 superseded', '2 failed', '3 failed', '4 deployed'],
        },
      ],
      [
        'with the revision deployed and the status silent',
        {
          ...wish,
          stored: ['1 superseded red', second, '3 deployed red <1'],
          status: failed,
          does: ['recall', 'RetriesExceeded'],
          ends: TO_THREE,
        },
      ],
    ]),
  )('%s', expectAsTold);
});

describe('a process that is killed in the remediation of an install', () => {
  const wish = { broken: true, spec: { install: { remediation: { retries: 1 } } } };
  const failed = { ...INSTALLING, failures: 1, installFailures: 1, history: [snap('1 failed green')] };
  const ends = ['1 failed'];
  test.each(
    rows([
      [
        'with the install failed and the status silent',
        {
          ...wish,
          stored: ['1 failed green'],
          status: INSTALLING,
          does: ['recall', 'uninstall', 'install', 'RetriesExceeded'],
          ends,
        },
      ],
      [
        'with the failure said',
        {
          ...wish,
          stored: ['1 failed green'],
          status: failed,
          does: ['uninstall', 'install', 'RetriesExceeded'],
          ends,
        },
      ],
      [
        'with the revision uninstalling: objects are there, or gone',
        {
          ...wish,
          stored: ['1 uninstalling green'],
          status: failed,
          does: ['unlock', 'uninstall', 'install', 'RetriesExceeded'],
          ends,
        },
      ],
      [
        'with nothing left and the status silent',
        { ...wish, stored: [], status: failed, does: ['install', 'RetriesExceeded'], ends },
      ],
      [
        'with its history kept and the status silent',
        {
          ...wish,
          stored: ['1 uninstalled green'],
          status: failed,
          does: ['install', 'RetriesExceeded'],
          ends: ['1 uninstalled', '2 failed'],
        },
      ],
    ]),
  )('%s', expectAsTold);
});

describe('a process that is killed in the tests of a release', () => {
  const status = { ...INSTALLING, history: [snap('1 deployed green')] };
  test.each(
    rows([
      [
        'with or without their results in storage, and the status silent',
        { tests: true, stored: ['1 deployed green'], status, does: ['test', 'done'], ends: ['1 deployed'] },
      ],
      [
        'before that, with the status of the install silent',
        {
          tests: true,
          stored: ['1 deployed green'],
          status: INSTALLING,
          does: ['recall', 'test', 'done'],
          ends: ['1 deployed'],
        },
      ],
    ]),
  )('%s', expectAsTold);
});

describe('a process that is killed while it opens a lock', () => {
  test.each(
    rows([
      [
        'of an upgrade, with the revision marked and the status silent',
        {
          stored: ['1 deployed red', '2 failed green !pending-upgrade'],
          status: UPGRADING,
          does: ['recall', 'upgrade', 'done'],
          ends: TO_THREE,
        },
      ],
      [
        'of an install, with the revision marked and the status silent',
        {
          stored: ['1 failed green !pending-install'],
          status: INSTALLING,
          does: ['recall', 'upgrade', 'done'],
          ends: ['1 failed', '2 deployed'],
        },
      ],
      [
        'of a rollback, with the revision marked and the status silent',
        {
          broken: true,
          spec: { upgrade: { remediation: { remediateLastFailure: true } } },
          stored: ['1 deployed red', '2 failed green', '3 failed red <1 !pending-rollback'],
          status: { ...UPGRADING, upgradeFailures: 1, history: [snap('2 failed green'), snap('1 deployed red')] },
          does: ['recall', 'rollback', 'RetriesExceeded'],
          ends: ['1 superseded', '2 failed', '3 failed', '4 deployed'],
        },
      ],
      [
        'of a release that it knows, with the revision marked and the status silent',
        {
          stored: ['1 failed green !pending-upgrade'],
          status: { ...INSTALLING, history: [snap('1 deployed green')] },
          does: ['upgrade', 'done'],
          ends: ['1 failed', '2 deployed'],
        },
      ],
    ]),
  )('%s', expectAsTold);
});
