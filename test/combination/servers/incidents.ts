import { incidentNames, Judge, momentAfter, readIncident } from '../incidents/judge.js';
import type { Deployment, Facts } from '../incidents/facts.js';
import type { Step } from '../story/steps.js';
import { adaptedIncident } from './adapted.js';
import type { Fleet } from './fleet.js';
import { playAdapted } from './play.js';
import type { ReleaseRevision, Stage } from './stage.js';

/** Collects what real clusters had, also of releases that are gone. */
class Deployments {
  readonly #found = new Map<string, Deployment>();

  add(revisions: readonly ReleaseRevision[]): void {
    for (const { cluster, name, content, number, firstDeployed, lastDeployed } of revisions) {
      const key = [cluster, name, firstDeployed, number].join();
      if (!this.#found.has(key)) this.#found.set(key, { cluster, name, content, atMs: Date.parse(lastDeployed) });
    }
  }

  list(): Deployment[] {
    return [...this.#found.values()].sort((a, b) => a.atMs - b.atMs);
  }
}

function newestOf(revisions: readonly ReleaseRevision[]): ReleaseRevision[] {
  const isNewest = ({ cluster, name, number }: ReleaseRevision): boolean =>
    !revisions.some((each) => each.cluster === cluster && each.name === name && each.number > number);
  return revisions.filter(isNewest);
}

async function factsOn(stage: Stage, deployments: Deployments): Promise<Facts> {
  const [applications, children, revisions] = await Promise.all([
    stage.applications(),
    stage.children(),
    stage.revisions(),
  ]);
  deployments.add(revisions);
  const releases = newestOf(revisions).map(({ cluster, name, content, firstDeployed }) => ({
    ...{ cluster, name, content, instance: firstDeployed },
  }));
  return {
    ...{ applications: stage.names.fromReal(applications), children: stage.names.fromReal(children) },
    ...{ releases, deployments: deployments.list() },
  };
}

/** Incidents of three members at most that take seconds on an idle machine; in others, somebody waits for longer. */
export const QUICK: readonly string[] = [
  'all-clusters-leave-the-inventory',
  'cluster-has-no-label-yet',
  'overrides-go-with-their-destination',
  'selector-that-matches-nothing',
];

/** The other ones. */
export function slowIncidents(): string[] {
  return incidentNames().filter((name) => !QUICK.includes(name));
}

/** Playings of incidents, all at the same time. */
export class Playings {
  readonly #problems: ReadonlyMap<string, Promise<readonly string[]>>;

  constructor(fleet: Fleet, names: readonly string[]) {
    this.#problems = new Map(names.map((name, index) => [name, problemsOf(fleet, index + 1, name)]));
  }

  /** The findings in one of them, once it has ended. */
  problems(name: string): Promise<readonly string[]> {
    return this.#problems.get(name) ?? Promise.resolve([`${name} is not played`]);
  }
}

/** An error is a problem, too: nobody may be listening yet. */
async function problemsOf(fleet: Fleet, number: number, name: string): Promise<readonly string[]> {
  try {
    return await problemsOnServers(fleet, number, name);
  } catch (error: unknown) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
}

/** Plays an incident on real servers. Returns what is wrong: in the expectations, or between both worlds. */
async function problemsOnServers(fleet: Fleet, number: number, name: string): Promise<string[]> {
  const judge = new Judge(name);
  const deployments = new Deployments();
  const problems: string[] = [];
  const onSettled = async (step: Step, stage: Stage): Promise<void> => {
    const moment = momentAfter(step);
    if (moment !== undefined) problems.push(...judge.judge(moment, await factsOn(stage, deployments)));
  };
  const story = adaptedIncident(readIncident(name));
  const { apart } = await playAdapted(fleet, number, story, { onSettled, isLeft: true });
  const differences = (apart?.differences ?? []).map(
    ({ what, inMemory, real }) =>
      `apart after ${apart?.after ?? ''}: ${what}: in memory ${inMemory ?? 'nothing'}, real ${real ?? 'nothing'}`,
  );
  return [...problems, ...differences, ...judge.missed().map((moment) => `${moment}: this moment did not come`)];
}
