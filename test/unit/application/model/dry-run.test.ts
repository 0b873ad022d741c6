import { describe, expect, test } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import type { Plan } from '#controllers/application/model/decide.js';
import { concludeDryRun, plannedChange, type Answer } from '#controllers/application/model/dry-run.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import { application, applied, deploy, well, work } from './builders.js';

const eu = deploy('prod', 'eu');
const steps = (entries: Parameters<typeof application>[0], live: Child[] = []): readonly Step[] =>
  work(application(entries), live).steps;
const [fresh] = applied([], steps([eu]));

/** The server takes every child as it is wanted. */
function answered(given: readonly Step[]): ReadonlyMap<Step, Answer> {
  const answer = (step: Step): Answer => {
    if (step.op === 'create') return { live: undefined, next: step.object };
    return step.op === 'update' ? { live: step.live, next: step.object } : undefined;
  };
  return new Map(given.map((step) => [step, answer(step)]));
}

function plan(given: readonly Step[], finding: Partial<Plan['finding']> = {}, status?: Application['status']): Plan {
  const base = { ...application([eu]), ...(status === undefined ? {} : { status }) };
  // What a dry run reads of a plan.
  return {
    application: base,
    finding: { rejected: [], ...finding },
    steps: given,
    missing: new Map(),
  } as unknown as Plan;
}

function lines(given: readonly Step[]): string[] {
  const answers = answered(given);
  return given.flatMap((step) => {
    const change = plannedChange(step, answers.get(step));
    const fields = (change?.fields ?? []).map(({ path, old, new: next }) => `${path}: ${old ?? '-'} > ${next ?? '-'}`);
    return change === undefined ? [] : [`${change.action}: ${change.message ?? ''}`, ...fields];
  });
}

describe('a dry run of an Application', () => {
  test('lists children that would be created, changed and deleted', () => {
    expect(lines(steps([eu]))).toEqual(['created: new destination']);
    expect(lines(steps([{ ...eu, timeout: '1m' }], [fresh!]))).toContain('/spec/timeout: - > "1m"');
    expect(lines(steps([], [fresh!])).filter((line) => line.startsWith('deleted'))).toHaveLength(1);
    expect(lines(steps([eu], [fresh!]))).toEqual([]);
  });

  test('lists a child that would be unmanaged from now on', () => {
    const installed = applied([], steps([{ ...eu, mode: 'Once' }])).map(well);
    expect(lines(steps([{ ...eu, mode: 'Once' }], installed))).toEqual([
      'changed: suspended: installed once, it is not managed any more',
    ]);
  });

  test('shows no values of the chart', () => {
    const changed = lines(steps([{ ...eu, values: { password: 'hunter2' } }], [fresh!]));
    expect(changed.some((line) => line.startsWith('/spec/values'))).toBe(true);
    expect(changed.join('\n')).not.toContain('hunter2');
  });

  test('shows no variables of a Kustomization', () => {
    const child = (password: string): Child => ({
      ...{
        apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
        kind: 'Kustomization',
        metadata: { name: 'a', namespace: 'n' },
      },
      spec: { postBuild: { substitute: { password } } },
    });
    const [live, next] = [child('hunter1'), child('hunter2')];
    // What a change set reads of a step.
    const step = { op: 'update', why: 'variables', object: next, live } as unknown as Step;
    const change = plannedChange(step, { live, next });
    expect(change?.fields).toEqual([{ path: '/spec/postBuild/substitute/password' }]);
  });

  test('leaves the rest of the status unchanged, and settles', () => {
    const before = { observedGeneration: 1, summary: { desired: 1, ready: '1/1' } };
    const given = steps([eu]);
    const first = concludeDryRun(plan(given, {}, before), answered(given), 0);
    expect(first.status).toMatchObject({ ...before, dryRun: { summary: { created: 1 } } });
    expect(first.events).toMatchObject([{ type: 'Normal', reason: 'DryRunSucceeded' }]);
    const again = concludeDryRun(plan(given, {}, first.status), answered(given), 60_000);
    expect(again).toMatchObject({ status: undefined, events: [] });
  });

  test('says what is odd about it, and how to approve what is held, last', () => {
    const held = { reason: 'ApprovalRequired', message: '2 releases would be removed: approve: kubectl' } as const;
    const action = (finding: Partial<Plan['finding']>) =>
      concludeDryRun(plan([], finding), new Map(), 0).status?.dryRun?.action;
    expect(action({ warnings: ['no cluster matches'] })).toBe('no cluster matches');
    expect(action({ held, warnings: ['w'.repeat(2_000)] })).toMatch(/^w+ \.\.\. w+; 2 releases .* approve: kubectl$/);
    expect(action({})).toBeUndefined();
  });

  test('names the Secret that a child lacks which is written, now or later', () => {
    const lack = 'Secret shop/eu does not exist';
    const changes = (given: readonly Step[]) => {
      const missing = new Map([[entryPath, lack]]);
      return concludeDryRun({ ...plan(given), missing }, answered(given), 0).status?.dryRun;
    };
    const given = steps([eu]);
    const entryPath = given.flatMap((step) => ('entry' in step ? [step.entry.path] : []))[0] ?? '';
    expect(changes(given)?.objects).toMatchObject([{ action: 'created', message: `new destination; ${lack}` }]);
    const [first] = given;
    if (first?.op !== 'create') throw new Error('nothing is created');
    const waits = { op: 'wait', entry: first.entry, live: undefined, why: 'later', hold: 'Release' } as const;
    expect(changes([{ ...waits, later: first.object }])?.action).toBe(`${entryPath} waits: later; ${lack}`);
    expect(changes([waits])?.action).toBe(`${entryPath} waits: later`);
  });

  test('that the host rejects is a failure', () => {
    const given = steps([eu]);
    const answers = new Map(given.map((step) => [step, { error: 'denied' }]));
    const { status, events } = concludeDryRun(plan(given), answers, 0);
    expect(status?.dryRun?.objects).toMatchObject([{ action: 'failed', message: 'denied' }]);
    expect(events).toMatchObject([{ type: 'Warning', reason: 'DryRunFailed' }]);
  });

  test('of an invalid Application says what is wrong with it', () => {
    const violation = { reason: 'DeployEmpty', message: 'no destination is listed' } as const;
    const { status } = concludeDryRun(plan([], { violation }), new Map(), 0);
    expect(status).not.toHaveProperty('dryRun');
    expect(status?.conditions?.find(({ type }) => type === 'DryRun')).toMatchObject({ status: 'False', ...violation });
  });
});
