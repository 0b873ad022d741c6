import { isMap, type PlainMap } from '#lib/plain.js';
import { PLACES } from '../editor/model/application-form.js';
import { SchemaTree } from './schema-spot.js';
import { valueAt, withValueAt, type Path } from './yaml-edit.js';

const AT = '#/$defs/values';

/** Within another schema; undefined for what is none, or nests too deep to be read. */
function embedded(schema: unknown): PlainMap | undefined {
  if (!isMap(schema)) return undefined;
  const moved = (key: string, value: unknown): unknown =>
    key === '$ref' && typeof value === 'string' && value.startsWith('#') ? `${AT}${value.slice(1)}` : value;
  try {
    // Read again from what is JSON.
    return JSON.parse(JSON.stringify(schema), moved) as PlainMap;
  } catch {
    return undefined;
  }
}

function fieldsOf(path: Path): string[] {
  return path.flatMap((key) => ['properties', String(key)]);
}

const VALUES = [...fieldsOf(PLACES.deploy), 'items', 'properties', 'values'];

/** The schema of an Application whose values have a schema of their own, that of its template. */
export function withValuesSchema(application: PlainMap, valuesSchema: unknown): PlainMap {
  const values = embedded(valuesSchema);
  const own = valueAt(application, VALUES);
  if (values === undefined || !isMap(own)) return application;
  const { description } = own;
  // A map with another value in it is a map.
  const schema = withValueAt(application, VALUES, { type: 'object', description, $ref: AT }) as PlainMap;
  return { ...schema, $defs: { values } };
}

/** What values, or one of them, that are a text of their own are read by; undefined without a schema. */
export function treeOfValues(valuesSchema: unknown, path: readonly string[]): SchemaTree | undefined {
  const values = embedded(valuesSchema);
  const keys = fieldsOf(path).map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'));
  return values === undefined ? undefined : new SchemaTree({ $defs: { values }, $ref: [AT, ...keys].join('/') });
}
