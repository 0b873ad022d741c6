import type { SourceItem } from '#queries/answers/clusters.js';
import { sourceViews, type SourceObject } from '#queries/views/source-view.js';
import { cut } from '#lib/text/text.js';

const MOST_CHARACTERS = 500;
const shorten = (text: string): string => cut(text, MOST_CHARACTERS);

function textOf(value: unknown): string {
  return typeof value === 'string' ? shorten(value) : '';
}

/** Empty if it is no URL: nobody knows what in it is secret. */
function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return '';
  const { protocol, host, pathname } = new URL(url);
  // Its parts keep the whole in memory, with a query of any length.
  return shorten(structuredClone(`${protocol}//${host}${pathname}`));
}

/** What a spec of any kind of source says; it need not be as its schema wants it. */
function urlOf(spec: Readonly<Record<string, unknown>>): string {
  const { url, endpoint, bucketName } = spec;
  if (typeof url === 'string') return withoutCredentials(url);
  if (typeof endpoint !== 'string') return '';
  return withoutCredentials(`https://${endpoint}/${textOf(bucketName)}`).replace('https://', '');
}

function chartOf({ chart, sourceRef }: Readonly<Record<string, unknown>>): Pick<SourceItem, 'chart' | 'source'> {
  if (typeof chart !== 'string' || typeof sourceRef !== 'object' || sourceRef === null)
    return { chart: '', source: '' };
  const { kind, name } = sourceRef as { kind?: unknown; name?: unknown };
  return { chart: textOf(chart), source: `${textOf(kind)}/${textOf(name)}` };
}

/** Sources by kind and name. Never throws. */
export function sourceItems(sources: readonly SourceObject[]): SourceItem[] {
  const specs = new Map(sources.map(({ kind, metadata, spec = {} }) => [`${kind} ${metadata.name}`, spec]));
  return sourceViews(sources, []).map(({ kind, namespace, name, state, message, revision }) => {
    const spec = specs.get(`${kind} ${name}`) ?? {};
    const texts = { message: shorten(message), revision: shorten(revision) };
    return { kind, namespace, name, state, ...texts, url: urlOf(spec), ...chartOf(spec) };
  });
}
