import type { Unstructured } from '#api/meta.js';
import { isCrdFile, type ChartText } from './chart-traits.js';
import { objectsOf } from './manifest.js';
import type { ChartRecord } from './release.js';

/** What decides, in a chart or subchart, which of its subcharts are enabled. Helm skips names with `_` or `.` first. */
const DECISIVE = /^((?:charts\/[^/_.][^/]*\/)*)(Chart\.yaml|values\.yaml|requirements\.yaml|crds\/.+)$/;

/** A text of CRDs, and the file that it is from where that is known. */
export interface CrdText {
  readonly name?: string;
  readonly text: string;
}

/** Files of a chart's own crds/ folder. */
export function ownCrdTexts({ files }: Pick<ChartRecord, 'files'>): CrdText[] {
  const found = (files ?? []).filter(({ name }) => isCrdFile(name));
  return found.map(({ name, data }) => ({ name, text: Buffer.from(data, 'base64').toString() }));
}

/** The objects of these texts. Throws an Error naming the file that is not valid YAML. */
export function crdsOf(texts: readonly CrdText[]): Unstructured[] {
  return texts.flatMap(({ name, text }) => {
    try {
      return objectsOf(text);
    } catch (error: unknown) {
      if (name === undefined) throw error;
      throw new Error(`${name} is not valid YAML: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  });
}

/**
 * The chart without anything that is rendered: what helm prints of it by `--include-crds` are the crds/ of the chart
 * and its enabled subcharts, and nothing else. Subcharts get short names of their own: helm goes by their Chart.yaml.
 */
export function withoutTemplates(files: Iterable<ChartText>): ChartText[] {
  const numbers = new Map<string, number>();
  const shortName = (name: string): string => {
    if (!numbers.has(name)) numbers.set(name, numbers.size);
    return `n${String(numbers.get(name))}`;
  };
  return [...files].flatMap(({ path, text }) => {
    const [, folders = '', file = ''] = DECISIVE.exec(path) ?? [];
    if (file === '' || (file.startsWith('crds/') && !isCrdFile(file))) return [];
    const above = folders.replaceAll(/charts\/([^/]+)\//g, (_all, name: string) => `charts/${shortName(name)}/`);
    return [{ path: `${above}${file.startsWith('crds/') ? `crds/${shortName(path)}.yaml` : file}`, text }];
  });
}
