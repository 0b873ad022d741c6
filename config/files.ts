import { dump } from 'js-yaml';
import type { KubeObject } from '../api/meta.js';
import { permissions as application } from '../controllers/application/setup.js';
import { permissions as helmrelease } from '../controllers/flux/helmrelease/setup.js';
import { permissions as source } from '../controllers/flux/source/setup.js';
import { permissions as template } from '../controllers/template/setup.js';
import { crdOf, structuralSchema, type StructuralSchema } from './crd.js';
import { KINDS, type Kind } from './kinds.js';
import { rbacOf } from './rbac.js';
import { fieldTable, schemaAt } from './reference.js';

const HEADER = '# Generated from api/ and controllers/ by `npm run generate`: change it there.\n';

function yamlOf(documents: readonly object[]): string {
  const texts = documents.map((document) => dump(document, { lineWidth: 120, noRefs: true, sortKeys: true }));
  return `${HEADER}${texts.join('---\n')}`;
}

function kustomizationOf(files: Iterable<string>): object {
  return { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources: [...files].sort() };
}

function folderOf(folder: string, files: ReadonlyMap<string, readonly KubeObject[]>): [string, string][] {
  const manifests = [...files].map(([name, objects]) => [`${folder}/${name}`, yamlOf(objects)] as [string, string]);
  return [...manifests, [`${folder}/kustomization.yaml`, yamlOf([kustomizationOf(files.keys())])]];
}

function crdFile({ resource }: Kind): string {
  return `${resource.group}_${resource.plural}.yaml`;
}

/** Parts of a spec that are long enough for a table of their own. */
const ENTRIES = ['fluxApp.spec.config.helmRelease.deploy[]', 'fluxApp.spec.config.kustomization[]'];

function specTables(title: string, spec: StructuralSchema): string[] {
  const entries = ENTRIES.flatMap((path) => {
    const entry = schemaAt(spec, path);
    return entry === undefined ? [] : [`### ${title}: \`${path}\``, fieldTable(entry)];
  });
  return [`### ${title}`, fieldTable(spec, ENTRIES), ...entries];
}

function chapter(kind: Kind): string {
  const { group, version, plural, kind: name } = kind.resource;
  const { description = '', properties: { spec = {}, status = {} } = {} } = structuralSchema(kind);
  const short = kind.shortNames.length === 0 ? '' : ` (\`${kind.shortNames.join('`, `')}\`)`;
  return [
    `## ${name}`,
    `\`${group}/${version}\`, \`${plural}\`${short}. ${description}`,
    ...specTables(`${name} spec`, spec),
    `### ${name} status`,
    fieldTable(status),
  ].join('\n\n');
}

const INTRODUCTION = `# API reference

Generated from the schemas in this folder by \`npm run generate\`. A duration is written as \`1h30m\`, \`90s\` or \`500ms\`;
lists are written \`path[]\`, maps \`path.*\`. Fields of type \`object\` without fields of their own keep whatever they are given.`;

/** Every generated file by its path in the repository, with its content. */
export function generatedFiles(): Map<string, string> {
  const crds = new Map(KINDS.map((kind) => [crdFile(kind), [crdOf(kind)]]));
  const rbac = rbacOf({ application, helmrelease, source, template });
  return new Map([
    ...folderOf('config/crd', crds),
    ...folderOf('config/rbac', rbac),
    ['api/README.md', `${[INTRODUCTION, ...KINDS.map(chapter)].join('\n\n')}\n`],
  ]);
}
