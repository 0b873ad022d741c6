import { readdirSync, readFileSync } from 'node:fs';
import type { Invariant } from '../invariants/types.js';
import type { Step, Story } from '../story/steps.js';
import { EXPECTED } from './expected.js';
import { factsInMemory, type Facts } from './facts.js';

/** A step after which the expectations of a moment must hold. */
type Marked = Step & { readonly moment?: string };

/** The story of something that happened to users of another tool. */
export interface Incident extends Story {
  readonly about: string;
  /** Address of the thread that reports it. */
  readonly thread: string;
  /** `incident`, or an invariant: what fails today. Whoever makes it hold removes this. */
  readonly knownFailure?: string;
  readonly steps: readonly Marked[];
}

/** The name under which the expectations of an incident report. */
export const INCIDENT = 'incident';

/** The names of all incidents. */
export function incidentNames(): string[] {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.json'));
  return files.map((file) => file.slice(0, -'.json'.length)).sort();
}

/** An incident by its name. */
export function readIncident(name: string): Incident {
  return JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8')) as Incident; // a file of ours
}

/** The moments of an incident, in order. */
export function momentsOf({ steps }: Incident): string[] {
  return steps.flatMap(({ moment }) => (moment === undefined ? [] : [moment]));
}

/** The moment after a step, if it has one. */
export function momentAfter(step: Step): string | undefined {
  return (step as Marked).moment; // undefined for a step of another story
}

/** Compares one playing of an incident with its expectations. */
export class Judge {
  readonly #name: string;
  readonly #facts = new Map<string, Facts>();

  constructor(name: string) {
    this.#name = name;
  }

  /** Returns what is wrong at a moment. */
  judge(moment: string, now: Facts): string[] {
    this.#facts.set(moment, now);
    const expectation = EXPECTED[this.#name]?.[moment];
    if (expectation === undefined) return [`${moment}: nothing is expected`];
    return expectation(now, (earlier) => this.#at(earlier)).map((problem) => `${moment}: ${problem}`);
  }

  /** The moments of the expectations that did not come. */
  missed(): string[] {
    return Object.keys(EXPECTED[this.#name] ?? {}).filter((moment) => !this.#facts.has(moment));
  }

  #at(moment: string): Facts {
    const facts = this.#facts.get(moment);
    if (facts === undefined) throw new Error(`${this.#name}: the moment "${moment}" has not come`);
    return facts;
  }
}

/** The expectations of an incident, for the world in memory. */
export function expectationsOf(name: string): () => Invariant {
  return () => {
    const judge = new Judge(name);
    let moment: string | undefined;
    return {
      name: INCIDENT,
      onStep: (step) => {
        moment = momentAfter(step);
        return [];
      },
      onSettled: ({ world }) => (moment === undefined ? [] : judge.judge(moment, factsInMemory(world))),
      onEnd: () => judge.missed().map((each) => `${each}: this moment did not come`),
    };
  };
}
