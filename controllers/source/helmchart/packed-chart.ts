import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { list, type ReadEntry } from 'tar';
import { isCompressed, PLAIN_TAR } from '#engine/artifact/archive.js';
import { machineProblem } from '#engine/artifact/disk-error.js';

const CHART_YAML = /^[^/]+\/Chart\.yaml$/;

/** What several archives may have together. */
export interface ArchiveBudget {
  /** Left of the bytes after decompression; negative once there were too many. */
  bytes: number;
}

/**
 * The Chart.yaml of a packaged chart, of which nothing else is kept; undefined when it cannot be read, or when `budget`
 * is spent. Throws when the signal is aborted, and what the disk throws.
 */
export async function packedChartYaml(
  file: string,
  budget: ArchiveBudget,
  signal: AbortSignal,
): Promise<string | undefined> {
  let chunks: Buffer[] | undefined;
  const onReadEntry = (entry: ReadEntry): void => {
    if (!CHART_YAML.test(entry.path)) return;
    const own: Buffer[] = [];
    chunks = own;
    entry.on('data', (chunk: Buffer) => own.push(chunk));
  };
  const parser = list({ ...PLAIN_TAR, strict: true, onReadEntry });
  let failure: Error | undefined;
  parser.on('error', (error: Error) => (failure ??= error));
  const feed = async (source: AsyncIterable<Buffer>): Promise<void> => {
    let isFirst = true;
    for await (const chunk of source) {
      budget.bytes -= chunk.length;
      if (budget.bytes < 0) throw new Error('too many bytes');
      if (isFirst && isCompressed(chunk)) throw new Error('compressed twice');
      isFirst = false;
      parser.write(chunk);
      if (failure !== undefined) throw failure;
    }
    parser.end();
  };
  try {
    await pipeline(createReadStream(file), createGunzip(), feed, { signal });
  } catch (error: unknown) {
    signal.throwIfAborted();
    if (machineProblem(error) !== undefined) throw error;
    return undefined;
  }
  return failure === undefined && chunks !== undefined ? Buffer.concat(chunks).toString() : undefined;
}
