import { describe, expect, it } from '@jest/globals';
import { recordFor } from '#controllers/application/model/rollout/record.js';
import type { RolloutRecord, RolloutRequests } from '#controllers/application/model/rollout/types.js';
import { begun, NOW, record, rollout, target, type Given } from './builders.js';

const DIGEST = '0123abcd';
const SPEC = { stages: [{ name: 'prod', clusters: { names: ['prod'] }, approval: true }] };
const OUTDATED = [target('eu', 'outdated')];
const asks = (requests: Partial<RolloutRequests>, more: Given = {}) =>
  rollout({ spec: SPEC, targets: OUTDATED, digest: DIGEST, requests, ...more });
const back: RolloutRecord = record({ rolledBack: { why: 'it was aborted', to: 1 }, stages: [begun('prod')] });
const running: RolloutRecord = record({ stages: [begun('prod')] });

describe('requests name a revision by its content', () => {
  it('begin a stage by number and digest', () => {
    expect(asks({ approved: `prod@2-${DIGEST}` }).moves.get('eu')).toEqual({ to: 'target' });
    expect(asks({ approved: `prod@2-${DIGEST}@unproven` }).moves.get('eu')).toEqual({ to: 'target' });
    const waiting = asks({});
    expect(waiting.stages[0]).toMatchObject({ phase: 'AwaitingApproval', approval: `prod@2-${DIGEST}` });
    expect(waiting.record.id).toBe(`2-${DIGEST}`);
  });

  it.each([
    ['prod@2', `approve-stage "prod@2" has no digest: use "prod@2-${DIGEST}"`],
    ['prod@2@unproven', `approve-stage "prod@2@unproven" has no digest: use "prod@2-${DIGEST}"`],
    ['prod@2-ffffffff', `approve-stage "prod@2-ffffffff" is not for the content of revision 2: use "prod@2-${DIGEST}"`],
  ])('begin none by %s, which says what to use', (approved, warning) => {
    const { moves, warnings } = asks({ approved });
    expect(moves.get('eu')).toMatchObject({ cause: 'Approval' });
    expect(warnings).toEqual([warning]);
  });

  it.each(['2', '2-ffffffff'])('neither retry, abort nor open windows by %s', (text) => {
    const closed: Given = { spec: {}, windowAt: () => ({ open: false }) };
    const retried = asks({ retry: text }, { record: back });
    expect(retried.record.rolledBack).toBeDefined();
    expect(retried.warnings).toEqual([expect.stringContaining(`use "2-${DIGEST}"`)]);
    const aborted = asks({ abort: text }, { record: running });
    expect(aborted.record.rolledBack).toBeUndefined();
    expect(aborted.warnings).toEqual([expect.stringContaining(`use "2-${DIGEST}"`)]);
    const opened = asks({ ignoreWindows: text }, closed);
    expect(opened.moves.get('eu')).toMatchObject({ cause: 'Window' });
    expect(opened.warnings).toEqual([expect.stringContaining(`use "2-${DIGEST}"`)]);
    expect(asks({ ignoreWindows: `2-${DIGEST}` }, closed).moves.get('eu')).toEqual({ to: 'target' });
  });

  it('retry and abort by number and digest, once more with any text', () => {
    expect(asks({ retry: `2-${DIGEST}` }, { record: back }).record).toMatchObject({ retried: `2-${DIGEST}` });
    const again = { ...back, retried: `2-${DIGEST}` };
    expect(asks({ retry: `2-${DIGEST}` }, { record: again }).record.rolledBack).toBeDefined();
    expect(asks({ retry: `2-${DIGEST}@x` }, { record: again }).record.rolledBack).toBeUndefined();
    expect(asks({ abort: `2-${DIGEST}` }, { record: running }).record).toMatchObject({ aborted: `2-${DIGEST}` });
  });
});

describe('what an older version recorded by the number alone', () => {
  it('keeps a stage that began by such an approval', () => {
    const { moves, warnings } = asks({ approved: 'prod@2' }, { record: running });
    expect(moves.get('eu')).toEqual({ to: 'target' });
    expect(warnings).toEqual([]);
  });

  it('retries nothing again, and aborts nothing again', () => {
    const retried = { ...running, retried: '2' };
    const aborted = { ...running, aborted: '2' };
    for (const text of ['2', `2-${DIGEST}`]) {
      expect(asks({ retry: text }, { record: retried }).record.stages).toEqual(running.stages);
      expect(asks({ abort: text }, { record: aborted }).record.rolledBack).toBeUndefined();
      expect(asks({ abort: text }, { record: aborted }).warnings).toEqual([]);
    }
    const failed = { ...retried, failing: ['hash'] };
    expect(asks({ retry: `2-${DIGEST}` }, { record: failed }).record.stages).toEqual(running.stages);
    const complete = record({ completedAt: '2026-01-01T11:30:00Z', stages: [begun('prod', '2026-01-01T11:30:00Z')] });
    const rested = asks({ ignoreWindows: '2', retry: '2' }, { record: complete, targets: [target('eu', 'ready')] });
    expect(rested.record).toMatchObject({ completedAt: complete.completedAt, id: `2-${DIGEST}` });
    expect(rested.warnings).toEqual(['retry-rollout "2": the revision is not rolled back']);
  });
});

it('the record begins again with another content, and goes on with one that says no digest', () => {
  const given = record({ stages: [begun('prod')], lastGood: 1 });
  expect(recordFor(given, 2, NOW, DIGEST)).toEqual({ ...given, id: `2-${DIGEST}` });
  const known = { ...given, id: '2-ffffffff' };
  expect(recordFor(known, 2, NOW, DIGEST)).toMatchObject({ id: `2-${DIGEST}`, stages: [], lastGood: 1 });
  expect(recordFor({ ...given, id: `2-${DIGEST}` }, 2, NOW, DIGEST)).toMatchObject({ stages: [begun('prod')] });
});
