import type { Unstructured } from '#api/meta.js';
import { subjectOf, targetOf } from '#engine/member/model/inventory.js';
import { YamlError } from '#lib/yaml/yaml.js';
import { isTemplate, objectsOf } from './objects.js';
import { textOf } from './substitution/bytes.js';
import { Substitution, type Variables } from './substitution/substitute.js';

/** What a build gives, with its variables substituted. */
export interface ReadManifests {
  readonly objects: readonly Unstructured[];
  /** Of the manifests: its digest is that of the history. */
  readonly text: string;
  /** Values from Secrets that may be in the objects: no message shows them. */
  readonly secrets: readonly string[];
}

export type ManifestProblem = { readonly problem: string };

/** kustomize begins a line with this only between two objects. */
export const SEPARATOR = /^---\n/m;

/** A reason may quote a value, or a part of one, which no mask finds. */
function invalidYaml(error: unknown, hasSecrets: boolean): string {
  if (hasSecrets) return error instanceof YamlError ? error.place : 'why is withheld, because it may quote a Secret';
  return error instanceof Error ? error.message : '';
}

/** One document. */
function substituted(
  document: string,
  substitution: Substitution,
): Pick<ReadManifests, 'objects' | 'text'> | ManifestProblem {
  const objects = objectsOf(document);
  const [object] = objects;
  if (object === undefined || !isTemplate(object)) return { objects, text: document };
  const subject = subjectOf(targetOf(object));
  const result = substitution.substitute(document);
  if ('problem' in result) return { problem: `${subject}: ${result.problem}` };
  if (result.text === document) return { objects, text: document };
  try {
    const [changed] = objectsOf(result.text);
    if (changed !== undefined) return { objects: [changed], text: result.text };
    return { problem: `${subject}: the substitution leaves no object: correct the values of its variables` };
  } catch (error: unknown) {
    const wayOut = 'quote the text, or correct the values of its variables';
    const why = invalidYaml(error, substitution.hasSecrets);
    return { problem: `${subject}: the substitution leaves invalid YAML: ${why}: ${wayOut}` };
  }
}

function secretsOf(variables: Variables, { secrets }: Substitution): string[] {
  const values = [...variables.values()].filter(({ isSecret }) => isSecret).map(({ value }) => value);
  return [...values, ...secrets].flatMap((bytes) => textOf(bytes) ?? []);
}

/** Without `variables`, nothing is substituted. Throws what parseYaml throws for text that kustomize did not print. */
export function manifestsOf(text: string, variables: Variables | undefined): ReadManifests | ManifestProblem {
  if (variables === undefined) return { objects: objectsOf(text), text, secrets: [] };
  const substitution = new Substitution(variables);
  const results: Pick<ReadManifests, 'objects' | 'text'>[] = [];
  for (const document of text.split(SEPARATOR)) {
    const result = substituted(document, substitution);
    if ('problem' in result) return { problem: `post build failed: ${result.problem}` };
    results.push(result);
  }
  return {
    objects: results.flatMap(({ objects }) => objects),
    text: results.map((result) => result.text).join('---\n'),
    secrets: secretsOf(variables, substitution),
  };
}
