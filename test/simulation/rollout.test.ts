import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import type { Move, Rollout, RolloutSpec } from '#controllers/application/model/rollout/types.js';
import { World } from '../unit/application/model/rollout/world.js';

const GOLDEN = path.resolve('test/simulation/rollout.golden');
const MINUTE = 60_000;
const MAX_PASSES = 10;

const SPEC: RolloutSpec = {
  stages: [
    { name: 'canary', clusters: { names: ['c1', 'c2'] }, bakeTime: '10m' },
    { name: 'early', clusters: { selector: { matchLabels: { tier: 'early' } } }, maxConcurrent: 2 },
    { name: 'rest', maxUnavailable: '34%', approval: true },
  ],
  onFailure: 'Rollback',
};

/** Twelve clusters; what is decided is written down. */
class RolloutLog {
  readonly world = new World(SPEC);
  readonly #lines: string[] = [];

  constructor() {
    for (const [tier, count] of Object.entries({ canary: 2, early: 4, prod: 6 }))
      for (let index = 1; index <= count; index += 1) this.world.join(`${tier.charAt(0)}${index}`, tier);
  }

  get text(): string {
    return `${this.#lines.join('\n').trim()}\n`;
  }

  /** After some minutes something happens, and the controller works until it has nothing left to do. */
  chapter(title: string, minutes: number, happen: () => void = () => undefined): void {
    this.world.nowMs += minutes * MINUTE;
    happen();
    this.#lines.push(`# ${new Date(this.world.nowMs).toISOString().slice(11, 16)} ${title}`);
    for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
      const { result, writes, changed } = this.world.pass();
      if (writes === 0) {
        this.#report(result);
        return;
      }
      const [children, from] = [[...changed], this.world.revision];
      for (const to of ['target', 'previous']) {
        const ids = children.filter((id) => textOf(result.moves.get(id)) === to);
        const revision = to === 'target' ? from : result.record.rolledBack?.to;
        if (ids.length > 0) this.#lines.push(`  write ${ids.join(' ')}: revision ${revision}`);
      }
    }
    throw new Error(`still not settled after ${MAX_PASSES} passes:\n${this.text}`);
  }

  #report({ phase, why, stages, moves, warnings, retryAfterMs }: Rollout): void {
    this.#lines.push(`  ${phase}: ${why}`);
    for (const { name, phase: own, ready, total, updating, failed } of stages)
      this.#lines.push(`  stage ${name} ${own}: ${ready}/${total} ready, ${updating} updating, ${failed} failed`);
    const held = new Map<string, string[]>();
    for (const [id, move] of moves) if ('hold' in move) held.set(textOf(move), [...(held.get(textOf(move)) ?? []), id]);
    for (const [why, ids] of held) this.#lines.push(`  hold ${ids.join(' ')}: ${why}`);
    for (const warning of warnings) this.#lines.push(`  warning: ${warning}`);
    if (retryAfterMs !== undefined) this.#lines.push(`  again after ${retryAfterMs / MINUTE} minutes`);
    this.#lines.push('');
  }

  /** The engine reports on what it works on. */
  report(health: 'ready' | 'failed', ...ids: string[]): void {
    for (const [id, member] of this.world.members) if (ids.includes(id)) member.health = health;
  }
}

function textOf(move: Move | undefined): string {
  if (move === undefined) return 'nothing';
  return 'to' in move ? move.to : move.hold;
}

function tell(): RolloutLog {
  const log = new RolloutLog();
  const { world } = log;
  log.chapter('An Application for twelve clusters is created', 0);
  log.chapter('The canaries are installed', 2, () => log.report('ready', 'c1', 'c2'));
  log.chapter('They baked', 10);
  log.chapter('Two early ones are installed', 2, () => log.report('ready', 'e1', 'e2'));
  log.chapter('So are the others', 2, () => log.report('ready', 'e3', 'e4'));
  log.chapter('Somebody approves', 30, () => Object.assign(world.requests, { approved: 'rest@1' }));
  log.chapter('Two of the rest are installed', 2, () => log.report('ready', 'p1', 'p2'));
  log.chapter('Two more', 2, () => log.report('ready', 'p3', 'p4'));
  log.chapter('All are', 2, () => log.report('ready', 'p5', 'p6'));
  log.chapter('The chart is edited', 60, () => Object.assign(world, { revision: 2 }));
  log.chapter('The canaries are upgraded', 2, () => log.report('ready', 'c1', 'c2'));
  log.chapter('They baked', 10);
  log.chapter('One early one fails', 2, () => log.report('failed', 'e2'));
  log.chapter('Nothing happens', 60);
  log.chapter('The early ones are back', 2, () => log.report('ready', 'e1', 'e2', 'e3', 'e4'));
  log.chapter('A fixed chart supersedes the edit', 60, () => Object.assign(world, { revision: 3 }));
  log.chapter('The canaries are upgraded', 2, () => log.report('ready', 'c1', 'c2'));
  log.chapter('They baked', 10);
  log.chapter('The early ones are upgraded', 2, () => log.report('ready', 'e1', 'e2'));
  log.chapter('All of them, and the rest is approved', 2, () => {
    log.report('ready', 'e3', 'e4');
    world.requests.approved = 'rest@3';
  });
  log.chapter('Some of the rest are upgraded', 2, () => log.report('ready', 'p1', 'p2'));
  log.chapter('More', 2, () => log.report('ready', 'p3', 'p4'));
  log.chapter('All', 2, () => log.report('ready', 'p5', 'p6'));
  return log;
}

it('a rollout over twelve clusters in three stages goes as told in rollout.golden', () => {
  const { text } = tell();
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, text);
  expect(text).toBe(readFileSync(GOLDEN, 'utf8'));
});
