import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { OverrunError, type Offload, type Task } from '#controllers/runtime/offload.js';
import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import { TransientError } from '#controllers/runtime/pure/errors.js';
import { parseJson } from '#controllers/runtime/pure/lossless-json.js';
import { readYaml } from '#controllers/runtime/pure/yaml.js';
import { canonicalIndex, chartIndex, type ChartEntry, type ChartIndex } from '../model/helm-index.js';

/** Files, for an index may have 50 MB: the text as it was fetched, and where to write what is kept of it. */
interface IndexFiles {
  /** Of the text: its files have other names each time. */
  readonly digest: string;
  readonly from: string;
  readonly to: string;
}

/** The sha256 of what is kept of an index, in hex, or why it is none. */
type IndexAnswer = { readonly hex: string } | { readonly problem: string };

const DEADLINE_MS = 60_000;

/** The index in a form that is the same whenever it says the same. */
function canonicalText(text: string): { readonly index: string } | { readonly problem: string } {
  const read = readYaml(text);
  if ('problem' in read) return read;
  const index = canonicalIndex(read.value);
  if (index !== undefined) return { index: canonicalJson(index) };
  return { problem: 'is not a Helm repository index (apiVersion and entries are missing): check spec.url' };
}

async function keepIndex({ from, to }: IndexFiles): Promise<IndexAnswer> {
  const read = canonicalText(await readFile(from, 'utf8'));
  if ('problem' in read) return read;
  await writeFile(to, read.index);
  return { hex: createHash('sha256').update(read.index).digest('hex') };
}

/** @public Called by its name: takes IndexFiles. */
export const keepIndexTask: Task = {
  module: import.meta.url,
  name: 'keepIndexTask',
  deadlineMs: DEADLINE_MS,
  run: async (input) => JSON.stringify(await keepIndex(JSON.parse(input) as IndexFiles)), // as keepIndexAside prints it
};

/** @public Called by its name: takes the path of an index that was kept. */
export const readIndexTask: Task = {
  module: import.meta.url,
  name: 'readIndexTask',
  deadlineMs: DEADLINE_MS,
  run: async (file) => {
    const index = canonicalIndex(parseJson(await readFile(file, 'utf8')));
    return JSON.stringify([...chartIndex(index?.entries ?? {})]);
  },
};

/** Makes of the text of an index what is kept of it, in another thread; `tenant` is whose it is. */
export async function keepIndexAside(
  offload: Pick<Offload, 'run'>,
  files: IndexFiles,
  tenant: string,
): Promise<IndexAnswer> {
  try {
    return JSON.parse(
      await offload.run({ ...keepIndexTask, key: files.digest }, JSON.stringify(files), tenant),
    ) as IndexAnswer; // as the task printed it
  } catch (error: unknown) {
    if (error instanceof OverrunError) return { problem: `${error.message} to read` };
    throw error;
  }
}

/**
 * The charts of an index that was kept, and the length of what was read of it. Throws TransientError `ChartPullError`
 * when that takes too long.
 */
export async function readIndexAside(
  offload: Pick<Offload, 'run'>,
  file: string,
  tenant: string,
): Promise<{ readonly charts: ChartIndex; readonly size: number }> {
  try {
    const text = await offload.run(readIndexTask, file, tenant);
    return { charts: new Map(JSON.parse(text) as [string, ChartEntry[]][]), size: text.length }; // as the task printed it
  } catch (error: unknown) {
    if (!(error instanceof OverrunError)) throw error;
    const message = `the index of the repository ${error.message} to read`;
    throw new TransientError(message, { reason: 'ChartPullError', cause: error });
  }
}
