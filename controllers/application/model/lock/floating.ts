import type { Application } from '#api/v1alpha1/application.js';
import { isExactVersion } from '../inline-source.js';
import { helmReleaseOf, sourceReference } from '../flux-spec.js';
import { sourceText, type SourcePlace } from '../source-place.js';

/** The default interval at which a range is looked up. */
const INTERVAL = '10m';
const ANY = '*';

/** A chart of a Helm repository, by a range of its versions. */
export interface FloatingChart {
  readonly name: string;
  readonly version: string;
  readonly interval: string;
}

/** What an Application names, and what means something else one day although the Application says the same. */
export interface Floating {
  readonly source: SourcePlace;
  readonly chart: FloatingChart;
}

/** Identifies it among those of an Application, whatever it means. */
export function floatingText({ source, chart }: Floating): string {
  return `${sourceText(source)} ${chart.name} ${chart.version}`;
}

/** For people. */
export function describeFloating({ source, chart }: Floating): string {
  return `chart ${chart.name} ${chart.version} of ${source.kind} ${source.namespace}/${source.name}`;
}

function floatingChart(application: Application): Floating[] {
  const stated = helmReleaseOf(application)?.chart;
  const source = sourceReference(application);
  if (stated === undefined || source?.kind !== 'HelmRepository') return [];
  const { chart: name, version = ANY, interval = INTERVAL } = stated;
  if (isExactVersion(version)) return [];
  const { kind, namespace = '' } = source;
  return [{ source: { kind, namespace, name: source.name }, chart: { name, version, interval } }];
}

/** What floats in a valid Application whose templates are merged. Never throws. */
export function floatingOf(application: Application): Floating[] {
  return floatingChart(application);
}
