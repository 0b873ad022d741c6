import type { Unstructured } from '../../../../api/meta.js';
import { isCrdFile, type ChartText } from './chart-traits.js';
import { objectsOf } from './manifest.js';
import type { ChartRecord } from './release.js';

/** What decides, in a chart or subchart, which of its subcharts are enabled. Helm skips names with `_` or `.` first. */
const DECISIVE = /^((?:charts\/[^/_.][^/]*\/)*)(Chart\.yaml|values\.yaml|requirements\.yaml|crds\/.+)$/;

/** Files of a chart's own crds/ folder, read. Throws an Error naming the file that is not valid YAML. */
export function ownCrds({ files }: Pick<ChartRecord, 'files'>): Unstructured[] {
  const texts = (files ?? []).filter(({ name }) => isCrdFile(name));
  return texts.flatMap(({ name, data }) => {
    try {
      return objectsOf(Buffer.from(data, 'base64').toString());
    } catch (error: unknown) {
      throw new Error(`${name} is not valid YAML: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  });
}

/** Names of the CRDs in the charts' own crds/ folders. What cannot be read names none. */
export function ownCrdNames(charts: readonly Pick<ChartRecord, 'files'>[]): Set<string> {
  const names = charts.flatMap((chart) => {
    try {
      return ownCrds(chart).map(({ metadata }) => metadata.name);
    } catch {
      return [];
    }
  });
  return new Set(names);
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
