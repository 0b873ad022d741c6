import { Refusal } from './refusal.js';

/** How many things may be open at a time, of one user and of all. */
export interface Crowd {
  readonly perUser: number;
  readonly total: number;
  /** What users call them, e.g. `streams`. */
  readonly what: string;
}

/** `open`: whose those are that are open, each once. Throws a Refusal (429) if one more of this user is too many. */
export function admit(open: readonly string[], username: string, { perUser, total, what }: Crowd): void {
  const own = open.filter((each) => each === username).length;
  if (own >= perUser) {
    throw new Refusal(429, `user ${JSON.stringify(username)} has ${own} ${what}: close one of them`);
  }
  if (open.length >= total) throw new Refusal(429, `there are too many ${what}: try again later`);
}
