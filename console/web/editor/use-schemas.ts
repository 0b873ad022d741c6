import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RevisionAnswer, TemplateAnswer } from '#console/server/model/template-item.js';
import { isMap, type PlainMap } from '#controllers/runtime/pure/plain.js';
import { PLACES, textOfField } from '../model/application-form.js';
import { SchemaTree } from '../model/schema-spot.js';
import { usedTemplatePaths } from '../model/template-paths.js';
import { treeOfValues, withValuesSchema } from '../model/values-schema.js';
import { request } from '../request.js';

/** What texts of an Application are read by; undefined until they are known. */
export interface Schemas {
  readonly application: SchemaTree | undefined;
  /** Of the template, if the user may read it and it has one. */
  readonly values: SchemaTree | undefined;
}

const PAUSE_MS = 200;

/** What the first of some paths that can be read answers. */
function useRead(paths: readonly string[]): unknown {
  const [read, set] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    set(undefined);
    const readFirst = async (): Promise<void> => {
      for (const path of paths) {
        const answer = await request<unknown>(path, { signal: stop.signal });
        if (stop.signal.aborted) return;
        if (answer !== undefined && 'value' in answer) {
          set(answer.value);
          return;
        }
      }
    };
    // A name is typed letter by letter.
    const timer = setTimeout(() => void readFirst(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [paths.join(' ')]);
  return read;
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
