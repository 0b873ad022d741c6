import type { Application } from '#api/v1alpha1/application.js';

/**
 * Releases that are being written, each with its Application: no other reconciliation can claim a release before the
 * child exists that holds it.
 */
export class Reservations {
  readonly #holders = new Map<string, Application>();

  /** Another Application that is about to hold a release. */
  otherOwner({ metadata }: Application, release: string): Application | undefined {
    const holder = this.#holders.get(release);
    return holder?.metadata.uid === metadata.uid ? undefined : holder;
  }

  /** Holds the releases as long as `work` takes. Nothing may be awaited since the look at them. */
  async during<T>(application: Application, releases: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const release of releases) this.#holders.set(release, application);
    try {
      return await work();
    } finally {
      for (const release of releases) {
        if (this.#holders.get(release) === application) this.#holders.delete(release);
      }
    }
  }
}
