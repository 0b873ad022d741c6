import { Listr } from 'listr2';

/** Shows one line of progress. */
export type Say = (line: string) => void;

/** Runs one titled piece of work, showing what it says while it runs, and returns its result. */
export async function step<T>(title: string, work: (say: Say) => Promise<T>): Promise<T> {
  const results: T[] = [];
  const task = {
    title,
    rendererOptions: { persistentOutput: false, outputBar: 6 },
    task: async (_context: unknown, shown: { output: string }): Promise<void> => {
      results.push(
        await work((line) => {
          shown.output = line;
        }),
      );
    },
  };
  const options = { fallbackRendererCondition: () => !process.stdout.isTTY, registerSignalListeners: false };
  await new Listr([task], options).run();
  // The list of one task has run to its end, or thrown.
  return results[0] as T;
}
