/** Objects at a time. */
export const PARALLEL = 20;

/** What reconciles the objects of one cluster, until it is stopped. */
export interface Engine {
  readonly stop: () => Promise<void>;
}
