import { dump } from 'js-yaml';
import type { KubeObject } from '#api/meta.js';
import { permissions as console } from '#console/server/main.js';
import { permissions as application } from '#controllers/application/setup.js';
import { permissions as credential } from '#controllers/cluster/credential/setup.js';
import { permissions as cluster } from '#controllers/cluster/inventory.js';
import { permissions as helmrelease } from '#controllers/helmrelease/setup.js';
import { permissions as kustomizations } from '#controllers/kustomization/setup.js';
import { permissions as receiver } from '#controllers/receiver/setup.js';
import { permissions as source } from '#controllers/source/setup.js';
import { permissions as template } from '#controllers/template/setup.js';
import { consoleManifests, kubesphereManifests } from './console.js';
import { crdOf, structuralSchema, type StructuralSchema } from './crd.js';
import { KINDS, type Kind } from './kinds.js';
import { bulletList, paragraph } from './markdown.js';
import { controllerPolicy } from './network-policy.js';
import { CONSOLE_ACCOUNT, consoleRbacOf, rbacOf, SERVICE_ACCOUNT } from './rbac.js';
import { fieldList, schemaAt } from './reference.js';

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

/** Parts of a spec that get a section of their own. */
const ENTRIES = ['fluxApp.spec.config.helmRelease.deploy[]', 'fluxApp.spec.config.kustomization[]'];

function specSections(spec: StructuralSchema): string[] {
  const entries = ENTRIES.flatMap((path) => {
    const entry = schemaAt(spec, path);
    return entry === undefined ? [] : [`## Spec: \`${path}\``, fieldList(entry)];
  });
  return ['## Spec', fieldList(spec, ENTRIES), ...entries];
}

const pageOf = ({ resource }: Kind): string => `docs/api/${resource.plural}.md`;

function referencePage(kind: Kind): string {
  const { group, version, plural, kind: name } = kind.resource;
  const { description = '', properties: { spec = {}, status = {} } = {} } = structuralSchema(kind);
  const short = kind.shortNames.length === 0 ? '' : ` (\`${kind.shortNames.join('`, `')}\`)`;
  const sections = [
    `# ${name}`,
    paragraph(`\`${group}/${version}\`, \`${plural}\`${short}. ${description}`),
    ...specSections(spec),
    '## Status',
    fieldList(status),
  ];
  return `${sections.join('\n\n')}\n`;
}

function indexItem(kind: Kind): string {
  const { description = '' } = structuralSchema(kind);
  return `[${kind.resource.kind}](../${pageOf(kind)}): ${description}`;
}

function referenceIndex(): string {
  const introduction = paragraph(
    'Every field of every kind, generated from the schemas in this folder by `npm run generate`. A duration is written ' +
      'as `1h30m`, `90s` or `500ms`. Lists are written `path[]`, maps `path.*`. A field of type `object` that lists no ' +
      'fields of its own accepts any content.',
  );
  return `# API reference\n\n${introduction}\n\n${bulletList(KINDS.map(indexItem))}\n`;
}

/** Every generated file by its path in the repository, with its content. */
export function generatedFiles(): Map<string, string> {
  const crds = new Map(KINDS.map((kind) => [crdFile(kind), [crdOf(kind)]]));
  const rbac = rbacOf({ application, cluster, credential, helmrelease, kustomizations, receiver, source, template });
  return new Map([
    ...folderOf('config/crd', crds),
    ...folderOf('config/rbac', rbac),
    ['config/manager/network-policy.yaml', yamlOf([controllerPolicy(SERVICE_ACCOUNT)])],
    ...folderOf('config/console', new Map([...consoleRbacOf(console), ...consoleManifests(CONSOLE_ACCOUNT)])),
    ...folderOf('config/kubesphere', kubesphereManifests(CONSOLE_ACCOUNT)),
    ...KINDS.map((kind) => [pageOf(kind), referencePage(kind)] as const),
    ['api/README.md', referenceIndex()],
  ]);
}
