import { printJson } from '#lib/lossless-json.js';
import { oneLine } from '#lib/one-line.js';
import { parseYaml } from '#lib/yaml.js';
import { harmlessJson, harmlessYaml } from '../terminal/text.js';
import type { ChildManifests, ManifestDocument } from './manifests.js';

function headOf({ child, cluster, namespace }: ChildManifests): string {
  const place = namespace === undefined ? '' : `, namespace ${namespace}`;
  return `# ${oneLine(`${child} on ${cluster}${place}`)}`;
}

function documentText({ path, text }: ManifestDocument): string[] {
  return ['---', ...(path === undefined ? [] : [`# Source: ${oneLine(path)}`]), harmlessYaml(text)];
}

/** All manifests as YAML, which kubectl takes; a comment before those of each child says whose they are, and where. */
export function manifestYaml(all: readonly ChildManifests[]): string {
  return all.flatMap((each) => [headOf(each), ...each.documents.flatMap(documentText)]).join('\n');
}

/** A List with one List for each child, which kubectl takes, and which says whose objects it has, and where they go. */
export function manifestJson(all: readonly ChildManifests[]): string {
  const list = { apiVersion: 'v1', kind: 'List' };
  const items = all.map(({ child, application, cluster, namespace, documents }) => ({
    ...{ ...list, child, application, cluster, namespace },
    items: documents.map(({ text }) => parseYaml(text)),
  }));
  return harmlessJson(printJson({ ...list, items }, 2));
}
