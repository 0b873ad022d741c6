import type { ControllerProcess } from '#sandbox/controller-process.js';

/** How a controller ends by itself although nothing is wrong with it: a busy machine cost it its Lease, or its port. */
const BY_DESIGN = /this process exits|EADDRINUSE/;
/** More than that is no busy machine. */
const MOST_RESTARTS = 5;

/** A controller that is started anew when it exits, as a Deployment does. */
export interface Supervised {
  /** The one that runs now. */
  readonly current: ControllerProcess;
  /** Ends it, does something while none runs, and starts another one. */
  readonly restart: (how: 'kill' | 'stop', meanwhile?: () => Promise<void>) => Promise<void>;
  /** Ends it for good. Throws when one exited for another reason than by design. */
  readonly stop: () => Promise<void>;
}

/** Starts what `start` starts and keeps one of it running until `stop`. */
export async function supervise(start: () => Promise<ControllerProcess>): Promise<Supervised> {
  const exits: string[] = [];
  let current = await start();
  let replacing: Promise<void> = Promise.resolve();
  let isEnding = false;

  const watch = (running: ControllerProcess): void => {
    running.failure.catch((error: unknown) => {
      // The end of one that was ended on purpose is told late.
      if (!isEnding && running === current) replacing = replace(String(error));
    });
  };
  const begin = async (): Promise<void> => {
    current = await start();
    watch(current);
  };
  const replace = async (exit: string): Promise<void> => {
    if (exits.push(exit) <= MOST_RESTARTS) await begin();
  };
  const end = async (how: 'kill' | 'stop'): Promise<void> => {
    isEnding = true;
    await replacing;
    await current[how]();
  };

  watch(current);
  return {
    get current() {
      return current;
    },
    restart: async (how, meanwhile) => {
      await end(how);
      try {
        await meanwhile?.();
      } finally {
        await begin();
        isEnding = false;
      }
    },
    stop: async () => {
      await end('stop');
      const crashes = exits.filter((exit) => !BY_DESIGN.test(exit));
      if (crashes.length > 0) throw new Error(`the controller crashed: ${crashes.join('\n')}`);
    },
  };
}
