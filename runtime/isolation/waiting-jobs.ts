import { FairSum, type Share } from '#lib/fair-sum.js';
import { TransientError } from '#lib/errors.js';

/** A task with its input. */
interface Job {
  readonly task: { readonly name: string };
  readonly input: string;
  readonly tenant: string;
  readonly reject: (error: Error) => void;
}

interface Waiting<T> {
  readonly job: T;
  readonly share: Share;
}

/** Characters of the inputs of all tenants. */
const MOST_CHARACTERS = 128 * 1024 * 1024;

/** Jobs that wait for a child process. Tenants take turns. */
export class WaitingJobs<T extends Job> {
  readonly #waiting = new Map<string, readonly Waiting<T>[]>();
  readonly #sum = new FairSum(MOST_CHARACTERS);

  /** It is rejected, to be tried again, when its tenant has the longest inputs and all have too long ones together. */
  add(job: T): void {
    const { tenant, input } = job;
    const share = this.#sum.share(tenant, () => {
      this.#set(
        tenant,
        this.#of(tenant).filter((waiting) => waiting.job !== job),
      );
      job.reject(
        new TransientError(`too much of what ${tenant} wrote waits to be read at once: some of it is read later`),
      );
    });
    this.#set(tenant, [...this.#of(tenant), { job, share }]);
    share.grow(input.length);
  }

  /** How many jobs of a tenant have a task of this name. */
  count(tenant: string, name: string): number {
    return this.#of(tenant).filter(({ job }) => job.task.name === name).length;
  }

  /** Takes the first job of the tenant that comes next and is not busy. */
  next(busy: ReadonlySet<string | undefined>): T | undefined {
    for (const [tenant, [first, ...others]] of this.#waiting) {
      if (first === undefined || busy.has(tenant)) continue;
      this.#waiting.delete(tenant);
      this.#set(tenant, others); // At the end: the others come first.
      first.share.end();
      return first.job;
    }
    return undefined;
  }

  rejectAll(error: Error): void {
    for (const { job, share } of [...this.#waiting.values()].flat()) {
      share.end();
      job.reject(error);
    }
    this.#waiting.clear();
  }

  #of(tenant: string): readonly Waiting<T>[] {
    return this.#waiting.get(tenant) ?? [];
  }

  #set(tenant: string, jobs: readonly Waiting<T>[]): void {
    if (jobs.length === 0) this.#waiting.delete(tenant);
    else this.#waiting.set(tenant, jobs);
  }
}
