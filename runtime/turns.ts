import { setImmediate as turn } from 'node:timers/promises';

/** Milliseconds of work after which the event loop gets a turn. */
const TURN_MS = 5;

/** Lets others have the thread again and again during a long computation. */
export class Turns {
  #begun = performance.now();

  /** Called between two parts of the computation. */
  async rest(): Promise<void> {
    if (performance.now() - this.#begun < TURN_MS) return;
    await turn();
    this.#begun = performance.now();
  }
}

/** `work` for each item, in turns with what else the process does. */
export async function inTurns<In, Out>(items: readonly In[], work: (item: In) => Out): Promise<Out[]> {
  const all: Out[] = [];
  const turns = new Turns();
  for (const item of items) {
    all.push(work(item));
    await turns.rest();
  }
  return all;
}
