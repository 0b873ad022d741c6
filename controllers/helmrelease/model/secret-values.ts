import type { HelmReleaseSpec } from '#api/flux/helm-release.js';
import { leavesOf, type KnownTexts } from '#engine/flux/model/secret-texts.js';
import { printJson } from '#lib/json/lossless-json.js';
import { documentsOf } from './manifest.js';
import type { ChartRecord, ReleaseRecord } from './release.js';

/**
 * True if values of the manifest may come from Secrets, whose readers may be fewer than those of the status: by
 * reference, by values of an earlier revision, or by a chart that looks them up.
 */
export function hidesValues(
  { valuesFrom = [], upgrade }: Pick<HelmReleaseSpec, 'valuesFrom' | 'upgrade'>,
  { usesLookup }: { readonly usesLookup: boolean },
): boolean {
  return valuesFrom.some(({ kind }) => kind === 'Secret') || upgrade?.preserveValues === true || usesLookup;
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** The texts of a chart, which anybody may know. A subchart is not read. A forged release may have no chart. */
export function textsOfChart({ metadata, values, schema, templates }: Partial<ChartRecord> = {}): KnownTexts {
  const files = (templates ?? []).map(({ data }) => decoded(data));
  return { public: [printJson(metadata ?? null), printJson(values ?? null), decoded(schema ?? ''), ...files] };
}

/** The documents of a manifest and of hooks that may have Secrets. */
export function secretDocuments({ manifest, hooks = [] }: Pick<ReleaseRecord, 'manifest' | 'hooks'>): string[] {
  const texts = [manifest, ...hooks.map((hook) => hook.manifest ?? '')];
  return texts.flatMap(documentsOf).filter((text) => /\bkind["']?:\s*["']?(Secret|\w*List)\b/.test(text));
}

/**
 * Texts that a revision may have from Secrets: it does not say where its values came from. `rendered`: those of its
 * Secrets.
 */
export function textsOfRecord({ config, chart }: ReleaseRecord, rendered: KnownTexts): KnownTexts {
  const doubtful = [...leavesOf(config).values, ...(rendered.doubtful ?? [])];
  return { ...rendered, ...textsOfChart(chart), doubtful };
}
