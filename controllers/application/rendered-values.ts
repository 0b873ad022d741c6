import { answerOf, type Offload, type Task } from '../runtime/offload.js';
import { parseJson, printJson } from '../runtime/pure/lossless-json.js';
import { parseYaml } from '../runtime/pure/yaml.js';
import { askDivided, type Answered } from './ask-divided.js';
import type { Layer } from './model/child/layers.js';
import { renderedMap } from './model/destinations/values-template.js';

/** What a text renders to for one cluster. */
export type Rendered =
  | { readonly values: Layer }
  /** `lacksKey`: the template prints a key that the cluster lacks. */
  | { readonly problem: string; readonly retryAfterMs?: number; readonly lacksKey?: boolean };

/** Texts of one task. */
const AT_ONCE = 200;
/** What cost too much is not tried again before. */
export const RETRY_MS = 600_000;
/** What others left no time for. */
export const NEXT_MS = 60_000;
const POSTPONED = 'it is not read yet, because what it renders to for many other clusters cost too much';

function readOne(text: string): Rendered {
  try {
    return renderedMap(parseYaml(text));
  } catch (error: unknown) {
    const [line = ''] = (error as Error).message.split('\n', 1); // parsers throw errors
    return {
      problem: `it does not render to YAML: ${line}: print texts with "quote", and lists and maps with "toJson"`,
    };
  }
}

function read(input: string): string {
  return printJson((JSON.parse(input) as string[]).map(readOne)); // as answers prints it
}

/** @public Called by its name. Anchors of YAML can make much of little text. */
export const readValuesTask: Task = { module: import.meta.url, name: 'readValuesTask', deadlineMs: 5_000, run: read };

/** @public Called by its name: for parts of what took too long. */
export const readPartTask: Task = { module: import.meta.url, name: 'readPartTask', deadlineMs: 2_000, run: read };

/** The values that texts are the YAML of, in their order. A text that costs too much fails alone. */
export function readRenderedValues(
  texts: readonly string[],
  offload: Pick<Offload, 'run'>,
  tenant: string,
): Promise<readonly Rendered[]> {
  return askDivided<string, Rendered>(texts, {
    atOnce: AT_ONCE,
    ask: (part, isPart) =>
      answerOf<Answered<Rendered>>(
        offload.run(isPart ? readPartTask : readValuesTask, JSON.stringify(part), tenant),
        ({ message }) => ({ overrun: message }),
        (output) => ({ answers: parseJson(output) as Rendered[] }), // as the task printed it
      ),
    refused: (why) => ({ problem: `reading what it renders to ${why}`, retryAfterMs: RETRY_MS }),
    postponed: { problem: POSTPONED, retryAfterMs: NEXT_MS },
  });
}
