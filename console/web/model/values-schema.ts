import { isMap, type PlainMap } from '#controllers/runtime/pure/plain.js';
import { PLACES } from './application-form.js';
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

/** The schema of values, or of one of them, that is a text of its own; undefined without one. */
export function valuesSchemaAt(valuesSchema: unknown, path: readonly string[]): PlainMap | undefined {
  const values = embedded(valuesSchema);
  const keys = fieldsOf(path).map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'));
  return values === undefined ? undefined : { $defs: { values }, $ref: [AT, ...keys].join('/') };
}
