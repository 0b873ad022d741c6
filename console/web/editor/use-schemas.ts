import { useMemo } from 'preact/hooks';
import { isMap, type PlainMap } from '#lib/plain.js';
import type { RevisionAnswer, TemplateAnswer } from '../../shared/template-item.js';
import { PLACES, textOfField } from '../model/application-form.js';
import { SchemaTree } from '../model/schema-spot.js';
import { usedTemplatePaths } from '../model/template-paths.js';
import { treeOfValues, withValuesSchema } from '../model/values-schema.js';
import { useRead } from './use-read.js';

/** What texts of an Application are read by; undefined until they are known. */
export interface Schemas {
  readonly application: SchemaTree | undefined;
  /** Of the template, if the user may read it and it has one. */
  readonly values: SchemaTree | undefined;
}

const APPLICATION = ['/api/v1/schemas/application'];

/** Help needs the schemas; without them, there is none, and all else goes on. */
export function useSchemas(value: PlainMap): Schemas {
  const own = useRead(APPLICATION);
  const [namespace, template] = [PLACES.namespace, PLACES.template].map((place) => textOfField(value, place));
  const used = useRead(usedTemplatePaths({ namespace: namespace ?? '', template: template ?? '' }));
  return useMemo(() => {
    const { valuesSchema } = {
      valuesSchema: undefined,
      ...(used as TemplateAnswer | RevisionAnswer | undefined)?.spec,
    };
    return {
      application: isMap(own) ? new SchemaTree(withValuesSchema(own, valuesSchema)) : undefined,
      values: treeOfValues(valuesSchema, []),
    };
  }, [own, used]);
}
