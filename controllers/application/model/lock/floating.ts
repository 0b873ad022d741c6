import type { Application } from '#api/v1alpha1/application.js';
import { isExactVersion } from '../inline-source.js';
import { helmReleaseOf, kustomizationOf, sourceReference } from '../flux-spec.js';
import { placesIn, sourceText, type SourcePlace } from '../source-place.js';

/** The default interval at which a range is looked up. */
const INTERVAL = '10m';
const ANY = '*';
const CHARTS = 'HelmRepository';

/** A chart of a Helm repository, by a range of its versions. */
export interface FloatingChart {
  readonly name: string;
  readonly version: string;
  readonly interval: string;
}

/** A version range of a chart. */
export interface FloatingRange {
  readonly source: SourcePlace;
  readonly chart: FloatingChart;
}

/** What an Application names, and what means something else one day although the Application says the same. */
export type Floating = FloatingRange | { readonly source: SourcePlace; readonly chart?: undefined };

/** Identifies it among those of an Application, whatever it means. */
export function floatingText({ source, chart }: Floating): string {
  return chart === undefined ? sourceText(source) : `${sourceText(source)} ${chart.name} ${chart.version}`;
}

/** For people. */
export function describeFloating({ source, chart }: Floating): string {
  const shown = `${source.kind} ${source.namespace}/${source.name}`;
  return chart === undefined ? shown : `chart ${chart.name} ${chart.version} of ${shown}`;
}

function floatingChart(application: Application): Floating[] {
  const stated = helmReleaseOf(application)?.chart;
  const source = sourceReference(application);
  if (stated === undefined || source?.kind !== CHARTS) return [];
  const { chart: name, version = ANY, interval = INTERVAL } = stated;
  if (isExactVersion(version)) return [];
  const { kind, namespace = '' } = source;
  return [{ source: { kind, namespace, name: source.name }, chart: { name, version, interval } }];
}

/** The source that an entry has from its template, whatever the Application names. */
export function ownReference(fields: object): unknown {
  return 'sourceRef' in fields ? fields.sourceRef : undefined;
}

/** The sources whose files or charts have no version but their own. */
function floatingSources(application: Application): Floating[] {
  const files = kustomizationOf(application) ?? [];
  const isNamed = helmReleaseOf(application) !== undefined || files.some((each) => ownReference(each) === undefined);
  const references = [...(isNamed ? [sourceReference(application)] : []), ...files.map(ownReference)];
  const places = references.flatMap((each) => placesIn(each, application.metadata.namespace));
  const found = new Map(places.filter(({ kind }) => kind !== CHARTS).map((each) => [sourceText(each), each]));
  return [...found.values()].map((source) => ({ source }));
}

/** What may float in a valid Application whose templates are merged. Never throws. */
export function floatingOf(application: Application): Floating[] {
  return [...floatingChart(application), ...floatingSources(application)];
}
