import { REVISION_OF_LABEL } from '#api/v1alpha1/labels.js';
import { TEMPLATE_RESOURCES, type Template, type TemplateKind } from '#api/v1alpha1/template.js';
import type { Kube } from '#runtime/client/kube.js';
import { defined } from '#lib/plain.js';
import { eventually } from '../../support/world.js';
import { keepRevision, type People } from './people.js';

const READY = {
  ...{ type: 'Ready', status: 'True', reason: 'Valid', message: 'revision 2: <b>podinfo</b>' },
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

/** Spec of a HelmTemplate. */
function chartSpec(namespace: string, replicas: number): object {
  return {
    sourceRef: { kind: 'HelmRepository', name: 'charts', namespace },
    chart: { chart: 'podinfo', version: '1.x' },
    values: { replicas, text: '<script>alert(1)</script>' },
    valuesSchema: { properties: { replicas: { type: 'integer' } } },
  };
}

function folderSpec(namespace: string): object {
  return { sourceRef: { kind: 'GitRepository', name: 'apps', namespace }, path: './web' };
}

interface Made {
  readonly namespace: string;
  readonly name?: string;
  readonly kind?: TemplateKind;
  readonly sharedWith?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

const typeOf = (kind: string) => TEMPLATE_RESOURCES.find((each) => each.kind === kind) ?? TEMPLATE_RESOURCES[0];

async function written(
  kube: Kube,
  { namespace, name = 'web', kind = 'HelmTemplate', ...more }: Made,
): Promise<Template> {
  const type = typeOf(kind);
  const live = await kube.get<Template>(type, { name, namespace });
  const { resourceVersion } = live?.metadata ?? {};
  const content = kind === 'HelmTemplate' ? chartSpec(namespace, 2) : folderSpec(namespace);
  const { sharedWith, annotations = {} } = more;
  const object = {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind, spec: { ...content, ...defined({ sharedWith }) } },
    metadata: { name, namespace, annotations, ...defined({ resourceVersion }) },
  } as unknown as Template;
  const spec = await (live === undefined ? kube.create(type, object) : kube.update(type, object));
  const { generation: observedGeneration = 1 } = spec.metadata;
  const status = { observedGeneration, revision: 2, usedBy: 2, conditions: [READY] };
  return kube.update(type, { ...spec, status } as Template, { subresource: 'status' });
}

/** A template as it should be, whatever became of it, with two revisions, in the caches as well. */
export async function withTemplate(people: People, made: Partial<Made> = {}): Promise<Template> {
  const { kube, plain, behindProxy } = people;
  const { namespace } = { namespace: people.namespace, ...made };
  const template = await written(kube, { ...made, namespace });
  const { kind, metadata } = template;
  for (const number of [1, 2]) {
    const spec = kind === 'HelmTemplate' ? chartSpec(namespace, number) : folderSpec(namespace);
    await keepRevision(kube, template, { labels: { [REVISION_OF_LABEL]: kind }, number, data: { spec } });
  }
  await eventually(() => {
    for (const { templates } of [plain, behindProxy]) {
      const cache = templates.find(({ type }) => type.kind === kind);
      if (cache?.get(metadata)?.metadata.resourceVersion !== metadata.resourceVersion) throw new Error('stale');
    }
  });
  return template;
}
