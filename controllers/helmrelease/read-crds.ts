import type { Unstructured } from '#api/meta.js';
import { answerOf, type Offload, type Task } from '#runtime/isolation/offload.js';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import { crdsOf, ownCrdTexts, type CrdText } from './model/crds.js';
import type { ChartRecord } from './model/release.js';

export type ReadCrds = { readonly crds: readonly Unstructured[] } | { readonly problem: string };

/** Shorter texts are read faster than they are handed to another thread. */
const SMALL = 64 * 1024;
/** Of all CRDs of one chart: far above real ones. */
export const MOST_CRD_TEXT = 16 * 1024 * 1024;

function read(texts: readonly CrdText[]): ReadCrds {
  try {
    return { crds: crdsOf(texts) };
  } catch (error: unknown) {
    if (!(error instanceof Error)) throw error;
    return { problem: `the CRDs of the chart cannot be read: ${error.message}` };
  }
}

/** @public Called by its name. */
export const readCrdsTask: Task = {
  module: import.meta.url,
  name: 'readCrdsTask',
  deadlineMs: 30_000,
  run: (input) => printJson(read(JSON.parse(input) as CrdText[])), // as readCrdsAside prints it
};

/**
 * The objects of these texts, or why they cannot be read; long texts are read in a worker thread. `tenant`: their
 * owner.
 */
export async function readCrdsAside(
  offload: Pick<Offload, 'run'>,
  texts: readonly CrdText[],
  { chart, tenant }: { readonly chart: string; readonly tenant: string },
): Promise<ReadCrds> {
  const length = texts.reduce((sum, { text }) => sum + text.length, 0);
  if (length > MOST_CRD_TEXT)
    return { problem: `the CRDs of chart ${chart} have more than ${MOST_CRD_TEXT} characters` };
  if (length <= SMALL) return read(texts);
  return answerOf<ReadCrds>(
    offload.run(readCrdsTask, JSON.stringify(texts), tenant),
    ({ message }) => ({ problem: `the CRDs of chart ${chart} cannot be read: that ${message}` }),
    parseJson,
  );
}

/** Undefined if the record lacks a field that Helm always writes: other writers may omit any. */
function ownTexts(chart: Pick<ChartRecord, 'files' | 'metadata'>): { texts: CrdText[]; chart: string } | undefined {
  try {
    return { texts: ownCrdTexts(chart), chart: chart.metadata.name };
  } catch {
    return undefined;
  }
}

/**
 * Names of the CRDs in the charts' own crds/ folders; undefined if one cannot be read, since it might contain any CRD.
 * Successive revisions share most files of their charts.
 */
export async function ownCrdNames(
  offload: Pick<Offload, 'run'>,
  charts: readonly Pick<ChartRecord, 'files' | 'metadata'>[],
  tenant: string,
): Promise<ReadonlySet<string> | undefined> {
  const known = new Set<string>();
  const names = new Set<string>();
  for (const chart of charts) {
    const own = ownTexts(chart);
    if (own === undefined) return undefined;
    const texts = own.texts.filter(({ text }) => !known.has(text));
    const read = await readCrdsAside(offload, texts, { chart: own.chart, tenant });
    if ('problem' in read) return undefined;
    for (const { text } of texts) known.add(text);
    for (const { metadata } of read.crds) names.add(metadata.name);
  }
  return names;
}
