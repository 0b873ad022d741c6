import jsonPatch, { type Operation } from 'fast-json-patch';
import { listed } from '../../runtime/pure/listed.js';
import type { ChildSpec } from './types.js';

/** More paths than these are counted: an event is read by people. */
const MAX_PATHS = 4;

/** `/values/light/color` as a user writes it: `values.light.color`. */
function dotted(pointer: string): string {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

/** A field that only exists on the server, below one of ours, is a default of the schema: apply does not change it. */
function isDefault({ op, path }: Operation, desired: ChildSpec): boolean {
  const [, top = ''] = path.split('/');
  return op === 'remove' && top in desired && path !== `/${top}`;
}

/** The fields of the spec that differ, as dotted paths without their values (which may be secret). Never throws. */
export function changedPaths(live: ChildSpec, desired: ChildSpec): string[] {
  const operations = jsonPatch.compare(live, desired).filter((operation) => !isDefault(operation, desired));
  return [...new Set(operations.map(({ path }) => dotted(path)))].sort();
}

/** The paths for people: the first few, and how many more there are. */
export function listPaths(paths: readonly string[]): string {
  return listed(paths, MAX_PATHS);
}

const CHART_VERSION_PATH = 'chart.spec.version';

function chartVersion(spec: ChildSpec): string | undefined {
  // The chart template is ours or Flux's schema; anything else reads as no version.
  const chart = spec['chart'] as { spec?: { version?: string } } | undefined;
  return chart?.spec?.version;
}

/** The changed fields of the spec as paths; the chart version with both values. Field order does not matter. */
export function changesOf(live: ChildSpec, desired: ChildSpec): string {
  const [from, to] = [chartVersion(live), chartVersion(desired)];
  const paths = changedPaths(live, desired);
  if (from === to) return listPaths(paths);
  const others = paths.filter((path) => path !== CHART_VERSION_PATH);
  return listPaths([`chart version ${from ?? '*'} -> ${to ?? '*'}`, ...others]);
}
