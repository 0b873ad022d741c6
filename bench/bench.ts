/** One benchmark: returns plain data; keys that start with `ratio` compare figures of this very run. */
export type Bench = (options: { full: boolean }) => Promise<Record<string, unknown>>;
