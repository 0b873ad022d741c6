import pick from 'lodash/pick.js';
import { object, optional, referredName, text, textMap } from '#api/schema.js';
import { applicationResource, ApplicationSpec } from '#api/v1alpha1/application.js';
import { isMap, type PlainMap } from '#lib/plain.js';

const { group, version, kind } = applicationResource;

const Metadata = object('', {
  name: referredName('Name of the Application.'),
  namespace: optional(text('Namespace of the Application.')),
  labels: optional(textMap('Labels, by which it is selected.')),
  annotations: optional(textMap('Annotations, for programs.')),
});

/** What a reader of the schema needs; all else the API server checks. */
const KEPT = ['type', 'description', 'enum', 'anyOf', 'default', 'required'];

function partsOf({ properties, items, additionalProperties }: PlainMap): PlainMap {
  if (isMap(items)) return { items: closed(items) };
  if (isMap(additionalProperties)) return { additionalProperties: closed(additionalProperties) };
  if (!isMap(properties)) return {};
  const fields = Object.entries(properties).map(([name, field]) => [name, isMap(field) ? closed(field) : {}]);
  return { properties: Object.fromEntries(fields) };
}

/** A structural schema as JSON schemas say it: other fields are pruned, unless the schema keeps them. */
function closed(schema: PlainMap): PlainMap {
  const parts = partsOf(schema);
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || !('properties' in parts);
  return { ...pick(schema, KEPT), ...parts, ...(isOpen ? {} : { additionalProperties: false }) };
}

/** The schema of what may be written of an Application: that of the CRD, as a JSON schema. */
export function applicationSchema(): PlainMap {
  const metadata = partsOf(JSON.parse(JSON.stringify(Metadata)) as PlainMap);
  const spec = closed(JSON.parse(JSON.stringify(ApplicationSpec)) as PlainMap);
  return {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      apiVersion: { type: 'string', description: 'API version of the object.', enum: [`${group}/${version}`] },
      kind: { type: 'string', description: 'Kind of the object.', enum: [kind] },
      // Others are of the API server, e.g. finalizers.
      metadata: { type: 'object', description: 'Which Application it is.', required: ['name'], ...metadata },
      spec,
      status: { type: 'object', description: 'Written by the controller: it is not saved.', readOnly: true },
    },
    additionalProperties: false,
  };
}
