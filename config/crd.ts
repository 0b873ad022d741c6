import { SUBSTITUTE_ANNOTATION } from '#api/flux/annotations.js';
import type { KubeObject } from '#api/meta.js';
import { CRD_LABELS, OUR_SCHEMA_NOTE } from '#api/v1alpha1/labels.js';
import type { Kind } from './kinds.js';

/** The parts of a JSON schema that Kubernetes calls structural, and that we use. */
export interface StructuralSchema {
  type?: string;
  description?: string;
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  items?: StructuralSchema;
  required?: string[];
  enum?: string[];
  pattern?: string;
  format?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  anyOf?: { type: string }[];
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-list-type'?: 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-validations'?: { rule: string; message: string; fieldPath?: string }[];
}

export interface CustomResourceDefinition extends KubeObject {
  spec: {
    group: string;
    names: Record<string, unknown>;
    scope: 'Namespaced' | 'Cluster';
    versions: { name: string; schema: { openAPIV3Schema: StructuralSchema }; [field: string]: unknown }[];
  };
}

const IDENTITY: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { type: 'string', description: 'API version of the object.' },
  kind: { type: 'string', description: 'Kind of the object.' },
  metadata: { type: 'object' },
};

/** The schema of a whole object, as a CRD holds it. */
export function structuralSchema({ schema }: Pick<Kind, 'schema'>): StructuralSchema {
  // api/schema.ts makes structural schemas only; the round trip drops what the schema library adds for itself.
  const own = JSON.parse(JSON.stringify(schema)) as StructuralSchema;
  return { ...own, properties: { ...IDENTITY, ...own.properties } };
}

/** Says whose schema this is, for `isFairleadCrd`. */
function noted(schema: StructuralSchema): StructuralSchema {
  return { ...schema, description: `${schema.description ?? ''} ${OUR_SCHEMA_NOTE}`.trim() };
}

/** The CustomResourceDefinition of a kind. */
export function crdOf(kind: Kind): CustomResourceDefinition {
  const { resource, shortNames, categories, columns } = kind;
  const { group, plural, version } = resource;
  const singular = resource.kind.toLowerCase();
  const names = { kind: resource.kind, listKind: `${resource.kind}List`, plural, singular, categories };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      labels: { ...CRD_LABELS },
      annotations: { [SUBSTITUTE_ANNOTATION]: 'disabled' },
    },
    spec: {
      group,
      names: shortNames.length === 0 ? names : { ...names, shortNames },
      scope: resource.namespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          additionalPrinterColumns: columns,
          subresources: { status: {} },
          schema: { openAPIV3Schema: noted(structuralSchema(kind)) },
        },
      ],
    },
  };
}
