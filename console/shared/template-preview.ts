import type { Application } from '#api/v1alpha1/application.js';
import type { Template } from '#api/v1alpha1/template.js';
import { parseReference, templatePlaces } from '#controllers/application/model/spec/template-lookup.js';
import { templateUses } from '#controllers/application/model/destinations/template-use.js';
import { isMap } from '#lib/plain.js';
import { keyOf } from '#lib/kube/keys.js';
import { Refusal } from './refusal.js';

/** What a template would be: what it was at a revision, or a spec. */
export type AskedTemplate = { readonly revision: number } | { readonly spec: Readonly<Record<string, unknown>> };

/** Throws a Refusal (400) that names the field. */
export function askedTemplateIn(body: unknown): AskedTemplate {
  if (!isMap(body)) throw new Refusal(400, 'the body is not an object');
  const { revision, spec, ...others } = body;
  const [odd] = Object.keys(others);
  if (odd !== undefined) {
    throw new Refusal(400, `${JSON.stringify(odd)} is no field of the body; only revision and spec are`);
  }
  if ((revision === undefined) === (spec === undefined)) throw new Refusal(400, 'send either revision or spec');
  if (spec === undefined) {
    if (Number.isSafeInteger(revision) && Number(revision) > 0) return { revision: Number(revision) };
    throw new Refusal(400, 'revision: it must be a whole number from 1');
  }
  if (!isMap(spec)) throw new Refusal(400, 'spec: it must be an object');
  return { spec };
}

/** The revisions of a template at which an Application stays: what becomes of the template does not reach it there. */
export function pinnedRevisions(application: Application, { kind, metadata }: Template): number[] {
  const uses = templateUses(application).filter((use) => use.kind === kind);
  const own = uses.filter((use) => templatePlaces(use).some((place) => keyOf(place) === keyOf(metadata)));
  const pinned = own.flatMap(({ text }) => parseReference(text)?.revision ?? []);
  return [...new Set(pinned)].sort((one, other) => one - other);
}
