import { advance } from '#controllers/application/model/rollout/advance.js';
import { assignStages } from '#controllers/application/model/rollout/stages.js';
import { previousRevision } from '#controllers/application/model/rollout/record.js';
import type {
  Move,
  Rollout,
  RolloutInput,
  RolloutRecord,
  RolloutSpec,
  Target,
  TargetState,
} from '#controllers/application/model/rollout/types.js';

export type Health = 'progressing' | 'ready' | 'failed';

/** A destination on a cluster of its own. */
export interface Member {
  readonly id: string;
  readonly tier: string;
  /** What its child was written with; undefined: it has none. */
  content: number | undefined;
  health: Health;
  isReachable: boolean;
  isPaused: boolean;
  isRejected: boolean;
}

/** Where a controller is killed: after so many moves, with its record written before them, or not at all. */
export interface Kill {
  readonly afterMoves: number;
  readonly isRecordFirst: boolean;
}

/** A hash for outcomes that do not depend on what else happened. */
export function mixed(...numbers: readonly number[]): number {
  let hash = 2_166_136_261;
  for (const each of numbers) {
    hash = Math.imul(hash ^ each, 16_777_619);
    hash ^= hash >>> 15;
    hash = Math.imul(hash, 0x2c1b3c6d);
    hash ^= hash >>> 13;
  }
  return hash >>> 0;
}

const CONTENTS = new Map<string, number[]>();

/** Every fourth edit changes nothing for a destination. */
function contentFor({ id }: Member, revision: number): number {
  const contents = CONTENTS.get(id) ?? [1, 1];
  CONTENTS.set(id, contents);
  for (let next = contents.length; next <= revision; next += 1) {
    const isSame = mixed(id.charCodeAt(0), id.charCodeAt(1), next) % 4 === 0;
    contents.push(isSame ? contents[next - 1]! : next);
  }
  return contents[revision]!;
}

export interface Pass {
  readonly input: RolloutInput;
  readonly result: Rollout;
  /** The members whose children were written. */
  readonly changed: readonly string[];
  /** Of children, and of the record. */
  readonly writes: number;
}

/** Members with one child each, the status of one Application, and what its users ask for. */
export class World {
  readonly members = new Map<string, Member>();
  readonly requests: { -readonly [K in keyof RolloutInput['requests']]: RolloutInput['requests'][K] } = {
    approved: undefined,
    retry: undefined,
    ignoreWindows: undefined,
    abort: undefined,
    paused: undefined,
  };
  spec: RolloutSpec;
  record: RolloutRecord | undefined;
  revision = 1;
  isWindowOpen = true;
  nowMs = Date.parse('2026-01-01T12:00:00Z');

  /** With `edits` of all, every revision changes all members. */
  constructor(
    spec: RolloutSpec,
    readonly edits: 'all' | 'some' = 'all',
  ) {
    this.spec = spec;
  }

  #contentFor(member: Member, revision: number): number {
    return this.edits === 'all' ? revision : contentFor(member, revision);
  }

  join(id: string, tier: string): void {
    const fresh = {
      content: undefined,
      health: 'progressing',
      isReachable: true,
      isPaused: false,
      isRejected: false,
    } as const;
    this.members.set(id, { id, tier, ...fresh });
  }

  #stateOf(member: Member): TargetState {
    if (member.isPaused) return 'left';
    if (member.isRejected) return 'rejected';
    if (member.content === undefined) return 'absent';
    if (member.content !== this.#contentFor(member, this.revision)) return 'outdated';
    return member.health === 'progressing' ? 'updating' : member.health;
  }

  targets(): Target[] {
    const members = [...this.members.values()];
    const clusters = members.map(({ id, tier }) => ({
      ...{ name: id, labels: { tier } },
      names: { short: id, full: id, key: id },
    }));
    const { stages } = assignStages(this.spec, clusters);
    const previous = previousRevision(this.record, this.revision);
    return members.map((member) => ({
      id: member.id,
      cluster: member.id,
      stage: stages.get(member.id)!,
      state: this.#stateOf(member),
      isAvailable: member.content !== undefined && member.health === 'ready',
      isFailed: member.content !== undefined && member.health === 'failed',
      isReachable: member.isReachable,
      isAtPrevious:
        previous !== undefined && !member.isRejected && member.content === this.#contentFor(member, previous),
      hasPrevious: previous !== undefined && !member.isRejected,
    }));
  }

  input(): RolloutInput {
    return {
      spec: this.spec,
      targets: this.targets(),
      record: this.record,
      revision: this.revision,
      previous: previousRevision(this.record, this.revision),
      requests: this.requests,
      windowAt: () => ({ open: this.isWindowOpen }),
      nowMs: this.nowMs,
    };
  }

  /** True if the child is written. */
  #move(id: string, move: Move, previous: number | undefined): boolean {
    const member = this.members.get(id)!;
    if ('hold' in move || member.isPaused || member.isRejected) return false;
    const content = this.#contentFor(member, move.to === 'target' ? this.revision : previous!);
    if (member.content === content) return false;
    member.content = content;
    member.health = 'progressing';
    return true;
  }

  /** One reconciliation, which may be killed. */
  pass(kill?: Kill): Pass {
    const input = this.input();
    const result = advance(input);
    const most = kill?.afterMoves ?? Number.POSITIVE_INFINITY;
    const changed: string[] = [];
    for (const [id, move] of result.moves)
      if (changed.length < most && this.#move(id, move, input.previous)) changed.push(id);
    const isWritten = kill?.isRecordFirst !== false;
    const isNew = isWritten && JSON.stringify(this.record) !== JSON.stringify(result.record);
    if (isWritten) this.record = result.record;
    return { input, result, changed, writes: changed.length + (isNew ? 1 : 0) };
  }

  /** A comparable copy of all that is left of the past. */
  snapshot(): unknown {
    return structuredClone({ members: [...this.members.values()], record: this.record });
  }
}
