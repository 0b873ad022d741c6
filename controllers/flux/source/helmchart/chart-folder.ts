import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TerminalError } from '../../../runtime/pure/errors.js';
import { parseYaml, printYaml } from '../../../runtime/pure/yaml.js';
import type { HelmChart } from '../model/types.js';
import { mergeValues, pathWithin } from '../model/values-files.js';

/** A chart as files on the disk. */
export interface ChartFolder {
  /** Absolute; holds Chart.yaml. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
}

const VALUES = 'values.yaml';

async function readOptional(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error: unknown) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}

function readMap(text: string, what: string, reason: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error: unknown) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    throw new TerminalError(reason, `${what} is not valid YAML: ${why}`, { cause: error });
  }
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new TerminalError(reason, `${what} is not a map`);
  // An object that is no list: a map with text keys, as parseYaml makes them.
  return value as Record<string, unknown>;
}

/** A text field as Helm reads it: `version: 2` is text, too. Empty when there is none. */
function scalarText(value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? String(value) : '';
}

/** The chart in `folder`. `shown` names it in messages. Throws TerminalError `InvalidChartReference`. */
export async function readChartFolder(folder: string, shown: string): Promise<ChartFolder> {
  const reason = 'InvalidChartReference';
  const text = await readOptional(path.join(folder, 'Chart.yaml'));
  if (text === undefined) {
    throw new TerminalError(reason, `${shown} holds no Chart.yaml: correct spec.chart`);
  }
  const fields = readMap(text, `Chart.yaml of ${shown}`, reason);
  const [name, version] = [scalarText(fields['name']), scalarText(fields['version'])];
  if (name === '' || version === '') {
    throw new TerminalError(reason, `Chart.yaml of ${shown} lacks name or version`);
  }
  return { path: folder, name, version };
}

/**
 * Puts the merged `spec.valuesFiles` in the place of the chart's values.yaml and returns those that were merged; none:
 * nothing happens. `root` is what the paths are relative to. Throws TerminalError `ValuesFilesError`.
 */
export async function mergeValuesFiles({ spec }: HelmChart, root: string, chart: ChartFolder): Promise<string[]> {
  const files = spec.valuesFiles ?? [];
  const merged: string[] = [];
  let values: Record<string, unknown> = {};
  for (const file of files) {
    const text = await readOptional(path.join(root, ...pathWithin(file)));
    if (text === undefined) {
      if (spec.ignoreMissingValuesFiles === true) continue;
      const message = `values file '${file}' named by spec.valuesFiles does not exist in the source: correct the path, or set spec.ignoreMissingValuesFiles`;
      throw new TerminalError('ValuesFilesError', message);
    }
    values = mergeValues(values, readMap(text, `values file '${file}'`, 'ValuesFilesError'));
    merged.push(file);
  }
  if (merged.length > 0) await writeFile(path.join(chart.path, VALUES), printYaml(values));
  return merged;
}
